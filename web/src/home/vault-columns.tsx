import { Link } from 'react-router';
import type { PublicVault } from '../data/queries.ts';
import { FreshnessPill, StatePill, stateOrder } from '../design/pill.tsx';
import type { TableColumn } from '../design/table.tsx';
import { compareDecimals, cutDecimals, formatAmount, formatExact } from '../format/amount.ts';
import { formatShare, formatUsd, formatUsdFull, NONE } from '../format/figures.ts';
import { vaultPath } from '../navigation/paths.ts';
import { runwayText, SOON_SECONDS, worstText } from '../vault/fees/runway.ts';
import { PriceCourse } from './price-course.tsx';

const byText = (pick: (vault: PublicVault) => string) => ({
  compare: (left: PublicVault, right: PublicVault) => pick(left).localeCompare(pick(right)),
});
/** Where some have no number, they stand last. */
const byNumber = (pick: (vault: PublicVault) => number | null) => ({
  compare: (left: PublicVault, right: PublicVault) => (pick(left) ?? 0) - (pick(right) ?? 0),
  isMissing: (vault: PublicVault) => pick(vault) === null,
  largestFirst: true,
});

/** The cadence of the last 24 hours decides: a week is what a top-up takes. */
export function upkeepWords({ upkeep_info: upkeep }: Pick<PublicVault, 'upkeep_info'>): {
  word: string;
  isShort: boolean;
  /** What is left at the fastest cadence, where that is less. */
  worst?: string | undefined;
} {
  if (!upkeep.enabled) return { word: 'Not charged', isShort: false };
  if (upkeep.threshold.shortfall !== '0') return { word: 'Too low', isShort: true };
  const { runway_seconds: runway, runway_worst_case_seconds: worst } = upkeep;
  // Without an update in the last 24 hours it is not known how long the balance lasts; where updates cost nothing it does not end.
  if (runway === null)
    return { word: upkeep.threshold.required_balance === '0' ? 'Covered' : 'Not known', isShort: false };
  return { word: `${runwayText(runway)} left`, isShort: runway < SOON_SECONDS, worst: worstText(runway, worst) };
}

function Tvl({ vault }: { vault: PublicVault }) {
  const amount = `${formatAmount(vault.total_assets, vault.underlying_asset_decimals)} ${vault.underlying_asset_symbol}`;
  const exact = `${formatExact(vault.total_assets, vault.underlying_asset_decimals)} ${vault.underlying_asset_symbol}`;
  return (
    <>
      {vault.tvl_usd === null ? (
        <span className="block font-medium" title="The asset has no dollar price at this block">
          {NONE} <span className="text-12 font-normal text-muted">no price</span>
        </span>
      ) : (
        <span className="block font-medium" title={formatUsdFull(vault.tvl_usd)}>
          {formatUsd(vault.tvl_usd)}
        </span>
      )}
      <span className="block whitespace-nowrap text-12 text-muted" title={exact}>
        {amount}
      </span>
    </>
  );
}

/** Realised after fees over the last 7 days; a loss is shown as one. */
function Apy({ apy }: { apy: number | null }) {
  if (apy === null) {
    return (
      <span title="Less than half of 7 days of history">
        {NONE} <span className="block text-12 text-muted">too young</span>
      </span>
    );
  }
  return (
    <>
      <span className={apy < 0 ? 'block font-medium text-danger' : 'block font-medium'}>{formatShare(apy)}</span>
      <span className="block text-12 text-muted">7 days</span>
    </>
  );
}

type Column = TableColumn<PublicVault>;
type ChainName = (vault: PublicVault) => string;

const nameColumn = (chainName: ChainName): Column => ({
  id: 'name',
  header: 'Vault',
  sort: byText((vault) => vault.name),
  cell: (vault) => (
    <>
      <Link
        to={vaultPath(vault.chain_slug, vault.vault_address)}
        className="font-medium after:absolute after:inset-0 hover:text-accent"
      >
        {vault.name}
      </Link>
      <span className="block text-12 text-muted">
        {vault.symbol}
        <span className="hidden sm:inline"> · {vault.underlying_asset_symbol}</span>
        <span className="md:hidden"> · {chainName(vault)}</span>
      </span>
    </>
  ),
});

const chainColumn = (chainName: ChainName): Column => ({
  id: 'chain',
  header: 'Chain',
  sort: byText(chainName),
  cell: (vault) => chainName(vault),
  meta: { className: 'hidden md:table-cell' },
});

const tvlColumn: Column = {
  id: 'tvl',
  header: 'TVL',
  sort: byNumber((vault) => vault.tvl_usd),
  cell: (vault) => <Tvl vault={vault} />,
  meta: { align: 'right' },
};

const apyColumn: Column = {
  id: 'apy',
  header: 'APY',
  sort: byNumber((vault) => vault.apy),
  cell: (vault) => <Apy apy={vault.apy} />,
  meta: { align: 'right' },
};

const courseColumn: Column = {
  id: 'course',
  header: 'Price, 30 days',
  cell: (vault) => <PriceCourse vault={vault} />,
  meta: { className: 'hidden xl:table-cell' },
};

const ppsColumn: Column = {
  id: 'pps',
  header: 'Price per share',
  sort: {
    compare: (left, right) => compareDecimals(left.current_pps_display, right.current_pps_display),
  },
  cell: (vault) => (
    <>
      <span className="block" title={vault.current_pps_display}>
        {cutDecimals(vault.current_pps_display, 6)}
      </span>
      <span className="block text-12 text-muted">{vault.underlying_asset_symbol}</span>
    </>
  ),
  meta: { align: 'right', className: 'hidden lg:table-cell' },
};

const urgency = (vault: PublicVault): number => stateOrder.indexOf(vault.operational_state);

const stateColumn: Column = {
  id: 'state',
  header: 'State',
  sort: byNumber(urgency),
  cell: (vault) => (
    <span className="flex flex-wrap gap-1">
      <StatePill state={vault.operational_state} />
      <span className="hidden sm:inline">
        <FreshnessPill status={vault.pps_status} />
      </span>
    </span>
  ),
  // The last one that a phone shows.
  meta: { className: 'max-sm:pr-4' },
};

/** In the order of its words: what cannot pay for a price has no time left; what is not charged has no end to it. */
const runwayOf = ({ upkeep_info: upkeep }: PublicVault): number | null => {
  if (!upkeep.enabled) return null;
  return upkeep.threshold.shortfall === '0' ? upkeep.runway_seconds : 0;
};

const upkeepColumn: Column = {
  id: 'upkeep',
  header: 'Upkeep',
  // The first press puts on top what has to be paid in soonest.
  sort: { ...byNumber(runwayOf), largestFirst: false },
  cell: (vault) => <UpkeepCell vault={vault} />,
  meta: { align: 'right', className: 'hidden lg:table-cell' },
};

export const vaultColumns = (chainName: ChainName): Column[] => [
  nameColumn(chainName),
  chainColumn(chainName),
  tvlColumn,
  apyColumn,
  ppsColumn,
  courseColumn,
  stateColumn,
  upkeepColumn,
];

function UpkeepCell({ vault }: { vault: PublicVault }) {
  const { upkeep_info: upkeep } = vault;
  const { word, isShort, worst } = upkeepWords(vault);
  return (
    <>
      <span className="block whitespace-nowrap">
        {upkeep.decimals === null ? NONE : `${formatAmount(upkeep.balance, upkeep.decimals)} ${upkeep.symbol ?? ''}`}
      </span>
      <span className={isShort ? 'block text-12 text-brass' : 'block text-12 text-muted'}>
        {word}
        {worst === undefined ? null : <span className="block whitespace-nowrap">{worst}</span>}
      </span>
    </>
  );
}
