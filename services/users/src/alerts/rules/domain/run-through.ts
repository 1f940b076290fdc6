import type { AnyRuleId } from '@castellan/contracts';
import type { JournalItem, Settings } from '../../journal/domain/journal.ts';
import { type EngineState, judge, nextTurn, TICK_SECONDS, type Transition } from './engine.ts';
import type { Facts, Fold } from './facts.ts';

/** The state after the last item, and the transitions on the way. */
export type Run = { state: EngineState; transitions: Transition[] };
type SettingsOf = ((facts: Facts) => (rule: AnyRuleId) => Settings) | undefined;

/** Judgements made between two turns of the event loop. */
const SLICE = 500;

/**
 * Goes through the items and the ticks between them, until a time: the one way in which alerts come about, live and in a
 * back-test. `fold` has the items before; it has these too when this ends. Stopping anywhere and going on from the state gives
 * what going through in one gives.
 * @param options.yieldToEventLoop - Awaited between slices of judgements.
 * @param options.settings - Instead of what was set at each moment.
 */
export async function runThrough(
  fold: Fold,
  from: EngineState,
  items: readonly JournalItem[],
  until: number,
  { yieldToEventLoop, settings }: { yieldToEventLoop: () => Promise<void>; settings?: SettingsOf },
): Promise<Run> {
  const transitions: Transition[] = [];
  let state = from;
  let sinceTurn = 0;
  const step = async (time: number) => {
    const facts = fold.facts;
    const judged = judge(state, facts, time, settings?.(facts));
    state = judged.state;
    transitions.push(...judged.transitions);
    sinceTurn += 1;
    if (sinceTurn < SLICE) return;
    sinceTurn = 0;
    await yieldToEventLoop();
  };
  // Ticks at which the clock changes nothing are passed over.
  const tickUntil = async (end: number) => {
    for (;;) {
      const facts = fold.facts;
      const turn = nextTurn(state, facts, settings?.(facts));
      const tick = turn === undefined ? end : Math.ceil(turn / TICK_SECONDS) * TICK_SECONDS;
      if (tick >= end) return;
      await step(tick);
    }
  };
  for (const item of items) {
    await tickUntil(item.time);
    fold.add(item);
    await step(Math.max(item.time, state.time));
  }
  // A tick on the very end is left to the next call: an item of that second may still come before it.
  await tickUntil(until);
  return { state, transitions };
}
