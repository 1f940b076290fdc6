import type { Vault } from '../../data/queries.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { sameAddress, shortHex } from '../../format/address.ts';
import { formatBpsShare, formatCount, formatShare, formatSignedShare, formatUsd, NONE } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { sourceName } from '../allocation-over-time.tsx';
import { assetsText } from '../money.ts';

/** What is read of one moment; undefined while it loads or could not be read. */
export type MomentReads = {
  overview: AnalyticsResult<'analyticsOverview'> | undefined;
  pps: AnalyticsResult<'analyticsPps'> | undefined;
  risk: AnalyticsResult<'analyticsRisk'> | undefined;
  state: AnalyticsResult<'analyticsState'> | undefined;
  allocation: AnalyticsResult<'analyticsAllocation'> | undefined;
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
  /** For the change, as a fraction of the first. */
  size?: Pick2<number>;
};

const shown = <T>(value: T | null | undefined, show: (value: T) => string): string | undefined =>
  value === undefined ? undefined : value === null ? NONE : show(value);
const fraction = (value: number | null | undefined) => shown(value, formatShare);

const figures = (vault: Vault): Row[] => [
  {
    group: 'Figures',
    name: 'Total value',
    text: ({ overview }) => shown(overview?.tvl_usd, formatUsd),
    size: ({ overview }) => overview?.tvl_usd,
  },
  {
    group: 'Figures',
    name: 'Assets',
    text: ({ overview }) => shown(overview?.tvl_asset, (raw) => assetsText(vault, raw)),
  },
  {
    group: 'Figures',
    name: 'Price per share',
    text: ({ pps }) => (pps === undefined ? undefined : (pps.current?.pps_display ?? NONE)),
    size: ({ pps }) => (pps?.current == null ? undefined : Number(pps.current.pps_display)),
  },
  { group: 'Figures', name: 'Net APY, 7 days', text: ({ overview }) => fraction(overview?.apy.d7) },
  { group: 'Figures', name: 'Net APY, 30 days', text: ({ overview }) => fraction(overview?.apy.d30) },
  {
    group: 'Figures',
    name: 'Depositors',
    text: ({ overview }) => shown(overview?.depositors, formatCount),
    size: ({ overview }) => overview?.depositors,
  },
];

const risks: readonly Row[] = [
  {
    group: 'Risk',
    name: 'Risk score',
    text: ({ risk }) =>
      shown(risk?.score, (score) => `${formatCount(Math.round(score))}${risk?.level == null ? '' : `, ${risk.level}`}`),
  },
  { group: 'Risk', name: 'Worst fall in 30 days', text: ({ risk }) => fraction(risk?.max_drawdown_30d) },
  { group: 'Risk', name: 'Volatility, a year', text: ({ risk }) => fraction(risk?.volatility_annual) },
  { group: 'Risk', name: 'Largest holder', text: ({ risk }) => fraction(risk?.top_holder_share) },
  { group: 'Risk', name: 'Payable on demand', text: ({ risk }) => fraction(risk?.liquidity.instant_share) },
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

const settings: readonly Row[] = [
  {
    group: 'Settings',
    name: 'State',
    text: ({ state }) => (state === undefined ? undefined : state.is_paused ? 'Paused' : 'Not paused'),
  },
  { group: 'Settings', name: 'Performance fee', text: setting('performance_fee_bps', formatBpsShare, NONE) },
  { group: 'Settings', name: 'Entry fee', text: setting('entry_fee_bps', formatBpsShare, NONE) },
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
  { group: 'Settings', name: 'Deviation guard', text: setting('deviation_threshold_bps', formatBpsShare, 'Off') },
  { group: 'Settings', name: 'Root of the strategy', text: setting('hooks_root', shortHex, 'None in force') },
];

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
    };
  });
}

function changeOf({ size }: Row, [first, second]: readonly [MomentReads, MomentReads]): string | undefined {
  const before = size?.(first);
  const after = size?.(second);
  if (before == null || after == null || before === 0 || before === after) return undefined;
  return formatSignedShare((after - before) / before);
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
