import { createHmac, createPublicKey, randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { sealer } from '../../services/auth/src/adapters/seal.ts';
import type { SigningKeyDocument } from '../../services/auth/src/models/signing-key.ts';
import { keySecret, type World, wallets } from './world.ts';

/** A private key and the name under which verifiers may know it. */
export type SigningKey = { kid: string; privateJwk: JWK };
type Draft = { claims?: JWTPayload; header?: Record<string, unknown>; key?: SigningKey };

const seal = sealer(keySecret);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = () => Math.floor(Date.now() / 1000);

export const signingKeysOf = (world: World) => {
  const connection = world.running.auth?.context.mongo;
  if (!connection) throw new Error('The auth service does not run.');
  return connection.collection<SigningKeyDocument>('signing_keys');
};

/** A key pair of somebody else. */
export async function newKey(): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid: await calculateJwkThumbprint(await exportJWK(publicKey)), privateJwk: await exportJWK(privateKey) };
}

/** The document of a key in the store, sealed with our secret or another. */
export const documentOf = (
  { kid, privateJwk }: SigningKey,
  { generation, createdAt, by = seal }: { generation: number; createdAt: Date; by?: typeof seal },
): SigningKeyDocument => ({
  _id: kid,
  generation,
  created_at: createdAt,
  sealed_private_jwk: by.seal(JSON.stringify(privateJwk), kid),
});

/** The key that the running auth service signs with: what is wrong with a token is then what a test changed. */
export async function genuineKey(world: World): Promise<SigningKey> {
  const document = await signingKeysOf(world).findOne({}, { sort: { generation: 1 } });
  if (!document) throw new Error('There is no signing key.');
  const { text } = seal.open(document.sealed_private_jwk, document._id);
  return { kid: document._id, privateJwk: JSON.parse(text) as JWK };
}

/** Makes tokens as the auth service does; name what is different. A claim set to undefined is left out. */
export class Forger {
  readonly #key: SigningKey;
  readonly #issuer: string;

  constructor(key: SigningKey, issuer: string) {
    this.#key = key;
    this.#issuer = issuer;
  }

  claims(changed: JWTPayload = {}): JWTPayload {
    const wallet = wallets.primary.address;
    const claims = {
      iss: this.#issuer,
      aud: 'castellan',
      sub: wallet,
      sid: randomUUID(),
      iat: seconds(),
      nbf: seconds(),
      exp: seconds() + 3600,
      auth_time: seconds(),
      wallet_address: wallet,
      ...changed,
    };
    return JSON.parse(JSON.stringify(claims)) as JWTPayload;
  }

  async token({ claims = {}, header = {}, key = this.#key }: Draft = {}): Promise<string> {
    const parts = { alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header };
    return new SignJWT(this.claims(claims))
      .setProtectedHeader(JSON.parse(JSON.stringify(parts)) as { alg: string })
      .sign(await importJWK(key.privateJwk, 'ES256'));
  }

  unsigned(): string {
    return `${base64({ alg: 'none', typ: 'at+jwt', kid: this.#key.kid })}.${base64(this.claims())}.`;
  }

  /** The public key's text as an HMAC secret: what a verifier that believes `alg` accepts. */
  signedWithPublicText(as: 'pem' | 'jwk'): string {
    const { d: _private, ...jwk } = this.#key.privateJwk;
    const pem = createPublicKey({ key: jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const signed = `${base64({ alg: 'HS256', typ: 'at+jwt', kid: this.#key.kid })}.${base64(this.claims())}`;
    const secret = as === 'pem' ? String(pem) : JSON.stringify(jwk);
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  }

  /** A good token with another wallet under the old signature. */
  async altered(): Promise<string> {
    const [head, , signature] = (await this.token()).split('.');
    return `${head}.${base64(this.claims({ wallet_address: wallets.other.address }))}.${signature}`;
  }

  /** A token that brings its own key. */
  async bringingItsKey(key: SigningKey): Promise<string> {
    const { d: _private, ...jwk } = key.privateJwk;
    return this.token({ key, header: { kid: this.#key.kid, jwk } });
  }
}
