import type { VaultSection } from '@castellan/contracts';
import { clsx } from 'clsx';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Sparkline } from '../charts/sparkline.tsx';
import { StatePill } from '../design/pill.tsx';
import { formatAmount } from '../format/amount.ts';
import {
  formatCount,
  formatCounted,
  formatShare,
  formatSignedShare,
  formatUsd,
  formatUsdFull,
  formatWholeShare,
  NONE,
} from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import { upkeepWords } from '../home/vault-columns.tsx';
import { useChainNow } from '../live/chain-clock.ts';
import { alertsPathOf, auditPath, operatePath, sectionPath } from '../navigation/paths.ts';
import { type DeskRow, firstProposal, isShort, monthReturn, type NotRead, paidAtOnce } from './rows.ts';

type Tone = 'plain' | 'watch' | 'bad' | 'quiet';
const tones: Readonly<Record<Tone, string>> = {
  plain: '',
  watch: 'text-brass',
  bad: 'text-danger',
  quiet: 'text-muted',
};

type FigureProps = {
  children: ReactNode;
  below?: ReactNode;
  tone?: Tone;
  belowTone?: Tone;
  title?: string | undefined;
};

/** A figure over a line about it. */
const Lines = ({ children, below, tone = 'plain', belowTone = 'quiet', title }: FigureProps) => (
  <>
    <span title={title} className={clsx('block whitespace-nowrap font-medium', tones[tone])}>
      {children}
    </span>
    {below === undefined ? null : (
      <span className={clsx('block whitespace-nowrap text-12', tones[belowTone])}>{below}</span>
    )}
  </>
);

/** The line below a figure, in parts: it breaks between them where the column is narrow. */
const Parts = ({ of }: { of: readonly string[] }) => (
  <span className="whitespace-normal">
    {of.map((part, at) => (
      <Fragment key={part}>
        {at === 0 ? '' : ' · '}
        <span className="whitespace-nowrap">{part}</span>
      </Fragment>
    ))}
  </span>
);

/** A figure that leads to the section which proves it; it lies over the link of the row. */
function Proven({ row, section, ...lines }: FigureProps & { row: DeskRow; section: VaultSection }) {
  return (
    <Link
      to={sectionPath('operate', row.slug, row.vault.vault_address, section)}
      className="relative z-[1] inline-block hover:underline"
    >
      <Lines {...lines} />
    </Link>
  );
}

/** In the place of a figure whose read has not come. */
const Missing = ({ of }: { of: NotRead }) =>
  of === 'being read' ? (
    <span aria-hidden="true" className="skeleton inline-block h-5 w-14" />
  ) : (
    <span className="text-12 text-brass">not read</span>
  );

/** An amount of the vault's asset; base units of unknown decimals are no amount. */
const amountOf = (
  { vault: { underlying_asset_decimals: decimals, underlying_asset_symbol: symbol } }: DeskRow,
  raw: string,
) => (decimals === undefined ? NONE : `${formatAmount(raw, decimals)} ${symbol ?? ''}`);

export function NameCell({ row: { vault, slug, chainName } }: { row: DeskRow }) {
  const state = vault.operational_state;
  return (
    <span className="block min-w-18 sm:min-w-32">
      <Link
        to={operatePath(slug, vault.vault_address)}
        className="font-medium after:absolute after:inset-0 hover:text-accent"
      >
        {vault.name}
      </Link>
      <span className="block text-12 text-muted">{[vault.symbol, chainName].filter(Boolean).join(' · ')}</span>
      {state === undefined || state === 'live' ? null : <StatePill state={state} />}
    </span>
  );
}

export function ValueCell({ row }: { row: DeskRow }) {
  const { tvl_usd: usd, total_assets: assets } = row.vault;
  return (
    <Proven
      row={row}
      section="overview"
      title={usd == null ? 'The asset has no dollar price at this block' : formatUsdFull(usd)}
      below={assets === undefined ? undefined : amountOf(row, assets)}
    >
      {usd == null ? NONE : formatUsd(usd)}
    </Proven>
  );
}

export function ApyCell({ row }: { row: DeskRow }) {
  const { apy } = row.vault;
  if (apy == null) return <Lines title="Less than half of 7 days of history">{NONE}</Lines>;
  return (
    <Proven row={row} section="performance" tone={apy < 0 ? 'bad' : 'plain'}>
      {formatShare(apy)}
    </Proven>
  );
}

const freshness = { fresh: 'plain', ageing: 'watch', critical: 'bad', expired: 'bad' } as const;
const freshnessWords = { fresh: undefined, ageing: 'ageing', critical: 'nearly expired', expired: 'expired' } as const;

export function PriceAgeCell({ row }: { row: DeskRow }) {
  const { chain_time: time, last_oracle_update_timestamp: reported, pps_status: status = 'fresh' } = row.vault;
  if (time === undefined || reported == null) return <Lines tone="watch">No price yet</Lines>;
  return (
    <Proven
      row={row}
      section="pricing"
      tone={freshness[status]}
      below={freshnessWords[status]}
      belowTone={freshness[status]}
      title={formatUtc(reported)}
    >
      <Age since={reported} chainTime={time} />
    </Proven>
  );
}

const Age = ({ since, chainTime }: { since: string; chainTime: string }) =>
  formatDuration((useChainNow(chainTime) - Date.parse(since)) / 1_000);

export function LiquidityCell({ row }: { row: DeskRow }) {
  const { summary } = row;
  if (typeof summary === 'string') return <Missing of={summary} />;
  const { demand, shortfall } = summary.run;
  const paid = paidAtOnce(row);
  if (paid === null || shortfall === null) return <Lines title="Nothing has been observed yet">{NONE}</Lines>;
  const short = isShort(row);
  const title = `The 3 largest holders could ask for ${amountOf(row, demand)}; this share of it is paid at once`;
  return (
    <Proven
      row={row}
      section="risk"
      title={title}
      tone={short ? 'bad' : 'plain'}
      belowTone={short ? 'bad' : 'quiet'}
      below={short ? `${amountOf(row, shortfall)} short` : paid < 1 ? 'rest within 1 d' : 'all at once'}
    >
      {formatWholeShare(Math.floor(paid * 100) / 100)}
    </Proven>
  );
}

export function QueueCell({ row }: { row: DeskRow }) {
  const { summary } = row;
  if (typeof summary === 'string') return <Missing of={summary} />;
  const { pending, pending_assets: assets, oldest_seconds: oldest } = summary.redemptions;
  if (pending === 0) return <span className="text-muted">None</span>;
  const waits = oldest === null ? '' : `for up to ${formatDuration(oldest)}`;
  return (
    <Proven row={row} section="operations" below={waits} title={assets === null ? undefined : amountOf(row, assets)}>
      {assets === null ? formatCount(pending) : `${formatCount(pending)} · ${amountOf(row, assets)}`}
    </Proven>
  );
}

export function RunwayCell({ row }: { row: DeskRow }) {
  const { upkeep_info } = row.vault;
  if (upkeep_info === undefined) return <Lines>{NONE}</Lines>;
  const { word, isShort: isSoon, worst } = upkeepWords({ upkeep_info });
  return (
    <Proven row={row} section="fees" tone={isSoon ? 'watch' : 'plain'} below={worst}>
      {word}
    </Proven>
  );
}

const proposalWords = {
  primary_manager: 'New manager',
  fees: 'New fees',
  hooks_root: 'New hooks tree',
  upkeep_withdrawal: 'Upkeep out',
} as const;
const proposalSections = {
  primary_manager: 'managers',
  fees: 'fees',
  hooks_root: 'managers',
  upkeep_withdrawal: 'fees',
} as const;

export function ProposalsCell({ row }: { row: DeskRow }) {
  const first = firstProposal(row);
  const { proposals = [], chain_time: time } = row.vault;
  if (first === undefined || time === undefined) return <span className="text-muted">None</span>;
  const more = proposals.length > 1 ? ` +${formatCount(proposals.length - 1)}` : '';
  return (
    <Proven
      row={row}
      section={proposalSections[first.kind]}
      tone={first.kind === 'primary_manager' ? 'bad' : 'plain'}
      title={first.effective_at === null ? undefined : formatUtc(first.effective_at)}
      below={first.effective_at === null ? 'no time set' : <Until time={first.effective_at} chainTime={time} />}
    >
      {`${proposalWords[first.kind]}${more}`}
    </Proven>
  );
}

function Until({ time, chainTime }: { time: string; chainTime: string }) {
  const seconds = (Date.parse(time) - useChainNow(chainTime)) / 1_000;
  return seconds > 0 ? `in ${formatDuration(seconds)}` : 'may be executed';
}

export function AlertsCell({ row }: { row: DeskRow }) {
  const { alerts } = row;
  if (typeof alerts === 'string') return <Missing of={alerts} />;
  const { critical, warning, info, acknowledged = 0 } = alerts;
  const count = critical + warning + info;
  const isBroken = row.isPromiseBroken === true;
  const [first, ...below] = [
    ...(count > 0 ? [formatCount(count)] : []),
    ...(critical > 0 ? [`${formatCount(critical)} critical`] : []),
    ...(acknowledged > 0 ? [`${formatCount(acknowledged)} acknowledged`] : []),
    ...(isBroken ? ['promise broken'] : []),
  ];
  if (first === undefined) return <span className="text-muted">None</span>;
  const tone = critical > 0 ? 'bad' : 'watch';
  return (
    // What is acknowledged is not among the active ones.
    <Link
      to={alertsPathOf(row.vault, isBroken || acknowledged > 0 ? 'open' : undefined)}
      className="relative z-[1] inline-block hover:underline"
    >
      <Lines tone={tone} belowTone={tone} below={below.length === 0 ? undefined : <Parts of={below} />}>
        {first}
      </Lines>
    </Link>
  );
}

const DAY_MS = 86_400_000;

export function CourseCell({ row }: { row: DeskRow }) {
  const { summary } = row;
  if (typeof summary === 'string') return <Missing of={summary} />;
  const change = monthReturn(row);
  const end = Date.parse(summary.as_of);
  const points = summary.returns_30d.map((value, at, { length }) => [end - (length - 1 - at) * DAY_MS, value] as const);
  if (change === null) return <Lines title="Fewer than two prices so far">{NONE}</Lines>;
  return (
    <Link
      to={sectionPath('operate', row.slug, row.vault.vault_address, 'performance')}
      className="relative z-[1] ml-auto flex w-26 items-center gap-2 2xl:w-36"
    >
      <Sparkline points={points} label={`Price after fees over 30 days: ${formatSignedShare(change)}`} />
      <span aria-hidden="true" className={clsx('text-12', change < 0 ? 'text-danger' : 'text-muted')}>
        {formatSignedShare(change)}
      </span>
    </Link>
  );
}

export function DayCell({ row }: { row: DeskRow }) {
  const { summary } = row;
  if (typeof summary === 'string') return <Missing of={summary} />;
  const { tvl_change_usd: usd, tvl_change: assets, holders } = summary.day;
  const value = usd ?? assets;
  return (
    <Proven
      row={row}
      section="overview"
      title="Against 24 hours before"
      below={holders === 0 ? undefined : `${holders > 0 ? '+' : ''}${formatCounted(holders, 'holder')}`}
    >
      {value === null ? NONE : formatSignedShare(value)}
    </Proven>
  );
}

/** What somebody changed within the day, with the entries of the log that it was counted from. */
export function ChangesCell({ row }: { row: DeskRow }) {
  const { summary, slug, vault } = row;
  if (typeof summary === 'string') return <Missing of={summary} />;
  const { role_changes, setting_changes } = summary.day;
  if (role_changes + setting_changes === 0) return <span className="text-muted">None</span>;
  const kinds = [
    ...(role_changes === 0 ? [] : [formatCounted(role_changes, 'role change')]),
    ...(setting_changes === 0 ? [] : [formatCounted(setting_changes, 'setting')]),
  ];
  const dayBefore = new Date(Date.parse(summary.as_of) - DAY_MS).toISOString().slice(0, 10);
  // Who only views has the timeline, which begins with them.
  const from = vault.my_role === 'view_only' ? undefined : dayBefore;
  return (
    <Link to={auditPath(slug, vault.vault_address, from)} className="relative z-[1] inline-block hover:underline">
      <Lines tone="watch" title="Within the last 24 hours" below={<Parts of={kinds} />}>
        {formatCount(role_changes + setting_changes)}
      </Lines>
    </Link>
  );
}
