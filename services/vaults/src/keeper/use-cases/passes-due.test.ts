import { describe, expect, test } from '@jest/globals';
import type { KeeperPorts } from '../ports.ts';
import { passesDue } from './passes-due.ts';

function world() {
  const state = { hash: '0x1', open: 0, ms: 0, passes: 0, fails: false, reads: 0 };
  const due = passesDue(
    {
      now: () => state.ms,
      status: { get: async () => ({ indexed_hash: state.hash }) } as unknown as KeeperPorts['status'],
      journal: {
        open: async () => {
          state.reads += 1;
          return Array.from({ length: state.open });
        },
      } as unknown as KeeperPorts['journal'],
    },
    1,
  );
  const run = async (changes: Partial<typeof state> = {}) => {
    const before = Object.assign(state, changes).passes;
    await due
      .run(async () => {
        state.passes += 1;
        if (state.fails) throw new Error('The node is away.');
      })
      .catch(() => undefined);
    return state.passes > before;
  };
  return { run, state, due };
}

describe('when a pass is due', () => {
  test('default: once for each indexed block', async () => {
    const { run } = world();
    expect([await run(), await run(), await run({ hash: '0x2' }), await run()]).toEqual([true, false, true, false]);
  });

  test('behavior: while a transaction is on its way, each time', async () => {
    const { run } = world();
    expect([await run({ open: 1 }), await run(), await run({ open: 0 })]).toEqual([true, true, false]);
  });

  test('behavior: the journal is read once after a pass that left nothing on its way, and again under another lease', async () => {
    const { run, state, due } = world();
    await run();
    await run();
    expect([await run(), state.reads]).toEqual([false, 1]);
    due.forget();
    expect([await run({ open: 1 }), await run({ hash: '0x1' })]).toEqual([true, true]);
  });

  test('behavior: without a new block after some seconds, so that an indexer that stands is noticed', async () => {
    const { run } = world();
    expect([await run(), await run({ ms: 4_999 }), await run({ ms: 5_000 })]).toEqual([true, false, true]);
  });

  test('error: one that failed is done again at once', async () => {
    const { run } = world();
    expect([await run({ fails: true }), await run({ fails: false }), await run()]).toEqual([true, true, false]);
  });
});
