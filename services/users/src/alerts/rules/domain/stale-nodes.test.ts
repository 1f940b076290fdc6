import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { journalOf, START } from '../../journal/domain/journal.fixture.ts';
import type { FactEvent } from '../../journal/domain/journal.ts';
import { newEngine } from './engine.ts';
import { Fold } from './facts.ts';
import { runThrough } from './run-through.ts';

const says = (node_id: string, index: number | null, stale: boolean): FactEvent => ({
  type: 'node_price',
  node_id,
  index,
  stale,
});
/** Members by their index; null: nobody has heard of the node yet. */
const network = (...ids: readonly (string | null)[]): FactEvent => ({
  type: 'sample',
  nodes: ids.map((node_id, index) => ({ index, node_id, silent: false })),
});
/** As from before ids were kept. */
const anonymous: FactEvent = { type: 'node_price', index: 1, stale: true };

async function changesOf(...events: readonly FactEvent[]) {
  const items = journalOf(...events.map((event, n): [number, FactEvent] => [n * 600, event]));
  const until = START + events.length * 600;
  const { transitions } = await runThrough(new Fold(), newEngine(START), items, until, { yieldToEventLoop });
  return transitions.map(({ kind, time, watch }) => `${kind} ${time - START} ${watch.finding.subject}`);
}

describe('a validator that misses a price', () => {
  test('default: it is the one with its id, whatever its index is when the price came', async () => {
    const all = [network('a', 'b'), says('b', 1, true), network('b', 'a'), says('b', 0, false)];
    expect(await changesOf(...all)).toEqual([
      'opened 660 node:1',
      'resolved 1260 node:1',
      'opened 1260 node:0',
      'resolved 1860 node:0',
    ]);
  });

  test('behavior: the price came while it had no place in the network', async () => {
    const all = [network('a', 'b'), says('b', 1, true), says('b', null, false), network('a', 'b')];
    expect(await changesOf(...all)).toEqual(['opened 660 node:1', 'resolved 1260 node:1']);
  });

  test('behavior: who left the network is not waited for, nor who took its index blamed', async () => {
    const all = [network('a', 'b'), says('b', 1, true), network('a', 'c'), says('c', 1, true)];
    expect(await changesOf(...all)).toEqual(['opened 660 node:1', 'resolved 1260 node:1', 'opened 1860 node:1']);
  });

  test('behavior: a member that nobody has heard of yet is the one that had its index', async () => {
    expect(await changesOf(says('b', 1, true), network('a', null), network('a', 'b'))).toEqual(['opened 60 node:1']);
  });

  test('behavior: what was kept before ids were ends with the word of the member at that index', async () => {
    expect(await changesOf(anonymous, network('a', 'b'), says('b', 1, false))).toEqual([
      'opened 60 node:1',
      'resolved 1260 node:1',
    ]);
  });
});
