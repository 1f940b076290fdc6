import { AppError } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import type { KnownChain } from '../../../chains/chain-directory.ts';
import type { PreparedDocument } from '../domain/prepared-call.ts';
import { postOf, type TrackerPorts } from './tracker.ts';

const chain = { config: { chainId: 1 } } as KnownChain;
const portsWith = (fault: string) =>
  ({
    status: { get: async () => ({ indexed_block: 400, indexed_hash: '0xa4' }) },
    states: {
      read: async () => {
        throw new AppError('RPC_UNAVAILABLE', 'No node answered.', { cause: new Error(fault) });
      },
    },
  }) as unknown as TrackerPorts;
const confirmed = (post: PreparedDocument['post']) =>
  ({ status: 'confirmed', tx: { block_number: 100 }, request: { kind: 'pause' }, post }) as unknown as PreparedDocument;

test('behavior: what was seen of a post-condition stands where no node has the state of its block any more', async () => {
  const pruned = portsWith('missing trie node 0xab');
  expect(await postOf(pruned, chain, confirmed({ ok: true, actual: 1 }))).toEqual({ ok: true, actual: 1 });
  expect(await postOf(pruned, chain, confirmed({ ok: null, actual: null }))).toBeNull();
});

test('error: a node that is away is waited for', async () => {
  const away = postOf(portsWith('connect ECONNREFUSED'), chain, confirmed({ ok: true, actual: 1 }));
  await expect(away).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
});

/** What is concluded where the chain has these blocks and the log ends with 102 of branch A. */
function concluded(blocks: Record<number, string>) {
  const ports = {
    status: { get: async () => ({ indexed_block: 102, indexed_hash: '0xa102' }) },
    transactions: { blockHash: async (_chain: KnownChain, block: bigint) => blocks[Number(block)] ?? null },
    states: { read: async () => ({ isPaused: true }) },
    postConditionOf: () => ({ description: '', holds: () => ({ ok: false, actual: true }) }),
  } as unknown as TrackerPorts;
  const call = {
    ...confirmed({ ok: null, actual: null }),
    tx: { block_number: 100, block_hash: '0xb100' },
    call: { decoded: { function: 'unpauseStrategy' }, changes: [] },
  } as unknown as PreparedDocument;
  return postOf(ports, chain, call);
}

test('behavior: nothing is concluded from the state of another block that a reorg put in its place meanwhile', async () => {
  expect(await concluded({ 100: '0xb100', 102: '0xa102' })).toEqual({ ok: false, actual: true });
  expect(await concluded({ 100: '0xc100', 102: '0xa102' })).toBeNull();
});

test('behavior: nothing is concluded while the log is still on a branch that a reorg replaced', async () => {
  expect(await concluded({ 100: '0xb100', 102: '0xb102' })).toBeNull();
  expect(await concluded({ 100: '0xb100', 101: '0xb101' })).toBeNull();
});
