import { AppError } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import type { KnownChain } from '../../../chains/chain-directory.ts';
import type { PreparedDocument } from '../domain/prepared-call.ts';
import { postOf, type TrackerPorts } from './tracker.ts';

const chain = { config: { chainId: 1 } } as KnownChain;
const portsWith = (fault: string) =>
  ({
    status: { get: async () => ({ indexed_block: 400 }) },
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

test('behavior: nothing is concluded from the state of another block that a reorg put in its place meanwhile', async () => {
  const standing = (hash: string) =>
    ({
      status: { get: async () => ({ indexed_block: 400 }) },
      transactions: { blockHash: async () => hash },
      states: { read: async () => ({ isPaused: true }) },
      postConditionOf: () => ({ description: '', holds: () => ({ ok: false, actual: true }) }),
    }) as unknown as TrackerPorts;
  const call = {
    ...confirmed({ ok: null, actual: null }),
    tx: { block_number: 100, block_hash: '0xb1' },
    call: { decoded: { function: 'unpauseStrategy' }, changes: [] },
  } as unknown as PreparedDocument;
  expect(await postOf(standing('0xb1'), chain, call)).toEqual({ ok: false, actual: true });
  expect(await postOf(standing('0xb2'), chain, call)).toBeNull();
});
