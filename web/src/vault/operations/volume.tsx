import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Point, Series } from '../../charts/types.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { toDecimal } from '../../format/amount.ts';
import { type MoneyUnit, useView } from '../../period/use-view.ts';
import { useRead } from '../../receipts/use-read.ts';
import { chartUnit, tokens } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';

type Volume = AnalyticsResult<'analyticsVolume'>;

/** Money in stands above the line, money out below it. */
export function volumeSeries({ points }: Volume, unit: MoneyUnit, decimals: number): Series[] {
  const inTokens = (t: string, raw: string): Point => [Date.parse(t), tokens(raw, decimals), toDecimal(raw, decimals)];
  const below = (raw: string): string => (raw === '0' ? raw : `-${raw}`);
  const flip = (value: number | null): number | null => (value === null || value === 0 ? value : -value);
  const of = (
    inUsd: (point: Volume['points'][number]) => number | null,
    raw: (point: Volume['points'][number]) => string,
  ) =>
    points.map(
      (point): Point => (unit === 'usd' ? [Date.parse(point.t), inUsd(point)] : inTokens(point.t, raw(point))),
    );
  return [
    {
      id: 'deposits',
      name: 'Deposits',
      kind: 'bar',
      stack: 'flow',
      colour: 1,
      points: of(
        ({ deposits_usd: usd }) => usd,
        ({ deposits }) => deposits,
      ),
    },
    {
      id: 'withdrawals',
      name: 'Withdrawals',
      kind: 'bar',
      stack: 'flow',
      colour: 5,
      points: of(
        ({ withdrawals_usd: usd }) => flip(usd),
        ({ withdrawals }) => below(withdrawals),
      ),
    },
    {
      id: 'net',
      name: 'Net',
      kind: 'line',
      colour: 3,
      points: of(
        ({ net_usd: usd }) => usd,
        ({ net }) => net,
      ),
    },
  ];
}

function takeawayOf({ points }: Volume, words: string): string {
  const net = points.reduce((sum, point) => sum + BigInt(point.net), 0n);
  if (net === 0n)
    return points.some(({ deposits }) => deposits !== '0')
      ? `As much came as went ${words}`
      : `Nothing came or went ${words}`;
  return net > 0n ? `More came than went ${words}` : `More went than came ${words}`;
}

export function VolumeChart({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { span, unit, words, rangeName } = useView(vault);
  const { result } = useRead(shown, 'analyticsVolume', { ...span, points: '60' });
  const { data, error, isPlaceholderData, dataUpdatedAt } = result;
  const { decimals } = vault.asset;
  const series = useMemo(() => (data === undefined ? [] : volumeSeries(data, unit, decimals)), [data, unit, decimals]);
  const drawnUnit = useMemo(() => chartUnit(unit, { asset: vault.asset }), [unit, vault.asset]);
  return (
    <Chart
      title="Deposits and withdrawals"
      takeaway={data === undefined ? undefined : takeawayOf(data, words)}
      series={series}
      unit={drawnUnit}
      group="operations"
      height={280}
      intervalSeconds={data?.interval_seconds}
      fileName={`${vault.symbol}-volume-${rangeName}`}
      empty={{
        title: 'Nothing came or went in this period',
        detail: 'Deposits and fulfilled redemptions appear here.',
      }}
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void result.refetch()}
      className={isPlaceholderData ? 'opacity-70' : ''}
    />
  );
}
