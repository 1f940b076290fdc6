import type { OwnRuleId } from '@castellan/contracts';
import type { FactEvent, JournalItem, Measured, OwnRuleSet } from '../../journal/domain/journal.ts';
import { backtest, type Episode } from './backtest.ts';
import { readingKey, readingsOf } from './readings.ts';

/** A rule that need not be saved. */
const TRIED: OwnRuleId = 'own_000000000000000000000000';

/** What of a journal a rule is judged by: the figures it needs, where they were read, and what was taken back. */
function partOf({ events, ...item }: JournalItem, keys: readonly string[]): JournalItem[] {
  const kept = events.flatMap((event): FactEvent[] => {
    if (event.type === 'rollback') return [event];
    if (event.type !== 'measured' || keys.some((key) => event.values[key] === undefined)) return [];
    return [{ ...event, values: Object.fromEntries(keys.map((key) => [key, event.values[key] ?? null])) }];
  });
  return kept.length === 0 ? [] : [{ ...item, events: kept }];
}

/** Blocks that items are about and that were not taken back, and behind which item each block of the chain as it is can stand. */
function livingBlocks(items: readonly JournalItem[]) {
  const blocks = new Set<number>();
  const rollbacks: { from: number; behind: number }[] = [];
  items.forEach(({ events }, index) => {
    for (const event of events) {
      if (event.type === 'measured') blocks.add(event.block);
      if (event.type !== 'rollback') continue;
      for (const block of blocks) if (block >= event.from_block) blocks.delete(block);
      rollbacks.push({ from: event.from_block, behind: index + 1 });
    }
  });
  const earliest = (block: number) => rollbacks.findLast(({ from }) => from <= block)?.behind ?? 0;
  return { blocks, earliest };
}

/**
 * The facts that a rule is judged by, in the order in which they became known: those of the journal, which the live evaluator judged,
 * and of observations that are not in it, because no rule needed the figure then, the present values at their own times.
 */
export function measuredHistory(
  set: Pick<OwnRuleSet, 'metric' | 'within_seconds'>,
  journal: readonly JournalItem[],
  observations: readonly Measured[],
): JournalItem[] {
  const keys = readingsOf(set).map(readingKey);
  const lived = journal.flatMap((item) => partOf(item, keys));
  const { blocks, earliest } = livingBlocks(lived);
  const merged: Omit<JournalItem, 'n'>[] = [];
  let next = 0;
  const takeWhile = (isEarlier: (item: JournalItem) => boolean) => {
    for (let item = lived[next]; item && isEarlier(item); item = lived[next]) {
      merged.push(item);
      next += 1;
    }
  };
  for (const event of observations.filter(({ block }) => !blocks.has(block))) {
    const least = earliest(event.block);
    takeWhile(({ time }) => time <= event.at || next < least);
    const time = Math.max(event.at, merged.at(-1)?.time ?? 0);
    merged.push({ time, block: event.block, events: [event] });
  }
  takeWhile(() => true);
  return merged.map((item, at) => ({ ...item, n: at + 1 }));
}

/** What an own rule would have done from one moment to another, in Unix seconds, by the evaluator that runs live. */
export async function backtestOwnRule(
  { set, items, from, to }: { set: OwnRuleSet; items: readonly JournalItem[]; from: number; to: number },
  yieldToEventLoop: () => Promise<void>,
): Promise<Episode[]> {
  const made: JournalItem = {
    n: 0,
    time: items[0]?.time ?? from,
    block: null,
    events: [{ type: 'own_rule', rule_id: TRIED, rule: set }],
  };
  const { episodes } = await backtest({ items: [made, ...items], rule: TRIED, from, to }, yieldToEventLoop);
  return episodes;
}
