import type { Api } from '../../client/api.ts';
import type { Vault } from '../../data/queries.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { sameAddress, shortHex } from '../../format/address.ts';
import {
  formatBpsShare,
  formatCount,
  formatShare,
  formatSignedCount,
  formatSignedPoints,
  formatSignedShare,
  formatUsd,
  NONE,
} from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { sourceName } from '../allocation-over-time.tsx';
import { runwayText } from '../fees/runway.ts';
import { assetsText, upkeepText } from '../money.ts';

type Mandate = Awaited<ReturnType<Api['mandate']>>;

/** What is read of one moment; undefined while it loads or could not be read. */
export type MomentReads = {
  overview: AnalyticsResult<'analyticsOverview'> | undefined;
  pps: AnalyticsResult<'analyticsPps'> | undefined;
  risk: AnalyticsResult<'analyticsRisk'> | undefined;
  state: AnalyticsResult<'analyticsState'> | undefined;
  allocation: AnalyticsResult<'analyticsAllocation'> | undefined;
  operations: AnalyticsResult<'analyticsOperations'> | undefined;
  /** Which mandate was in force, in words; undefined where there is none that the reader may see. */
  mandate: string | undefined;
};

export const comparedGroups = ['Figures', 'Risk', 'Settings', 'Roles', 'Allocation'] as const;
export type ComparedRow = {
  group: (typeof comparedGroups)[number];
  name: string;
  values: readonly [string, string];
  /** How far the second is from the first, where that is a number. */
  change: string | undefined;
  differs: boolean;
};

type Pick2<T> = (reads: MomentReads) => T | null | undefined;
type Row = Omit<ComparedRow, 'values' | 'change' | 'differs'> & {
  text: (reads: MomentReads) => string | undefined;
  /** What changes, and how the change is written. */
  change?: { of: Pick2<number>; by: (before: number, after: number) => string | undefined };
};

const relative = (before: number, after: number) =>
  before === 0 ? undefined : formatSignedShare((after - before) / before);
const inPoints = (before: number, after: number) => formatSignedPoints(after - before);
const counted = (before: number, after: number) => {
  const change = Math.round(after) - Math.round(before);
  return change === 0 ? undefined : formatSignedCount(change);
};

const shown = <T>(value: T | null | undefined, show: (value: T) => string): string | undefined =>
  value === undefined ? undefined : value === null ? NONE : show(value);
/** A fraction, whose change is in percentage points. */
const fraction = (group: Row['group'], name: string, of: Pick2<number>): Row => ({
  group,
  name,
  text: (reads) => shown(of(reads), formatShare),
  change: { of, by: inPoints },
});

/** How large an amount is, for its change alone. */
const sizeOf = (decimal: string | null | undefined) => (decimal == null ? undefined : Number(decimal));

const figures = (vault: Vault): Row[] => [
  {
    group: 'Figures',
    name: 'Total value',
    text: ({ overview }) => shown(overview?.tvl_usd, formatUsd),
    change: { of: ({ overview }) => overview?.tvl_usd, by: relative },
  },
  {
    group: 'Figures',
    name: 'Assets',
    text: ({ overview }) => shown(overview?.tvl_asset, (raw) => assetsText(vault, raw)),
    change: { of: ({ overview }) => sizeOf(overview?.tvl_asset), by: relative },
  },
  {
    group: 'Figures',
    name: 'Price per share',
    text: ({ pps }) => (pps === undefined ? undefined : (pps.current?.pps_display ?? NONE)),
    change: { of: ({ pps }) => sizeOf(pps?.current?.pps_display), by: relative },
  },
  fraction('Figures', 'Net APY, 7 days', ({ overview }) => overview?.apy.d7),
  fraction('Figures', 'Net APY, 30 days', ({ overview }) => overview?.apy.d30),
  {
    group: 'Figures',
    name: 'Depositors',
    text: ({ overview }) => shown(overview?.depositors, formatCount),
    change: { of: ({ overview }) => overview?.depositors, by: relative },
  },
  ...(vault.upkeep_info.enabled ? upkeep(vault) : []),
];

const upkeep = (vault: Vault): Row[] => [
  {
    group: 'Figures',
    name: 'Upkeep balance',
    text: ({ operations }) => shown(operations?.upkeep.balance, (raw) => upkeepText(vault, raw)),
    change: { of: ({ operations }) => sizeOf(operations?.upkeep.balance), by: relative },
  },
  {
    group: 'Figures',
    name: 'Upkeep lasts',
    text: ({ operations }) => shown(operations?.upkeep.runway_seconds, runwayText),
  },
];

const risks: readonly Row[] = [
  {
    group: 'Risk',
    name: 'Risk score',
    text: ({ risk }) =>
      shown(risk?.score, (score) => `${formatCount(Math.round(score))}${risk?.level == null ? '' : `, ${risk.level}`}`),
    change: { of: ({ risk }) => risk?.score, by: counted },
  },
  fraction('Risk', 'Worst fall in 30 days', ({ risk }) => risk?.max_drawdown_30d),
  fraction('Risk', 'Volatility, a year', ({ risk }) => risk?.volatility_annual),
  fraction('Risk', 'Largest holder', ({ risk }) => risk?.top_holder_share),
  fraction('Risk', 'Payable on demand', ({ risk }) => risk?.liquidity.instant_share),
];

type State = NonNullable<MomentReads['state']>;

/** A setting that is null is either off or not known; the answer says which. */
const setting =
  <T>(path: keyof State['settings'], show: (value: T) => string, off: string) =>
  ({ state }: MomentReads): string | undefined => {
    if (state === undefined) return undefined;
    const value = state.settings[path] as T | null;
    if (value !== null) return show(value);
    return `settings.${path}` in state.quality ? 'Not known' : off;
  };

type Share = 'performance_fee_bps' | 'entry_fee_bps' | 'deviation_threshold_bps';

/** A setting in hundredths of a percent. */
const share = (name: string, path: Share, off: string): Row => ({
  group: 'Settings',
  name,
  text: setting(path, formatBpsShare, off),
  change: {
    of: ({ state }) => {
      const bps = state?.settings[path];
      return bps == null ? undefined : bps / 10_000;
    },
    by: inPoints,
  },
});

const settings: readonly Row[] = [
  {
    group: 'Settings',
    name: 'State',
    text: ({ state }) => (state === undefined ? undefined : state.is_paused ? 'Paused' : 'Not paused'),
  },
  share('Performance fee', 'performance_fee_bps', NONE),
  // What the contract calls the management fee: there is no yearly one.
  share('Entry fee', 'entry_fee_bps', NONE),
  { group: 'Settings', name: 'Fee recipient', text: setting('fee_recipient', shortHex, NONE) },
  {
    group: 'Settings',
    name: 'Time between price updates',
    text: setting('min_update_interval_seconds', formatDuration, NONE),
  },
  {
    group: 'Settings',
    name: 'Age of a report when it comes',
    text: setting('max_staleness_seconds', formatDuration, NONE),
  },
  { group: 'Settings', name: 'A price can be used for', text: setting('expiration_seconds', formatDuration, NONE) },
  share('Deviation guard', 'deviation_threshold_bps', 'Off'),
  { group: 'Settings', name: 'Root of the strategy', text: setting('hooks_root', shortHex, 'None in force') },
  { group: 'Settings', name: 'Mandate', text: ({ mandate }) => mandate },
];

/** Which mandate was in force at a moment (`now` for the present), as far as the one of now says it. */
export function mandateWords({ in_force: known }: Mandate, moment: string): string | undefined {
  if (known === null) return undefined;
  const { version, document, in_force_from: since } = known;
  const isSince = moment === 'now' || since === null || Date.parse(moment) >= Date.parse(since);
  if (isSince) return `Version ${version}, ${document.title}`;
  return version === 1 ? 'None in force' : 'An earlier version, or none';
}

/** Under the name that the vault knows the wallet by now, where it has one. */
const person = ({ managers }: Vault, address: string): string => {
  const known = [managers.primary, ...managers.secondary].find((each) => sameAddress(each.wallet_address, address));
  return known?.display_name ?? shortHex(address);
};

const roles = (vault: Vault): Row[] => [
  {
    group: 'Roles',
    name: 'Primary manager',
    text: ({ state }) =>
      state === undefined
        ? undefined
        : state.roles.primary_manager === null
          ? 'Not known'
          : person(vault, state.roles.primary_manager),
  },
  {
    group: 'Roles',
    name: 'Secondary managers',
    text: ({ state }) => {
      if (state === undefined) return undefined;
      const { secondary_managers: managers } = state.roles;
      if (managers === null) return 'Not known';
      return managers.length === 0 ? 'None' : managers.map((each) => person(vault, each)).join(', ');
    },
  },
];

/** Sources that one of the two moments has, the largest of the second first. */
function allocations(vault: Vault, [first, second]: readonly [MomentReads, MomentReads]): Row[] {
  const last = ({ allocation }: MomentReads) => allocation?.points.at(-1)?.sources ?? [];
  const kinds = new Map(
    [first, second]
      .flatMap(({ allocation }) => allocation?.sources ?? [])
      .map(({ source_address, kind }) => [source_address, kind]),
  );
  const addresses = [...new Set([...last(second), ...last(first)].map(({ source_address }) => source_address))];
  return addresses.map((address): Row => {
    const of = (reads: MomentReads) => last(reads).find(({ source_address }) => source_address === address);
    return {
      group: 'Allocation',
      name: sourceName(vault, address, kinds.get(address)),
      text: (reads) => {
        if (reads.allocation === undefined) return undefined;
        if (reads.allocation.points.length === 0) return 'Not observed';
        const source = of(reads);
        return source === undefined
          ? 'Not listed'
          : source.share === null
            ? `${NONE} not readable`
            : formatShare(source.share);
      },
      change: {
        of: (reads) => {
          if (reads.allocation === undefined || reads.allocation.points.length === 0) return undefined;
          const source = of(reads);
          return source === undefined ? 0 : source.share;
        },
        by: inPoints,
      },
    };
  });
}

function changeOf({ change }: Row, [first, second]: readonly [MomentReads, MomentReads]): string | undefined {
  const before = change?.of(first);
  const after = change?.of(second);
  return before == null || after == null || before === after ? undefined : change?.by(before, after);
}

/** All that two moments are compared by. A value that is not there yet is `undefined` words: the row says that it loads. */
export function comparedRows(vault: Vault, reads: readonly [MomentReads, MomentReads]): ComparedRow[] {
  const rows = [...figures(vault), ...risks, ...settings, ...roles(vault), ...allocations(vault, reads)];
  return rows.flatMap((row) => {
    const before = row.text(reads[0]);
    const after = row.text(reads[1]);
    if (before === undefined || after === undefined) return [];
    const { group, name } = row;
    return [{ group, name, values: [before, after], change: changeOf(row, reads), differs: before !== after }];
  });
}
