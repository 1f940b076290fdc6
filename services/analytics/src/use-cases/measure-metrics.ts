import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MeasureMetrics, MetricValue, ParamsOf, ResultOf } from '@castellan/contracts';
import { pageOfObservations } from '../domain/mandate/judge.ts';
import type { Observation } from '../domain/observation.ts';
import { countAtBlock, isoOf, lastAtTime, secondsOf } from '../domain/timeline.ts';
import type { JudgeDeps } from './judge-mandate.ts';
import { metricValue, type Seen, seenAt } from './metric-values.ts';

type Params = ParamsOf<typeof MeasureMetrics>;
type Measured = ResultOf<typeof MeasureMetrics>['observations'][number];
export type MeasureDeps = JudgeDeps & { nowMs: () => number };

/** The event loop has its turn after this, whatever the observations cost. */
const SLICE_MS = 20;
/** A page ends after this, whatever it has: some figures are of a month of prices each, and a call waits five seconds. */
const PAGE_MS = 1_000;

/** Places of the observations that are asked for, in the order in which they are measured. */
function placesOf(
  all: readonly Observation[],
  { block, time }: { block: number; time: number },
  { since, until, after_block: afterBlock, before_block: beforeBlock, order }: Params,
): { first: number; count: number; step: 1 | -1 } {
  const stretch = { block, since: secondsOf(since), until: until === undefined ? time : secondsOf(until), afterBlock };
  const { start, stop } = pageOfObservations(all, { ...stretch, limit: all.length + 1 });
  const end = beforeBlock === undefined ? stop : Math.min(stop, countAtBlock(all, beforeBlock - 1));
  const count = Math.max(0, end - start);
  return order === 'oldest_first' ? { first: start, count, step: 1 } : { first: end - 1, count, step: -1 };
}

/** Values of figures at an observation; of a time before it, those of the last observation at or before then. */
function valuesAt(history: Seen['moment']['history'], observation: Observation, readings: Params['readings']) {
  const now = seenAt(history, observation);
  return readings.map(({ metric, ago_seconds: ago }): MetricValue | null => {
    if (ago === 0) return metricValue(metric, now);
    const then = lastAtTime(history.observations, observation.time - ago, observation.block);
    return then ? metricValue(metric, seenAt(history, then)) : null;
  });
}

/** Values of figures at observations. Of several observations of one block the last counts, as in answers about the block. */
export const measureMetrics =
  ({ histories, generationOf, nowMs }: MeasureDeps) =>
  async (params: Params): Promise<ResultOf<typeof MeasureMetrics>> => {
    const { chain_id, vault_address, readings, limit } = params;
    // Read first: facts that are taken away meanwhile make this answer one of an older generation.
    const generation = await generationOf(chain_id);
    const { history, ...end } = await histories.momentOf({ chain_id, vault_address });
    const all = history.observations;
    const { first, count, step } = placesOf(all, end, params);
    const begunMs = nowMs();
    let turnMs = begunMs;
    const measured: Measured[] = [];
    let done = 0;
    for (; done < count; done += 1) {
      const at = first + step * done;
      const observation = all[at] as Observation;
      if (all[at + 1]?.block === observation.block) continue;
      const atMs = nowMs();
      if (measured.length === limit || (measured.length > 0 && atMs - begunMs > PAGE_MS)) break;
      if (atMs - turnMs > SLICE_MS) {
        await yieldToEventLoop();
        turnMs = nowMs();
      }
      measured.push({
        block_number: observation.block,
        time: isoOf(observation.time),
        values: valuesAt(history, observation, readings),
      });
    }
    return { generation, observations: step === 1 ? measured : measured.reverse(), has_more: done < count };
  };
