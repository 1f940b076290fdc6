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
