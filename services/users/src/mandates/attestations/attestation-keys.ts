import { generateKeyPairSync, hkdfSync, type JsonWebKey } from 'node:crypto';
import type { AttestationKey } from '@castellan/contracts';
import { type ClientSession, isDuplicateKey, type Logger, type RecordWith } from '@castellan/service-kit';
import { calculateJwkThumbprint, importJWK, type JWK } from 'jose';
import { type Sealer, sealer } from '../../alerts/channels/adapters/sealed.ts';
import type { AuditLog } from '../../audit/adapters/audit-log.mongo.ts';
import type { AttestationCollections } from './models/collections.ts';

/** `sign`: r and s (64 bytes) over the SHA-256 hash of what is signed. */
export type ActiveKey = { kid: string; sign(signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> };

/** The keys of attestations. No token is signed with them. */
export type AttestationKeys = {
  /** The key to sign with now; makes one when there is none, or the newest is too old. */
  active(): Promise<ActiveKey>;
  /** Every key that ever signed, newest first. */
  published(): Promise<AttestationKey[]>;
};

export type AttestationKeysDeps = {
  keys: Pick<AttestationCollections, 'keys' | 'keyHistory'>;
  outbox: { recordWith: RecordWith };
  auditLog: Pick<AuditLog, 'append'>;
  log: Pick<Logger, 'error'>;
  /** What seals channels; the keys are sealed with another one that is derived from it. */
  secret: Buffer;
  rotationSeconds: number;
  now: () => Date;
};

type PublicPart = { kty: 'EC'; crv: 'P-256'; x: string; y: string };
type Opened = { kid: string; generation: number; createdAt: Date; jwk: PublicPart };

/** The public part of a P-256 key. @throws Error for another one. */
export function publicPartOf({ kty, crv, x, y }: JsonWebKey | JWK): PublicPart {
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined) throw new Error('The key is not P-256.');
  return { kty: 'EC', crv: 'P-256', x, y };
}

/** A key as it is published. */
export const publishedKey = (
  kid: string,
  jwk: PublicPart,
  from: Date | undefined,
  until: Date | undefined,
): AttestationKey => ({
  ...jwk,
  kid,
  alg: 'ES256',
  use: 'sig',
  castellan_from: from?.toISOString() ?? null,
  castellan_until: until?.toISOString() ?? null,
});

const sealerOf = (secret: Buffer): Sealer =>
  sealer(Buffer.from(hkdfSync('sha256', secret, 'castellan-users', 'attestation-key-seal-v1', 32)));

const privateLabel = (kid: string): string => `attestation-key:${kid}`;
const publicLabel = ({ kid, generation, createdAt }: Omit<Opened, 'jwk'>): string =>
  `attestation-key-history:${kid}:${generation}:${createdAt.toISOString()}`;

/**
 * Keys in the store, shared by all processes. What was not sealed with the deployment's secret does not count, for the public parts too, so that
 * writing to the store does not suffice to have a key published. The private part of a key is removed when its successor is made.
 */
export function storedAttestationKeys(deps: AttestationKeysDeps): AttestationKeys {
  const { keys, outbox, auditLog, log, secret, rotationSeconds, now } = deps;
  const { seal, open } = sealerOf(secret);

  const history = async (): Promise<Opened[]> => {
    const found: Opened[] = [];
    let failure: unknown;
    for (const { _id: kid, generation, created_at: createdAt, sealed_public_jwk } of await keys.keyHistory
      .find()
      .sort({ generation: -1 })
      .toArray()) {
      try {
        const text = open(sealed_public_jwk, publicLabel({ kid, generation, createdAt }));
        found.push({ kid, generation, createdAt, jwk: publicPartOf(JSON.parse(text) as JWK) });
      } catch (error) {
        failure = error;
        log.error('ignored a key of attestations that this deployment did not seal', { kid: String(kid) });
      }
    }
    if (found.length === 0 && failure) throw failure;
    return found;
  };

  const privateOf = async (newest: Opened | undefined): Promise<ActiveKey | undefined> => {
    if (!newest || now().getTime() - newest.createdAt.getTime() > rotationSeconds * 1000) return undefined;
    const stored = await keys.keys.findOne({ _id: newest.kid });
    // A restored backup has the history alone.
    if (!stored) return undefined;
    const privateJwk = JSON.parse(open(stored.sealed_private_jwk, privateLabel(newest.kid))) as JWK;
    const key = (await importJWK(privateJwk, 'ES256')) as CryptoKey;
    return {
      kid: newest.kid,
      sign: async (signed) => new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, signed)),
    };
  };

  const store = async (kid: string, made: Opened, privateJwk: JsonWebKey, session: ClientSession) => {
    const { generation, createdAt, jwk } = made;
    const sealed_public_jwk = seal(JSON.stringify(jwk), publicLabel(made));
    await keys.keyHistory.insertOne({ _id: kid, generation, created_at: createdAt, sealed_public_jwk }, { session });
    await keys.keys.deleteMany({}, { session });
    const sealed_private_jwk = seal(JSON.stringify(privateJwk), privateLabel(kid));
    await keys.keys.insertOne({ _id: kid, generation, sealed_private_jwk }, { session });
    const row = { vault_address: null, chain_id: null, actor_wallet: null, tx_hash: null, request_id: null };
    await auditLog.append(
      {
        ...row,
        id: `attestation_key_rotated:${kid}`,
        timestamp: createdAt.toISOString(),
        category: 'account',
        action_type: 'attestation_key_rotated',
        details: { kid, why: generation === 1 ? 'first' : 'age' },
      },
      session,
    );
    return true;
  };

  /** The next generation; where another process made it first, its key is ours too. */
  const make = async (generation: number): Promise<void> => {
    const privateJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const jwk = publicPartOf(privateJwk);
    const kid = await calculateJwkThumbprint(jwk);
    const made: Opened = { kid, generation, createdAt: now(), jwk };
    try {
      await outbox.recordWith([], (session) => store(kid, made, privateJwk, session));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  };

  /** The highest generation that is taken, by foreign documents too. */
  const taken = async (): Promise<number> =>
    (await keys.keyHistory.findOne({}, { sort: { generation: -1 } }))?.generation ?? 0;

  return {
    async active() {
      const [newest] = await history();
      const usable = await privateOf(newest);
      if (usable) return usable;
      await make((await taken()) + 1);
      const made = await privateOf((await history())[0]);
      if (!made) throw new Error('No key of attestations could be made.');
      return made;
    },
    published: async () =>
      (await history()).map(({ kid, jwk, createdAt }, at, all) =>
        publishedKey(kid, jwk, createdAt, all[at - 1]?.createdAt),
      ),
  };
}
