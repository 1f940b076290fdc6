import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { alertsQuery } from '../alerts/queries.ts';
import type { Api } from '../client/api.ts';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { type MyVault, myVaultsQuery } from '../data/queries.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { type DeskRow, vaultKey } from './rows.ts';

/** Vaults of one read: their names fit an address of 3 kB. */
const A_READ = 50;
/** With the 5 s that the server may give the same answer, no figure is older than 15 s. */
const REFRESH_MS = 10_000;

const summariesQuery = (api: Api, vaults: readonly MyVault[]) => {
  const names = vaults.map(({ chain_id, vault_address }) => `${chain_id}:${vault_address}`).join(',');
  return queryOptions({
    queryKey: ['summaries', names] as const,
    queryFn: () => api.analyticsSummaries({ query: { vaults: names } }),
    refetchInterval: REFRESH_MS,
  });
};

const inReads = (vaults: readonly MyVault[]): MyVault[][] =>
  Array.from({ length: Math.ceil(vaults.length / A_READ) }, (_, at) => vaults.slice(at * A_READ, (at + 1) * A_READ));

/**
 * Whether a promise of a vault is broken, whether or not somebody acknowledged the alert. The badge's answer says it where it has every
 * open alert, as it mostly does; otherwise these are asked for by themselves. Null of a vault beyond what was read.
 */
function usePromiseBroken(enabled: boolean) {
  const { api } = useApp();
  const viewer = useViewer();
  const { data: active } = useQuery({ ...alertsQuery(api, viewer, 'active'), enabled });
  const isWhole = active?.counts.by_status.acknowledged === 0 && active.alerts.length >= active.counts.by_status.active;
  const { data: open } = useQuery({
    ...alertsQuery(api, viewer, 'open', { rule_id: 'mandate_breached', limit: '500' }),
    enabled: enabled && active !== undefined && !isWhole,
  });
  const broken = new Set(
    [...(active?.alerts ?? []), ...(isWhole ? [] : (open?.alerts ?? []))]
      .filter(({ rule_id }) => rule_id === 'mandate_breached')
      .map((alert) => vaultKey(alert)),
  );
  const isKnown = isWhole || open?.has_more === false;
  return (id: string): boolean | null => broken.has(id) || (isKnown ? false : null);
}

/** The own vaults as rows of the table: a few kinds of reads, none of them for a single vault. */
export function useDesk() {
  const { api, config } = useApp();
  const viewer = useViewer();
  // Once the session has ended, what it read stays.
  const enabled = useSession().status === 'signed_in';
  const mine = useQuery({ ...myVaultsQuery(api, viewer), enabled });
  const active = useQuery({ ...alertsQuery(api, viewer, 'active'), enabled });
  const vaults = mine.data?.vaults ?? [];
  const reads = useQueries({ queries: inReads(vaults).map((some) => ({ ...summariesQuery(api, some), enabled })) });
  const summaries = new Map(reads.flatMap(({ data }) => data?.vaults ?? []).map((each) => [vaultKey(each), each]));
  const alerts = new Map(active.data?.counts.by_vault.map((each) => [vaultKey(each), each]));
  const isPromiseBroken = usePromiseBroken(enabled);
  const rows = vaults.map((vault, at): DeskRow => {
    const id = vaultKey(vault);
    const chain = chainById(config, vault.chain_id);
    const slug = vault.chain_slug ?? chain?.slug ?? String(vault.chain_id);
    const isBeingRead = reads[Math.floor(at / A_READ)]?.isPending === true;
    return {
      id,
      vault,
      slug,
      chainName: chain?.name ?? slug,
      summary: summaries.get(id) ?? (isBeingRead ? 'being read' : 'failed'),
      alerts:
        active.data === undefined
          ? active.isError
            ? 'failed'
            : 'being read'
          : (alerts.get(id) ?? { critical: 0, warning: 0, info: 0, acknowledged: 0 }),
      isPromiseBroken: isPromiseBroken(id),
    };
  });
  const retry = () => {
    for (const read of reads) if (read.isError || (read.data?.unread.length ?? 0) > 0) void read.refetch();
  };
  const unread = rows.filter(({ summary }) => summary === 'failed').length;
  /** A read whose older answer stands since its last one failed. */
  const stale = reads.find(({ isError, data }) => isError && data !== undefined);
  return { mine, rows, unread, stale, retry };
}
