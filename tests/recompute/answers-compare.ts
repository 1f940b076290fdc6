import { power, root } from './answer-parts.ts';
import type { ChainRecord } from './chain-record.ts';
import { concentrationOf } from './concentration.ts';
import { unruled } from './coverage.ts';
import { drawdownsIn, maxDrawdownIn } from './drawdown.ts';
import { flowFigures } from './flows.ts';
import { holderFigures } from './holders.ts';
import { usdAt } from './money.ts';
import { apy, observationsOf, periodReturn } from './prices.ts';
import type { State } from './state.ts';
import { type Range, secondsOf, windows } from './time.ts';
import { assetsAt } from './tvl.ts';
import { volatilityIn } from './volatility.ts';

/** One row of a comparison over the last 30 days. */
export function comparedMetrics(record: ChainRecord, state: State | null) {
  const observations = observationsOf(record);
  const range = { from: record.time - windows.d30, to: record.time, whole: false };
  const { total, retention } = holderFigures(record);
  const positions = state?.positions.map(({ assets }) => assets) ?? [];
  return {
    apy_7d: power(apy(observations, record.time, windows.d7)),
    apy_30d: power(apy(observations, record.time, windows.d30)),
    period_return: periodReturn(observations, record.time, windows.d30),
    tvl_usd: usdAt(record, assetsAt(record, record.time), record.time),
    max_drawdown: maxDrawdownIn(observations, range),
    volatility_daily: root(volatilityIn(observations, range).daily),
    hhi: state ? concentrationOf(state.idle, positions).hhi : unruled,
    depositors: total,
    retention_30d: retention.d30,
    net_flow_usd: flowFigures(record, range.from, range.to).net_flow_usd,
    // Held against the read of the risk itself.
    risk_score: unruled,
  };
}

type Point = { t: string; values: (number | null)[] };

/** Series of a comparison at the answer's own times, each value of its vault. */
export function comparedSeries(records: readonly ChainRecord[], series: Record<string, Point[]>, { from, to }: Range) {
  const at = (of: (record: ChainRecord, time: bigint) => unknown, points: Point[] = []) =>
    points.map(({ t }) => ({ t, values: records.map((record) => of(record, secondsOf(t))) }));
  const fall = (record: ChainRecord, time: bigint) =>
    drawdownsIn(observationsOf(record), { from, to: time, whole: false }).points.at(-1)?.drawdown ?? null;
  return {
    return: at((record, time) => periodReturn(observationsOf(record), time, time - from), series.return),
    apy: at((record, time) => power(apy(observationsOf(record), time, windows.d7)), series.apy),
    tvl_usd: at((record, time) => usdAt(record, assetsAt(record, time), time), series.tvl_usd),
    drawdown: at((record, time) => (time <= to ? fall(record, time) : null), series.drawdown),
  };
}
