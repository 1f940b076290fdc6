import { isDuplicateKey, pendingRow, type RecordWith } from '@castellan/service-kit';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Connection } from 'mongoose';
import { type KeyChange, keyRotated } from '../domain/audit-entry.ts';
import { keyRotations, type SigningKeyDocument, signingKeys } from '../models/signing-key.ts';
import type { Distrust } from '../use-cases/full-session.ts';
import type { Sealer } from './seal.ts';

/** `sign`: r and s (64 bytes) over the SHA-256 hash of what is signed. */
export type ActiveKey = { kid: string; sign(signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> };

export type KeyRing = {
  /** Reads the keys anew, and makes one when there is none, the newest is too old, or an operator asked for one. */
  refresh(): Promise<void>;
  active(): ActiveKey;
  /** Public keys by which a token that is still good may have been signed, newest first. */
  publicKeys(): JWK[];
  /** When the newest key has its successor due, in milliseconds since the epoch. */
  rotationDueMs(): number;
};

export type KeyRingOptions = {
  connection: Connection;
  /** Stores a key together with its row of the audit log. */
  recordWith: RecordWith;
  sealer: Sealer;
  distrust: Distrust;
  rotationSeconds: number;
  /** How long a key is published before it signs, so that every verifier has it by then. */
  activationSeconds: number;
  /** How long a token can outlive the rotation of its key. */
  overlapSeconds: number;
  now: () => number;
};

/** A key whose private part this process has opened. */
type OpenedKey = ActiveKey & { generation: number; createdAtMs: number; publicJwk: JWK };

/** The next generation that nobody has taken: a foreign document with the highest of all would else stop the rotation for ever. */
function freeGeneration(first: number, taken: ReadonlySet<unknown>): number {
  let generation = first;
  while (taken.has(generation)) generation += 1;
  return generation;
}

/**
 * The keys that sign tokens, shared by all processes through the store.
 *
 * Only what was sealed with the deployment's secret counts: a public key is derived from its opened private key and never read, so
 * that writing to the store does not suffice to have a key published. What cannot be opened is reported and left out.
 */
export function mongoKeyRing({
  connection,
  recordWith,
  sealer,
  distrust,
  rotationSeconds,
  activationSeconds,
  overlapSeconds,
  now,
}: KeyRingOptions): KeyRing {
  const stored = signingKeys.open(connection);
  const rotations = keyRotations.open(connection);
  /** Kept once opened: another process may already have sealed it again with the next secret. */
  const openedBefore = new Map<string, OpenedKey>();
  let keys: OpenedKey[] = [];
  let active: OpenedKey | undefined;

  /** @returns the generations that are taken, by foreign documents too. */
  const read = async (): Promise<ReadonlySet<unknown>> => {
    const documents = await stored.find().sort({ generation: -1 }).toArray();
    const found: OpenedKey[] = [];
    let failure: unknown;
    for (const document of documents) {
      try {
        const key = openedBefore.get(document._id) ?? (await open(document));
        openedBefore.set(key.kid, key);
        found.push(key);
      } catch (error) {
        failure = error;
        distrust('signing_keys', document._id);
      }
    }
    if (found.length === 0 && failure) throw failure;
    keys = found.sort((a, b) => b.generation - a.generation);
    return new Set(documents.map(({ generation }) => generation));
  };
  const open = async (document: SigningKeyDocument) => {
    const { _id: kid, generation, created_at, sealed_private_jwk } = signingKeys.shape.parse(document);
    const { text, isFromPrevious } = sealer.open(sealed_private_jwk, kid);
    const privateJwk = JSON.parse(text) as JWK;
    const { d: _secret, ...publicPart } = privateJwk;
    if ((await calculateJwkThumbprint(publicPart)) !== kid) throw new Error('The key is not the one it is named for.');
    if (isFromPrevious)
      await stored.updateOne(
        { _id: kid, sealed_private_jwk },
        { $set: { sealed_private_jwk: sealer.seal(text, kid) } },
      );
    const publicJwk = { ...publicPart, kid, alg: 'ES256', use: 'sig' };
    const key = (await importJWK(privateJwk, 'ES256')) as CryptoKey;
    const sign: ActiveKey['sign'] = async (signed) =>
      new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, signed));
    return { kid, generation, createdAtMs: created_at.getTime(), sign, publicJwk };
  };
  /** Why a new key is due; undefined while the newest will do. */
  const change = async (): Promise<KeyChange | undefined> => {
    const newest = keys[0];
    if (!newest) return { why: 'first' };
    const age = now() - newest.createdAtMs;
    if (age > rotationSeconds * 1000) return { why: 'age' };
    // One that does not sign yet is new enough: a writer of the store has no more keys made than this allows.
    if (age < activationSeconds * 1000) return undefined;
    const found = keyRotations.shape.safeParse(await rotations.findOne({ _id: 'asked' }));
    if (!found.success) return undefined;
    const { asked_at, asked_by, reason } = found.data;
    const isAsked = asked_at.getTime() > newest.createdAtMs && asked_at.getTime() <= now();
    return isAsked ? { why: 'asked', asked_by, reason } : undefined;
  };
  const make = async (generation: number, because: KeyChange) => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const kid = await calculateJwkThumbprint(await exportJWK(publicKey));
    const sealed_private_jwk = sealer.seal(JSON.stringify(await exportJWK(privateKey)), kid);
    const created_at = new Date(now());
    try {
      await recordWith([pendingRow({ ...keyRotated(kid, because, created_at), request_id: null })], (session) =>
        stored.insertOne({ _id: kid, generation, created_at, sealed_private_jwk }, { session }),
      );
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // Another process made this generation first: its key is ours too.
    }
  };
  return {
    async refresh() {
      const taken = await read();
      const because = await change();
      if (because) {
        await make(freeGeneration((keys[0]?.generation ?? 0) + 1, taken), because);
        await read();
      }
      const activeSince = now() - activationSeconds * 1000;
      // The first key of all has no predecessor to sign in its place.
      active = keys.find(({ createdAtMs }) => createdAtMs <= activeSince) ?? keys.at(-1);
    },
    active() {
      if (!active) throw new Error('The key ring was used before it was read.');
      return active;
    },
    publicKeys: () =>
      keys
        .filter((_key, index) => {
          const successor = keys[index - 1];
          return !successor || now() - successor.createdAtMs < (activationSeconds + overlapSeconds) * 1000;
        })
        .map(({ publicJwk }) => publicJwk),
    rotationDueMs: () => (keys[0]?.createdAtMs ?? 0) + rotationSeconds * 1000,
  };
}
