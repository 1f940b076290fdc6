import type { ListYieldSources, LogEntry, ParamsOf, ResultOf } from '@castellan/contracts';
import type { LogReader } from '../../log/ports.ts';
import type { SourceTypes } from '../adapters/source-types.rpc.ts';
import { isListed, oraclesOf } from '../domain/used-sources.ts';
import { requireVault, type VaultSource } from './vault-view.ts';

export type YieldSourcePorts = VaultSource & { log: Pick<LogReader, 'livingOfVault'>; sourceTypes: SourceTypes };

type Answer = ResultOf<typeof ListYieldSources>;

/** The entry that put each source (lower case) on the list, as it stands. */
function additions(entries: readonly LogEntry[]): ReadonlyMap<string, LogEntry> {
  const added = new Map<string, LogEntry>();
  for (const entry of entries) {
    const source = String(entry.args.source).toLowerCase();
    if (entry.name === 'YieldSourceAdded') added.set(source, entry);
    else added.delete(source);
  }
  return added;
}

/** The vault's sources at the block of its detail, and the oracles a new one could be paired with. */
export const listYieldSources =
  (ports: YieldSourcePorts) =>
  async ({ chain_id, vault_address }: ParamsOf<typeof ListYieldSources>): Promise<Answer> => {
    const { detail, vault } = await ports.freshen(await requireVault(ports, chain_id, vault_address));
    const chain = ports.chains.get(chain_id);
    const [entries, others] = await Promise.all([
      ports.log.livingOfVault(chain_id, vault, ['YieldSourceAdded', 'YieldSourceRemoved']),
      ports.snapshots.all([chain_id]),
    ]);
    const added = additions(entries);
    const sources = detail.allocation.filter(isListed).map(async (item) => {
      const entry = added.get(item.source_address.toLowerCase());
      return {
        source_address: item.source_address,
        name: item.name,
        source_type: await ports.sourceTypes.of(chain, item.source_address),
        oracle_address: item.oracle_address,
        oracle_ok: item.assets !== null,
        assets: item.assets,
        share: item.share,
        usd: item.usd,
        apy: item.apy,
        added_at: entry?.block_time ?? null,
        added_tx: entry?.tx_hash ?? null,
      };
    });
    return {
      chain_id,
      vault_address: detail.vault_address,
      block_number: detail.block_number,
      yield_sources: await Promise.all(sources),
      oracles: oraclesOf(others.map((snapshot) => snapshot.detail)),
    };
  };
