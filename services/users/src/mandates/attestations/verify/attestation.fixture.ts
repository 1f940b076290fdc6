import { generateKeyPairSync } from 'node:crypto';
import {
  type AttestationKey,
  MandateDocument,
  mandateHash,
  mandateTypedData,
  type PromiseTally,
} from '@castellan/contracts';
import { calculateJwkThumbprint, importJWK, type JWK } from 'jose';
import { privateKeyToAccount } from 'viem/accounts';
import { type ActiveKey, publicPartOf, publishedKey } from '../attestation-keys.ts';
import { attestedMandate, statementOf, stretchesOf } from '../statement.ts';

const vault = { chain_id: 31337, vault_address: '0x00000000000000000000000000000000000000A1' };
const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`);
/** The only document of the mandate: 5 % of the assets lie idle. */
export const document = MandateDocument.parse({
  format: 1,
  title: 'Core',
  public: true,
  promises: [{ id: 'idle', kind: 'idle_share', at_least_bps: 500 }],
});
/** An observation that breaks the promise. */
export const moment = { block_number: 5, time: '2026-10-05T00:00:00.000Z', value: 400, subject: null };
/** What the month came to for the promise: kept. */
export const tally: PromiseTally = {
  promise_id: 'idle',
  kind: 'idle_share',
  bound: 'at_least',
  limit: 500,
  unit: 'bps',
  states: { held: 3, warned: 0, broken: 0, unknown: 0 },
  worst: { ...moment, value: 600 },
};

/** A version of the mandate as it is stored, signed by its owner. */
export async function versionOf(version: number, in_force_from: string) {
  const document_hash = mandateHash(document);
  const { domain, types, primaryType, message } = mandateTypedData({ ...vault, version, document_hash });
  const signature = await owner.signTypedData({ domain, types, primaryType, message } as never);
  const at = new Date(in_force_from);
  return {
    chain_id: vault.chain_id,
    vault: vault.vault_address.toLowerCase(),
    version,
    document,
    document_hash,
    created_by: owner.address.toLowerCase(),
    created_at: at,
    signed_by: owner.address.toLowerCase(),
    signature: signature as string,
    in_force_from: at,
  };
}

/** A key that signs attestations, and its public part as it is published. */
export async function makeKey(): Promise<{ active: ActiveKey; published: AttestationKey }> {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint(jwk as JWK);
  const key = (await importJWK(jwk as JWK, 'ES256')) as CryptoKey;
  const sign: ActiveKey['sign'] = async (bytes) =>
    new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes));
  const made = new Date('2026-01-01T00:00:00.000Z');
  return { active: { kid, sign }, published: publishedKey(kid, publicPartOf(jwk), made, undefined) };
}

const checksum = () => owner.address;
const breach = { ...tally, started: moment, worst: moment, ended: null };
const ledger = { idOf: () => 'mb_1', get: () => undefined };

/** What is attested of October: the promise is kept, or broken once. */
export async function statement(issued = '2026-11-01T00:05:00.000Z', isBroken = false) {
  const [stretch] = stretchesOf([await versionOf(1, '2026-09-15T00:00:00.000Z')], '2026-10');
  if (!stretch) throw new Error('It was in force.');
  const states = { held: 2, warned: 0, broken: 1, unknown: 0 };
  const judged = {
    observations: 3,
    first: { block_number: 4, time: '2026-10-02T00:00:00.000Z' },
    last: { block_number: 6, time: '2026-10-06T00:00:00.000Z' },
    tallies: [isBroken ? { ...tally, states, worst: moment } : tally],
    breaches: isBroken ? [breach] : [],
  };
  return statementOf(vault, '2026-10', [attestedMandate(stretch, judged, ledger, checksum)], issued);
}
