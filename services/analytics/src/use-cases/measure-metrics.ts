import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MeasureMetrics, MetricValue, ParamsOf, ResultOf } from '@castellan/contracts';
import { pageOfObservations } from '../domain/mandate/judge.ts';
import type { Observation } from '../domain/observation.ts';
import { countAtBlock, isoOf, lastAtTime, secondsOf } from '../domain/timeline.ts';
import type { JudgeDeps } from './judge-mandate.ts';
import { metricValue, seenAt } from './metric-values.ts';

type Params = ParamsOf<typeof MeasureMetrics>;

/** Observations measured between two turns of the event loop. */
const SLICE = 50;

/** Places of the observations of a page, of the newest ones only where that is asked for. A page ends with a block. */
function pageOf(
  all: readonly Observation[],
  { block, time }: { block: number; time: number },
  { since, until, after_block: afterBlock, newest, limit }: Params,
): { start: number; stop: number; truncated: boolean; has_more: boolean } {
  const stretch = { block, since: secondsOf(since), until: until === undefined ? time : secondsOf(until), afterBlock };
  const whole = pageOfObservations(all, { ...stretch, limit: all.length + 1 });
  const start = Math.max(whole.start, newest === undefined ? 0 : whole.stop - newest);
  const last = all[start + limit - 1];
  const stop = last === undefined ? whole.stop : Math.min(whole.stop, countAtBlock(all, last.block));
  return { start, stop, truncated: start > whole.start, has_more: stop < whole.stop };
}

/** Values of figures at observations. Of several observations of one block the last counts, as in answers about the block. */
export const measureMetrics =
  ({ histories, generationOf }: JudgeDeps) =>
  async (params: Params): Promise<ResultOf<typeof MeasureMetrics>> => {
    const { chain_id, vault_address, readings } = params;
    // Read first: facts that are taken away meanwhile make this answer one of an older generation.
    const generation = await generationOf(chain_id);
    const { history, ...end } = await histories.momentOf({ chain_id, vault_address });
    const all = history.observations;
    const { start, stop, truncated, has_more } = pageOf(all, end, params);
    const observations: ResultOf<typeof MeasureMetrics>['observations'] = [];
    for (let at = start; at < stop; at += 1) {
      const observation = all[at] as Observation;
      if ((at - start) % SLICE === SLICE - 1) await yieldToEventLoop();
      if (at + 1 < stop && all[at + 1]?.block === observation.block) continue;
      const now = seenAt(history, observation);
      const values = readings.map(({ metric, ago_seconds: ago }): MetricValue | null => {
        if (ago === 0) return metricValue(metric, now);
        const then = lastAtTime(all, observation.time - ago, observation.block);
        return then ? metricValue(metric, seenAt(history, then)) : null;
      });
      observations.push({ block_number: observation.block, time: isoOf(observation.time), values });
    }
    return { generation, observations, truncated, has_more };
  };
