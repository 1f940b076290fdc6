import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { formatSignedUsd, formatUsd } from '../../format/figures.ts';
import type { MoneyUnit } from '../../period/use-view.ts';
import { sourceName } from '../allocation-over-time.tsx';
import { assetsSigned, assetsText, tokens } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';

export type ValueBridge = AnalyticsResult<'analyticsBridge'>;
type Vault = Pick<Shown['vault'], 'asset' | 'allocation'>;

export type BridgeStep = {
  id: string;
  label: string;
  /** Of the figure in the answer, for its receipt. */
  path: string;
  /** Null where it is not known. */
  text: string | null;
  kind: 'level' | 'gain' | 'loss';
  /** Between which values the bar of the step stands. */
  from: number;
  to: number;
};

type Leg = { assets?: string | null; usd: number | null };
type Part = { id: string; label: string; path: string; leg: Leg; isLevel?: boolean };

const isNothing = ({ assets, usd }: Leg): boolean => assets === '0' || (assets === null && usd === null);

/** What earned the yield; one part where no positions were observed. */
function earners({ yield: earned, yield_by: by }: ValueBridge, vault: Vault): Part[] {
  if (by.observed === null) return [{ id: 'yield', label: 'Yield', path: 'yield', leg: earned }];
  const sources = by.sources.map(({ source_address: address, kind, ...leg }, at): Part => {
    const name = kind === 'idle' ? 'Idle' : sourceName(vault, address, kind);
    return { id: address, label: name, path: `yield_by.sources.${at}`, leg };
  });
  const others: Part[] = [
    { id: 'lag', label: 'Price ahead of positions', path: 'yield_by.reporting_lag', leg: by.reporting_lag },
    { id: 'unobserved', label: 'Yield before observations', path: 'yield_by.not_observed', leg: by.not_observed },
  ];
  const isIdle = (at: number) => by.sources[at]?.kind === 'idle';
  const ordered = [...sources.filter((_, at) => !isIdle(at)), ...sources.filter((_, at) => isIdle(at))];
  return [...ordered, ...others.filter(({ leg }) => !isNothing(leg))];
}

/** The parts of the bridge from the first value to the last, in the order in which they stand. */
function partsOf(bridge: ValueBridge, vault: Vault, unit: MoneyUnit): Part[] {
  const { start, flow, fees, price, end, yield_by: by } = bridge;
  return [
    { id: 'start', label: 'At the start', path: 'start', leg: start, isLevel: true },
    { id: 'flow', label: 'Deposits less withdrawals', path: 'flow', leg: flow },
    ...earners(bridge, vault),
    ...(by.observed === null
      ? []
      : [{ id: 'residual', label: 'Residual', path: 'yield_by.residual', leg: by.residual }]),
    { id: 'fees', label: 'Performance fees taken', path: 'fees', leg: fees },
    ...(unit === 'usd' ? [{ id: 'price', label: 'Price of the asset', path: 'price', leg: price }] : []),
    { id: 'end', label: 'At the end', path: 'end', leg: end, isLevel: true },
  ];
}

function amountOf({ usd, assets }: Leg, unit: MoneyUnit, decimals: number): number | null {
  if (unit === 'usd') return usd;
  return assets == null ? null : tokens(assets, decimals);
}

function textOf({ leg, isLevel }: Part, unit: MoneyUnit, vault: Vault): string | null {
  if (unit === 'usd') return leg.usd === null ? null : (isLevel ? formatUsd : formatSignedUsd)(leg.usd);
  return leg.assets == null ? null : (isLevel ? assetsText : assetsSigned)(vault, leg.assets);
}

/** How the value at the start became the value at the end: each step stands on the one before. */
export function bridgeSteps(bridge: ValueBridge, vault: Vault, unit: MoneyUnit): BridgeStep[] {
  let reached = 0;
  return partsOf(bridge, vault, unit).map((part) => {
    const { id, label, path, leg, isLevel = false } = part;
    const value = amountOf(leg, unit, vault.asset.decimals) ?? 0;
    const before = isLevel ? 0 : reached;
    reached = before + value;
    return {
      id,
      label,
      path: `${path}.${unit === 'usd' ? 'usd' : 'assets'}`,
      text: textOf(part, unit, vault),
      kind: isLevel ? 'level' : value < 0 ? 'loss' : 'gain',
      from: Math.min(before, reached),
      to: Math.max(before, reached),
    };
  });
}

/** About as wide as the bars are together, and what of one can be seen, in pixels. */
const BARS_PX = 400;
const SEEN_PX = 2;

/** Where the bars begin: at 0, or nearer to the values where that lets more of their changes be seen. */
export function barsBegin(steps: readonly BridgeStep[]): number {
  const tops = steps.flatMap(({ kind, from, to }) => (kind === 'level' ? [to] : [from, to]));
  const low = Math.min(...tops);
  const most = Math.max(...tops);
  const begin = low - (most - low) / 4;
  const seen = (least: number) =>
    steps.filter(({ from, to, kind }) => kind !== 'level' && ((to - from) / (most - least)) * BARS_PX >= SEEN_PX);
  return begin < low / 2 || seen(begin).length === seen(0).length ? 0 : begin;
}
