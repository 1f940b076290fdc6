import {
  Address,
  ChainId,
  GetDrawdown,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetRisk,
  GetUsers,
  IsoTime,
  isWithinBinding,
  ListFees,
  ListMyVaults,
  ListTimeline,
  ListTransmissions,
  periods,
  type ResultOf,
  RunSimulation,
  UintString,
  type VaultDetail,
} from '@castellan/contracts';
import { z } from 'zod';
import { identifiersOf, type Units } from '../context/extract.ts';
import { untrustedOf } from '../context/read-context.ts';
import type { Rights } from '../context/rights.ts';
import type { ContextFigure } from '../domain/figure.ts';
import { askedVault, found, mostRows } from './found.ts';
import type { Tool, ToolResult } from './tool.ts';

/** The vault a tool is about. */
export const vaultParams = {
  chain_id: ChainId.describe('Chain id, e.g. 1'),
  vault_address: Address.describe('Address of the vault, 0x and 40 hexadecimal digits'),
};
const period = { period: z.enum(periods).optional().describe('A period that ends now; the last 30 days without one') };

/** A tool whose arguments are known to its own code; the registry knows them as any tool's. */
export const tool = <S extends z.ZodObject>(one: Tool<S>): Tool => one as unknown as Tool;

type Vault = { chain_id: number; vault_address: string };
const vaultOf = ({ chain_id, vault_address }: Vault): Vault => ({ chain_id, vault_address });
/** Optional arguments that were given. */
const given = <T extends object>(args: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as never;

const noTokens: Units = { asset: null, shares: null, upkeep: null, native: null, ppsDecimals: 0 };

const stateOf = ({ operational_state, pps_status, is_paused, pause, allocation, ...detail }: VaultDetail) => ({
  operational_state,
  pps_status,
  is_paused,
  my_role: detail.my_role,
  pause_since: pause?.since ?? null,
  can_skim: detail.pending_performance_fee.can_skim,
  skim_blocked_by: detail.pending_performance_fee.reason,
  sources: allocation.slice(0, mostRows).map(({ source_address, kind, is_active }, index) => ({
    index,
    source_address,
    kind,
    is_active,
  })),
});

const getVaultTool = tool({
  name: 'get_vault',
  kind: 'read',
  description:
    'State of a vault: price and its freshness, assets, allocation by source, fees, upkeep, pause, managers.',
  params: z.strictObject(vaultParams),
  run: async (args, rights) => {
    const { detail, units } = await askedVault(rights, args);
    const shown = { ...detail, allocation: detail.allocation.slice(0, mostRows) };
    return found(units, [{ read: 'vault', answer: shown, facts: stateOf(detail) }], { untrusted: untrustedOf(detail) });
  },
});

const getOverviewTool = tool({
  name: 'get_overview',
  kind: 'read',
  description: 'Headline figures: APY, TVL and how it changed (flow, yield, price), net flow, depositors.',
  params: z.strictObject(vaultParams),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    return found(units, [{ read: 'overview', answer: await callAction(GetOverview, vaultOf(args), { caller }) }]);
  },
});

const getPerformanceTool = tool({
  name: 'get_performance',
  kind: 'read',
  description: 'Returns: APY before and after fees per window, time-weighted return, benchmark, drawdown, TVL changes.',
  params: z.strictObject({ ...vaultParams, ...period }),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const answer = await callAction(
      GetPerformance,
      { ...vaultOf(args), ...given({ period: args.period }) },
      { caller },
    );
    return found(units, [{ read: 'performance', answer, facts: { period: answer.period } }]);
  },
});

const getRiskTool = tool({
  name: 'get_risk',
  kind: 'read',
  description: 'Risk score and what it is made of, concentration, volatility, liquidity, and the episodes of drawdown.',
  params: z.strictObject({ ...vaultParams, ...period }),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const [risk, drawdown] = await Promise.all([
      callAction(GetRisk, vaultOf(args), { caller }),
      callAction(GetDrawdown, { ...vaultOf(args), points: 2, period: args.period ?? '90d' }, { caller }),
    ]);
    const { level, top_contributors, sharpe_note, floors, unknown_floors, concentration } = risk;
    const facts = { level, top_contributors, sharpe_note, floors: floors.map(({ reason }) => reason), unknown_floors };
    return found(units, [
      { read: 'risk', answer: risk, facts: { ...facts, concentration: concentration.band } },
      { read: 'risk/drawdown', answer: { ...drawdown, episodes: drawdown.episodes.slice(0, mostRows) } },
    ]);
  },
});

const getUsersTool = tool({
  name: 'get_users',
  kind: 'read',
  description: 'Holders: how many, who came, came back and left, retention, and the size of deposits.',
  params: z.strictObject(vaultParams),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    return found(units, [{ read: 'users', answer: await callAction(GetUsers, vaultOf(args), { caller }) }]);
  },
});

const getOperationsTool = tool({
  name: 'get_operations',
  kind: 'read',
  description: 'Work of a period: deposits, withdrawals, redemptions and their wait, gas, slippage, upkeep.',
  params: z.strictObject({ ...vaultParams, ...period }),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const answer = await callAction(GetOperations, { ...vaultOf(args), ...given({ period: args.period }) }, { caller });
    return found(units, [{ read: 'operations', answer, facts: { period: answer.period } }]);
  },
});

const getFeesTool = tool({
  name: 'get_fees',
  kind: 'read',
  description: 'Fees taken so far, the pending fee, the high-water mark, and the latest entries of the fee ledger.',
  params: z.strictObject(vaultParams),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const answer = await callAction(ListFees, { ...vaultOf(args), limit: mostRows, period: 'all' }, { caller });
    const entries = answer.fees.map(({ kind, tx_hash, actor }) => ({ kind, tx_hash, actor }));
    return found(units, [{ read: 'fees', answer, facts: { entries } }]);
  },
});

const getPpsTool = tool({
  name: 'get_pps',
  kind: 'read',
  description: 'Price per share: accepted, calculated, after fees, high-water mark, expiry, cadence of reports, marks.',
  params: z.strictObject({ ...vaultParams, ...period }),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const asked = { ...vaultOf(args), points: 2, ...given({ period: args.period }) };
    const answer = await callAction(GetPps, asked, { caller });
    const marks = answer.markers.slice(-mostRows).map(({ kind, tx_hash }) => ({ kind, tx_hash }));
    return found(units, [{ read: 'pps', answer, facts: { marks } }]);
  },
});

const getValidatorsTool = tool({
  name: 'get_validators_and_transmissions',
  kind: 'read',
  description: 'Why the next price is late or failed: the reason the validators give, and the latest transmissions.',
  params: z.strictObject(vaultParams),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const answer = await callAction(ListTransmissions, { ...vaultOf(args), limit: mostRows }, { caller });
    const latest = answer.transmissions.map(({ status, reason, tx_hash }) => ({ status, reason, tx_hash }));
    const facts = { late_reason: answer.next.reason, some_nodes_silent: answer.next.silent_nodes.length > 0, latest };
    return found(units, [{ read: 'transmissions', answer, facts }]);
  },
});

/** What the titles of events are called among the untrusted texts: one for each event, in the order of the events. */
export const titleOfEvent = 'title of an event';

/** The number of the validator that an alert is about: its title says it. */
function validatorOf({ details }: ResultOf<typeof ListTimeline>['items'][number], index: number): ContextFigure[] {
  const [, number] = /^node:(\d{1,6})$/.exec(String(details.subject)) ?? [];
  if (number === undefined) return [];
  const path = `timeline.items.${index}.details.subject`;
  const figure = { path, label: 'number of the validator', unit: 'count', value: Number(number) } as const;
  return [{ ...figure, direction: 'magnitude', symbol: null, decimals: null }];
}

const getTimelineTool = tool({
  name: 'get_timeline',
  kind: 'read',
  description: 'What happened to a vault lately: calls, roles, settings, prices, fees, upkeep, sources. Newest first.',
  params: z.strictObject(vaultParams),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const answer = await callAction(ListTimeline, { ...vaultOf(args), limit: mostRows }, { caller });
    const items = answer.items.map(({ category, action_type, tx_hash }) => ({ category, action_type, tx_hash }));
    const untrusted = answer.items.flatMap(({ title, actor }) => [
      { what: titleOfEvent, text: title },
      ...(actor?.display_name ? [{ what: 'name of an actor', text: actor.display_name }] : []),
    ]);
    return found(units, [{ read: 'timeline', answer, facts: { items } }], {
      untrusted,
      figures: answer.items.flatMap(validatorOf),
      identifiers: answer.items.flatMap(({ details }) => identifiersOf(String(details.subject).replace('wallet:', ''))),
    });
  },
});

const simulateRunTool = tool({
  name: 'simulate_run',
  kind: 'read',
  description: 'The largest holders ask for everything at once: what is paid at once, by when, and what is not.',
  params: z.strictObject({
    ...vaultParams,
    top_holders: z.int().min(1).max(1000).default(3).describe('How many of the largest holders'),
    hours: z.int().min(1).max(720).default(24).describe('Within how many hours'),
    venue_shock: z.number().min(0).max(1).default(0).describe('Part of the sources that is shut, 0 to 1'),
  }),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const answer = await callAction(RunSimulation, args, { caller });
    const shown = { ...answer, paid_by: answer.paid_by.slice(0, mostRows), waiting: [] };
    return found(units, [{ read: 'risk/run', answer: shown }]);
  },
});

const whatIfPriceTool = tool({
  name: 'what_if_price',
  kind: 'read',
  description: 'What the chain would do if a price were reported now: accept, refuse or pause, and the fee it allows.',
  params: z.strictObject({
    ...vaultParams,
    pps: UintString.max(78).optional().describe('Raw price per share; the calculated one without it'),
  }),
  run: async (args, { caller, callAction }) => {
    const { units } = await askedVault({ caller, callAction }, args);
    const answer = await callAction(GetPpsWhatIf, { ...vaultOf(args), ...given({ pps: args.pps }) }, { caller });
    const tripped = answer.guards.filter((guard) => guard.tripped).map(({ name }) => name);
    const facts = { accepted: answer.accepted, would_pause: answer.would_pause, guards_tripped: tripped };
    return found(units, [{ read: 'pps/what-if', answer, facts }]);
  },
});

const Window = z.strictObject({ from: IsoTime, to: IsoTime });
/** Figures that belong to the window asked about, and not to the moment it ends. */
const windowFields = ['twr', 'apr', 'excess_return', 'time_in_loss', 'from', 'to'] as const;

async function windowOf(rights: Rights, vault: Vault, { from, to }: z.output<typeof Window>, name: string) {
  const { caller, callAction } = rights;
  const asked = { ...vault, from, to };
  const [performance, operations] = await Promise.all([
    callAction(GetPerformance, asked, { caller }),
    callAction(GetOperations, asked, { caller }),
  ]);
  const { deposits, withdrawals, net_flow, net_flow_usd } = operations;
  const ofWindow = Object.fromEntries(windowFields.map((field) => [field, performance[field]]));
  return [
    { read: 'performance', answer: ofWindow, as: name },
    { read: 'operations', answer: { deposits, withdrawals, net_flow, net_flow_usd }, as: name },
  ] as const;
}

const comparePeriodsTool = tool({
  name: 'compare_periods',
  kind: 'read',
  description: 'Returns and flows of two windows of time side by side.',
  params: z.strictObject({ ...vaultParams, first: Window, second: Window }),
  run: async (args, rights): Promise<ToolResult> => {
    const { units } = await askedVault(rights, args);
    const windows = await Promise.all([
      windowOf(rights, vaultOf(args), args.first, 'first window'),
      windowOf(rights, vaultOf(args), args.second, 'second window'),
    ]);
    return found(units, windows.flat());
  },
});

const listMyVaultsTool = tool({
  name: 'list_my_vaults',
  kind: 'read',
  description: 'The vaults where the caller has a role, with TVL and APY.',
  params: z.strictObject({}),
  run: async (_args, { caller, callAction }) => {
    const answer = await callAction(ListMyVaults, { limit: mostRows }, { caller });
    const vaults = answer.vaults.filter(({ chain_id, vault_address }) =>
      isWithinBinding(caller, { chain_id, vault_address }),
    );
    const facts = vaults.map(({ chain_id, vault_address, my_role, operational_state }) => ({
      chain_id,
      vault_address,
      my_role,
      operational_state,
    }));
    const untrusted = vaults.map(({ name }) => ({ what: 'name of a vault', text: name }));
    return found(noTokens, [{ read: 'vaults', answer: { vaults, total: vaults.length }, facts: { vaults: facts } }], {
      untrusted,
    });
  },
});

export const readTools: readonly Tool[] = [
  getVaultTool,
  getOverviewTool,
  getPerformanceTool,
  getRiskTool,
  getUsersTool,
  getOperationsTool,
  getFeesTool,
  getPpsTool,
  getValidatorsTool,
  getTimelineTool,
  simulateRunTool,
  whatIfPriceTool,
  comparePeriodsTool,
  listMyVaultsTool,
];
