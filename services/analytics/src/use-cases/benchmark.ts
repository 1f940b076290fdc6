import type { ActionOf, ParamsOf, ResultOf } from '@castellan/contracts';
import { returnOver, spanOfRange } from '../domain/metrics/apy-and-returns.ts';
import { benchmarkRate, benchmarkReturn, excessOver } from '../domain/metrics/benchmark.ts';
import { againstBenchmark, daysCounted, daysOfRange } from '../domain/metrics/volatility.ts';
import type { Moment } from '../domain/moment.ts';
import { unknown } from '../domain/plain-figures.ts';
import { bucketStarts, bucketWidth, rangeOf } from '../domain/range.ts';
import { isoOf } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import type { Histories } from './ports.ts';
import { seriesOf } from './pps.ts';

type Deps = { histories: Histories };

export const getBenchmark =
  ({ histories }: Deps) =>
  async (params: ParamsOf<ActionOf<'analyticsBenchmark'>>): Promise<ResultOf<ActionOf<'analyticsBenchmark'>>> => {
    const moment = await histories.momentOf(params);
    const created = moment.history.identity.time;
    const range = rangeOf(params, moment, created);
    const span = spanOfRange(moment, range);
    const width = bucketWidth(range, params.points);
    const { source, ...named } = benchmarkRate(moment, range.from, range.to);
    const days = daysOfRange(moment, range);
    const { trackingError, informationRatio } = againstBenchmark(days);
    const since = span?.start.t ?? range.from;
    const points = bucketStarts(range, width)
      .map((start) => Math.min(start + width, range.to))
      .filter((end) => end > since)
      .map((time) => ({
        t: isoOf(time),
        vault: returnOver(
          moment,
          span && { ...span, end: moment.history.prices.at(time, moment.block) ?? span.start, until: time },
        ),
        benchmark: benchmarkReturn(moment, since, time),
      }));
    return answer(params, moment, 'performance/benchmark', {
      ...seriesOf(range, width),
      benchmark: { ...named, source, address: addressOf(moment) },
      vault_return: returnOver(moment, span),
      benchmark_return: span ? benchmarkReturn(moment, span.start.t, span.end.t) : unknown(noPrice),
      excess_return: excessOver(moment, span),
      tracking_error: trackingError,
      information_ratio: informationRatio,
      days: daysCounted(days).days,
      points,
    });
  };

const noPrice = 'the vault has no price yet';

function addressOf({ history, block }: Moment): string | null {
  const address = history.benchmarkAt(block)?.address ?? null;
  return address === null ? null : checksummed(address);
}
