import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type {
  JudgeMandate,
  ParamsOf,
  PromiseBreach,
  PromiseStatus,
  PromiseTally,
  ResultOf,
} from '@castellan/contracts';
import { emptyTallies, judgeOf, nextBreaches, nextTallies, pageOfObservations } from '../domain/mandate/judge.ts';
import type { Observation } from '../domain/observation.ts';
import { isoOf, secondsOf } from '../domain/timeline.ts';
import { checksummed } from './answer.ts';
import type { Histories } from './ports.ts';

export type JudgeDeps = {
  histories: Histories;
  /** Changes when facts of the chain are taken away. */
  generationOf: (chainId: number) => Promise<number>;
};

/** Observations judged between two turns of the event loop. */
const SLICE = 100;

const address = (subject: string | null): string | null => (subject === null ? null : checksummed(subject));
const statusOf = (status: PromiseStatus): PromiseStatus => ({ ...status, subject: address(status.subject) });
const breachOf = (breach: PromiseBreach): PromiseBreach => ({
  ...breach,
  started: { ...breach.started, subject: address(breach.started.subject) },
  worst: { ...breach.worst, subject: address(breach.worst.subject) },
});
const tallyOf = (tally: PromiseTally): PromiseTally => ({
  ...tally,
  worst: tally.worst && { ...tally.worst, subject: address(tally.worst.subject) },
});
/** The observation that judging begins with. */
const firstOf = (seen: Observation | undefined) => (seen ? { block_number: seen.block, time: isoOf(seen.time) } : null);

/** Judges one page of observations. The breaches of a page carried into the next give those of both in one. */
export const judgeMandate =
  ({ histories, generationOf }: JudgeDeps) =>
  async (params: ParamsOf<typeof JudgeMandate>): Promise<ResultOf<typeof JudgeMandate>> => {
    const { chain_id, vault_address, document, since, until, after_block: afterBlock, limit } = params;
    // Read first: facts that are taken away meanwhile make this answer one of an older generation.
    const generation = await generationOf(chain_id);
    const { history, block, time } = await histories.momentOf({ chain_id, vault_address });
    const { start, stop, hasMore } = pageOfObservations(history.observations, {
      block,
      since: secondsOf(since),
      until: until === undefined ? time : secondsOf(until),
      afterBlock,
      limit,
    });
    const judge = judgeOf(document);
    const ended: PromiseBreach[] = [];
    let open: readonly PromiseBreach[] = params.open;
    let promises: PromiseStatus[] = [];
    let tallies = emptyTallies(document);
    for (let at = start; at < stop; at += 1) {
      promises = judge(history, history.observations[at] as Observation);
      const next = nextBreaches(open, promises);
      open = next.open;
      ended.push(...next.ended);
      tallies = nextTallies(tallies, promises);
      if ((at - start) % SLICE === SLICE - 1) await yieldToEventLoop();
    }
    return {
      generation,
      observations: stop - start,
      promises: promises.map(statusOf),
      breaches: [...ended, ...open].map(breachOf),
      tallies: tallies.map(tallyOf),
      first: firstOf(start < stop ? history.observations[start] : undefined),
      judged: promises[0]?.observed ?? null,
      has_more: hasMore,
    };
  };
