import { createHash } from 'node:crypto';
import type { MandateBreach, MandateVersion } from '@castellan/contracts';
import type { MandateCollections, StoredBreach, StoredVersion } from './models/collections.ts';

export type Vault = { chain_id: number; vault_address: string };
export const keyOf = ({ chain_id, vault_address }: Vault) => ({ chain_id, vault: vault_address.toLowerCase() });

/** The newest version that was put into force. */
export const versionInForce = (
  { versions }: Pick<MandateCollections, 'versions'>,
  vault: ReturnType<typeof keyOf>,
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

/** The id of a breach: the same whenever it is judged again. */
export const breachIdOf = (
  { chain_id, vault }: ReturnType<typeof keyOf>,
  version: number,
  promise: string,
  block: number,
): string =>
  `mb_${createHash('sha256').update(`${chain_id}:${vault}:${version}:${promise}:${block}`).digest('hex').slice(0, 24)}`;

export function plainBreach(stored: StoredBreach): MandateBreach {
  const { chain_id: _chain, vault: _vault, generation: _generation, ...breach } = stored;
  const { _id, ...plain } = breach as typeof breach & { _id?: unknown };
  return plain;
}
