import { createHash } from 'node:crypto';
import type { MandateBreach, MandateVersion, PromiseBreach } from '@castellan/contracts';
import type { MandateCollections, StoredBreach, StoredVersion } from './models/collections.ts';

export type Vault = { chain_id: number; vault_address: string };
type VaultKey = { chain_id: number; vault: string };
export const keyOf = ({ chain_id, vault_address }: Vault): VaultKey => ({
  chain_id,
  vault: vault_address.toLowerCase(),
});

/** The newest version that was put into force. */
export const versionInForce = (
  { versions }: Pick<MandateCollections, 'versions'>,
  vault: VaultKey,
): Promise<StoredVersion | null> =>
  versions.findOne({ ...vault, in_force_from: { $ne: null } }, { sort: { version: -1 } });

/** A version as it is answered. @param current - The number of the version in force; 0 for none. */
export const plainVersion = (
  stored: StoredVersion,
  current: number,
  checksum: (address: string) => string,
): MandateVersion => ({
  version: stored.version,
  state: stored.in_force_from === null ? 'draft' : stored.version === current ? 'in_force' : 'superseded',
  document: stored.document,
  document_hash: stored.document_hash,
  created_by: checksum(stored.created_by),
  created_at: stored.created_at.toISOString(),
  signed_by: stored.signed_by && checksum(stored.signed_by),
  signature: stored.signature,
  in_force_from: stored.in_force_from?.toISOString() ?? null,
});

type Place = Pick<PromiseBreach, 'promise_id'> & { started: Pick<PromiseBreach['started'], 'block_number'> };
const placeOf = ({ promise_id, started }: Place): string => `${promise_id}:${started.block_number}`;

/** A new id has the generation: a breach that a reorganisation undid is not the one that begins at its block later. */
const newId = ({ chain_id, vault }: VaultKey, version: number, generation: number, place: string): string =>
  `mb_${createHash('sha256').update(`${chain_id}:${vault}:${version}:${place}:${generation}`).digest('hex').slice(0, 24)}`;

/** Breaches of a version that the ledger has, and the ids of breaches: that of the ledger where it has the breach. */
export async function ledgerOf(
  { breaches }: Pick<MandateCollections, 'breaches'>,
  vault: VaultKey,
  { version, generation }: { version: number; generation: number },
  judged: readonly Place[],
): Promise<{ get: (breach: Place) => StoredBreach | undefined; idOf: (breach: Place) => string }> {
  const blocks = judged.map(({ started }) => started.block_number);
  const found = breaches.find({ ...vault, version, 'started.block_number': { $in: blocks } });
  const kept = new Map((blocks.length === 0 ? [] : await found.toArray()).map((breach) => [placeOf(breach), breach]));
  const get = (breach: Place) => kept.get(placeOf(breach));
  return {
    get,
    idOf: (breach) => get(breach)?.breach_id ?? newId(vault, version, generation, placeOf(breach)),
  };
}

export function plainBreach(stored: StoredBreach): MandateBreach {
  const { chain_id: _chain, vault: _vault, generation: _generation, ...breach } = stored;
  const { _id, ...plain } = breach as typeof breach & { _id?: unknown };
  return plain;
}
