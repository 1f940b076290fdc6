import { expect, test } from '@jest/globals';
import type { KnownChain } from '../../chains/chain-directory.ts';
import { getTransaction, type TransactionPorts } from './get-transaction.ts';

const [from, to] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];
const chain = {
  config: { chainId: 1 },
  contracts: async () => ({ governor: to, aggregator: to, ppsOracle: to }),
} as unknown as KnownChain;

/** A transaction that reverted, in this block and for this reason as the node has it; `kept` is what is known of it. */
function reverted(kept: Record<string, unknown> | null) {
  const on = { kept, reads: 0, mined: '0xa', now: '0xa', reason: 'first' as string | null };
  const ports = {
    chains: { get: () => chain },
    status: { get: async () => ({ indexed_block: 7 }) },
    snapshots: { all: async () => [] },
    transactions: {
      read: async () => ({
        transaction: { from, to, input: '0x' },
        receipt: { succeeded: false, blockNumber: 7n, blockHash: on.mined, blockTime: 1n, logs: [] },
      }),
      headBlock: async () => 7n,
      blockHash: async () => on.now,
      revertReason: async () => {
        on.reads += 1;
        return on.reason;
      },
    },
    seen: {
      get: async () => on.kept,
      remember: async (_chain: number, _hash: string, known: Record<string, unknown>) => {
        on.kept = { ...on.kept, ...known };
      },
    },
  } as unknown as TransactionPorts;
  const ask = async () => (await getTransaction(ports)({ chain_id: 1, tx_hash: '0x7' })).revert_reason;
  return { on, ask };
}

test('default: why it reverted is found out once, and known when the node has forgotten it', async () => {
  const { on, ask } = reverted(null);
  expect(await ask()).toBe('first');
  on.reason = null;
  expect(await ask()).toBe('first');
  expect(on.reads).toBe(1);
});

test('behavior: the reason is of the block that has it now, not of one that a reorg replaced', async () => {
  const { on, ask } = reverted(null);
  await ask();
  Object.assign(on, { mined: '0xb', now: '0xb', reason: 'second' });
  expect(await ask()).toBe('second');
});

test('behavior: a reason of a block that took the place of its own meanwhile is not kept', async () => {
  const { on, ask } = reverted(null);
  on.now = '0xb';
  expect(await ask()).toBeNull();
  expect(on.kept).toBeNull();
});

test('behavior: what was kept without its block stands', async () => {
  const { on, ask } = reverted({ revert_reason: 'former' });
  expect(await ask()).toBe('former');
  expect(on.reads).toBe(0);
});
