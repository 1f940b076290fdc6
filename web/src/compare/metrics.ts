import type { Unit } from '../charts/types.ts';
import { percent, usd } from '../charts/units.ts';
import {
  formatCount,
  formatFall,
  formatHhi,
  formatShare,
  formatSignedShare,
  formatSignedUsd,
  formatUsd,
  formatUsdFull,
} from '../format/figures.ts';

export type MetricRow = {
  id: string;
  name: string;
  hint: string;
  show: (value: number) => string;
  exact?: (value: number) => string;
};

/** Rows of the table in the reader's order: money, yield, risk, people. */
export const metricRows: readonly MetricRow[] = [
  { id: 'tvl_usd', name: 'Total value', hint: 'At the price of now', show: formatUsd, exact: formatUsdFull },
  {
    id: 'net_flow_usd',
    name: 'Net flow',
    hint: 'Over the period',
    show: formatSignedUsd,
    exact: formatUsdFull,
  },
  { id: 'period_return', name: 'Return', hint: 'Over the period, not annualised', show: formatSignedShare },
  { id: 'apy_7d', name: 'APY, 7 days', hint: 'Realised, after fees', show: formatShare },
  { id: 'apy_30d', name: 'APY, 30 days', hint: 'Realised, after fees', show: formatShare },
  { id: 'risk_score', name: 'Risk score', hint: '0 to 100, higher is riskier', show: formatCount },
  { id: 'max_drawdown', name: 'Largest drawdown', hint: 'Over the period, after fees', show: formatFall },
  { id: 'volatility_daily', name: 'Volatility', hint: 'Of a day, over 30 days', show: formatShare },
  { id: 'hhi', name: 'Concentration', hint: 'HHI of the sources, 10,000 is one source', show: formatHhi },
  { id: 'depositors', name: 'Holders', hint: 'Now', show: formatCount },
  { id: 'retention_30d', name: 'Retention', hint: 'Of the holders 30 days ago', show: formatShare },
];

export type SeriesRow = {
  id: string;
  /** The figure of the table that the chart is the course of. */
  metric: string;
  title: string;
  unit: Unit;
  /** A depth is drawn downwards. */
  sign: 1 | -1;
  /** What follows the price holds until its next report. */
  kind: 'step' | 'line';
  isFromZero: boolean;
  /** For the sentence above the chart, where the unit's own form is too long. */
  words?: (value: number) => string;
};

/** Rates are read in tenths, so that vaults side by side can be distinguished. */
const rate: Unit = { ...percent, tick: (value, step, most) => percent.tick(value, Math.min(step, 0.001), most) };

export const seriesRows: readonly SeriesRow[] = [
  {
    id: 'return',
    metric: 'period_return',
    words: formatSignedShare,
    title: 'Return since the beginning of the period',
    unit: percent,
    sign: 1,
    kind: 'step',
    isFromZero: false,
  },
  {
    id: 'apy',
    metric: 'apy_7d',
    title: 'APY of the 7 days before',
    unit: rate,
    sign: 1,
    kind: 'line',
    isFromZero: false,
  },
  {
    id: 'tvl_usd',
    metric: 'tvl_usd',
    title: 'Total value',
    unit: usd,
    sign: 1,
    kind: 'line',
    isFromZero: true,
    words: formatUsd,
  },
  {
    id: 'drawdown',
    metric: 'max_drawdown',
    title: 'Fall below the highest price so far',
    unit: percent,
    sign: -1,
    kind: 'step',
    isFromZero: false,
  },
];
