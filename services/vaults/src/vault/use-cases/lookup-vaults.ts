import {
  type Caller,
  errorCodeOf,
  type LookupVaults,
  type ParamsOf,
  type ResultOf,
  type VaultDetail,
  type VaultField,
} from '@castellan/contracts';
import type { Directory } from '../adapters/directory.mongo.ts';
import { placeOf } from '../adapters/snapshot-store.mongo.ts';
import { requireVault, type VaultSource, viewFor } from './vault-view.ts';

type Asked = ParamsOf<typeof LookupVaults>;
type Answer = ResultOf<typeof LookupVaults>;

/** The detail with the fields asked for, which vault it is about, when, and how far its price can be trusted. */
function only(detail: VaultDetail, fields: readonly VaultField[] | undefined): Answer['vaults'][number] {
  if (fields === undefined) return detail;
  const { chain_id, vault_address, block_number, chain_time, pps_status } = detail;
  const always = { chain_id, vault_address, block_number, chain_time, pps_status };
  return { ...Object.fromEntries(fields.map((field) => [field, detail[field]])), ...always };
}

/** Each vault once, as it was named first. */
function distinct(vaults: Asked['vaults']): Asked['vaults'] {
  const byPlace = new Map<string, Asked['vaults'][number]>();
  for (const vault of vaults) {
    const place = placeOf(vault.chain_id, vault.vault_address);
    if (!byPlace.has(place)) byPlace.set(place, vault);
  }
  return [...byPlace.values()];
}

export const lookupVaults = (ports: VaultSource & { directory: Directory }) => {
  const read = async ({ chain_id, vault_address }: Asked['vaults'][number], caller: Caller | undefined) =>
    viewFor(ports.directory, await ports.freshen(await requireVault(ports, chain_id, vault_address)), caller);

  return async ({ vaults, fields }: Asked, caller: Caller | undefined): Promise<Answer> => {
    const answer: Answer = { vaults: [], unread: [] };
    const asked = distinct(vaults);
    const found = await Promise.allSettled(asked.map((vault) => read(vault, caller)));
    for (const [index, vault] of asked.entries()) {
      const outcome = found[index] as (typeof found)[number];
      if (outcome.status === 'fulfilled') {
        answer.vaults.push(only(outcome.value, fields));
        continue;
      }
      const code = errorCodeOf(outcome.reason);
      if (code === undefined) throw outcome.reason;
      answer.unread.push({ ...vault, code });
    }
    return answer;
  };
};
