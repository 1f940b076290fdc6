import type { Api } from '../client/api.ts';
import type { MyVault } from '../data/queries.ts';

export type Summary = Awaited<ReturnType<Api['analyticsSummaries']>>['vaults'][number];
export type AlertCount = Awaited<ReturnType<Api['listAlerts']>>['counts']['by_vault'][number];

/** What is asked for and not there: not yet, or not at all. */
export type NotRead = 'being read' | 'failed';

/** One vault of the table. What another read brings can be missing while the rest stands. */
export type DeskRow = {
  id: string;
  vault: MyVault;
  slug: string;
  chainName: string;
  summary: Summary | NotRead;
  alerts: Pick<AlertCount, 'critical' | 'warning' | 'info' | 'acknowledged'> | NotRead;
  /** One of its open alerts, acknowledged or not, is of a promise of the mandate. Null while that is not known. */
  isPromiseBroken: boolean | null;
};

type Named = { chain_id: number; vault_address: string };
export const vaultKey = ({ chain_id, vault_address }: Named): string => `${chain_id}:${vault_address.toLowerCase()}`;

/** A value of a read that came; null for one that did not. */
export const ofRead = <T extends object, V>(read: T | NotRead, pick: (value: T) => V): V | null =>
  typeof read === 'string' ? null : pick(read);

/** Alerts whose condition holds, whether or not somebody is on them. */
export const openAlerts = ({ alerts }: DeskRow): number | null =>
  ofRead(alerts, ({ critical, warning, info, acknowledged = 0 }) => critical + warning + info + acknowledged);

/** Which part of what the three largest holders could ask for is paid at once; 1 where nobody holds anything. */
export const paidAtOnce = ({ summary }: DeskRow): number | null =>
  ofRead(summary, ({ run: { demand, paid_now } }) => {
    if (paid_now === null) return null;
    return demand === '0' ? 1 : Number(paid_now) / Number(demand);
  });

export const isShort = ({ summary }: DeskRow): boolean =>
  ofRead(summary, ({ run }) => run.shortfall !== null && run.shortfall !== '0') === true;

export const pendingRequests = ({ summary }: DeskRow): number | null =>
  ofRead(summary, ({ redemptions }) => redemptions.pending);

/** Age of the price in seconds at the time of the answer; null before the first. */
export function priceAge({ vault }: DeskRow): number | null {
  const { last_oracle_update_timestamp: reported, chain_time } = vault;
  return reported == null || chain_time === undefined ? null : (Date.parse(chain_time) - Date.parse(reported)) / 1_000;
}

export const firstProposal = ({ vault }: DeskRow) => vault.proposals?.[0];

/** What of a day's changes people look for first: somebody with another role, then other settings, then money. */
export const changesOfDay = ({ summary }: DeskRow): number | null =>
  ofRead(summary, ({ day }) => day.role_changes + day.setting_changes);

export const monthReturn = ({ summary }: DeskRow): number | null =>
  ofRead(summary, ({ returns_30d }) => returns_30d.at(-1) ?? null);
