import {
  formulasVersion,
  GetOperations,
  GetPerformance,
  GetPps,
  GetRisk,
  GetTvlSeries,
  GetUsers,
  GetValueBridge,
  ListFees,
  ListTopHolders,
  type VaultReport,
} from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import type { Answers } from './domain/sections.ts';

type Vault = { chain_id: number; vault_address: string };
/** The moment that is asked about: a time, or a block of the chain. */
export type Moment = { at: string } | { block: number };
/** The month; without `to` it ends with the moment. */
export type Span = { from: string; to?: string };

/** How many points a chart has, which is also how finely incidents of a kind are kept apart. */
const ppsPoints = 500;
const tvlPoints = 120;

/** What is asked beside the moment, and where: the addresses and commands of the receipts are made of the same. */
const readsOf = (span: Span) =>
  ({
    performance: { path: 'performance', query: span },
    bridge: { path: 'performance/bridge', query: span },
    tvl: { path: 'performance/tvl', query: { ...span, points: tvlPoints } },
    pps: { path: 'pps', query: { ...span, points: ppsPoints } },
    risk: { path: 'risk', query: {} },
    fees: { path: 'fees', query: { ...span, limit: 100 } },
    users: { path: 'users', query: {} },
    top: { path: 'users/top', query: { limit: 10 } },
    operations: { path: 'operations', query: span },
  }) as const satisfies Record<keyof Answers, { path: string; query: object }>;

const searchOf = (query: object): string =>
  new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString();

/** Where each question is asked again, with receipts, and the command that checks its answer. */
export function questionsOf({ chain_id, vault_address }: Vault, moment: Moment, span: Span): VaultReport['reads'] {
  const base = `/api/v1/vaults/${chain_id}/${vault_address}/analytics`;
  const when = 'at' in moment ? `--at ${moment.at}` : `--block ${moment.block}`;
  return Object.entries(readsOf(span)).map(([id, { path, query }]) => {
    const own = searchOf(query);
    const command = `castellan verify receipt --chain ${chain_id} --vault ${vault_address} ${when} --read ${path}`;
    return {
      id,
      address: `${base}/${path}?${searchOf({ ...moment, ...query, v: formulasVersion, receipt: true })}`,
      verify: `${command}${own === '' ? '' : ` --query "${own}"`} --all`,
    };
  });
}

/** All that analytics answers for a report, of one moment. */
export async function askAnalytics(
  callAction: CallAction,
  { chain_id, vault_address }: Vault,
  moment: Moment,
  span: Span,
): Promise<Answers> {
  const asked = { chain_id, vault_address, ...moment };
  const { performance, bridge, tvl, pps, risk, fees, users, top, operations } = readsOf(span);
  const [a, b, c, d, e, f, g, h, i] = await Promise.all([
    callAction(GetPerformance, { ...asked, ...performance.query }),
    callAction(GetValueBridge, { ...asked, ...bridge.query }),
    callAction(GetTvlSeries, { ...asked, ...tvl.query }),
    callAction(GetPps, { ...asked, ...pps.query }),
    callAction(GetRisk, { ...asked, ...risk.query }),
    callAction(ListFees, { ...asked, ...fees.query }),
    callAction(GetUsers, { ...asked, ...users.query }),
    callAction(ListTopHolders, { ...asked, ...top.query }),
    callAction(GetOperations, { ...asked, ...operations.query }),
  ]);
  return { performance: a, bridge: b, tvl: c, pps: d, risk: e, fees: f, users: g, top: h, operations: i };
}
