import { isDuplicateKey } from '@castellan/service-kit';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Connection } from 'mongoose';
import { type SigningKeyDocument, signingKeyModel } from '../models/signing-key.ts';
import type { Sealer } from './seal.ts';

type PrivateKey = Awaited<ReturnType<typeof importJWK>>;

export type ActiveKey = { kid: string; key: PrivateKey };

export type KeyRing = {
  /** Reads the keys anew, and makes one when there is none or the newest is too old. */
  refresh(): Promise<void>;
  active(): ActiveKey;
  /** Public keys by which a token that is still good may have been signed, newest first. */
  publicKeys(): JWK[];
};

export type KeyRingOptions = {
  connection: Connection;
  sealer: Sealer;
  rotationSeconds: number;
  /** How long a key is published before it signs, so that every verifier has it by then. */
  activationSeconds: number;
  /** How long a token can outlive the rotation of its key. */
  overlapSeconds: number;
  now: () => number;
};

export function mongoKeyRing({
  connection,
  sealer,
  rotationSeconds,
  activationSeconds,
  overlapSeconds,
  now,
}: KeyRingOptions): KeyRing {
  const model = signingKeyModel(connection);
  let keys: SigningKeyDocument[] = [];
  let active: ActiveKey | undefined;

  const read = async () => {
    keys = await model.find().sort({ generation: -1 }).lean<SigningKeyDocument[]>();
  };
  const make = async (generation: number) => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const publicJwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(publicJwk);
    const sealed = sealer.seal(JSON.stringify(await exportJWK(privateKey)), kid);
    const common = { _id: kid, generation, created_at: new Date(now()) };
    try {
      await model.create({
        ...common,
        public_jwk: { ...publicJwk, kid, alg: 'ES256', use: 'sig' },
        sealed_private_jwk: sealed,
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // Another process made this generation first: its key is ours too.
    }
  };
  return {
    async refresh() {
      await read();
      const newest = keys[0];
      if (!newest || now() - newest.created_at.getTime() > rotationSeconds * 1000) {
        await make((newest?.generation ?? 0) + 1);
        await read();
      }
      const activeSince = now() - activationSeconds * 1000;
      // The first key of all has no predecessor to sign in its place.
      const chosen = keys.find(({ created_at }) => created_at.getTime() <= activeSince) ?? keys.at(-1);
      if (!chosen || chosen._id === active?.kid) return;
      const jwk = JSON.parse(sealer.open(chosen.sealed_private_jwk, chosen._id)) as JWK;
      active = { kid: chosen._id, key: await importJWK(jwk, 'ES256') };
    },
    active() {
      if (!active) throw new Error('The key ring was used before it was read.');
      return active;
    },
    publicKeys: () =>
      keys
        .filter((_key, index) => {
          const successor = keys[index - 1];
          return !successor || now() - successor.created_at.getTime() < (activationSeconds + overlapSeconds) * 1000;
        })
        .map((key) => key.public_jwk as JWK),
  };
}
