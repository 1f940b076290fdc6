import { describe, expect, test } from '@jest/globals';
import type { JobPorts } from './jobs.ts';
import { jobUseCases } from './jobs.ts';
import { type TreePorts, treeUseCases } from './trees.ts';

/** A tree's id is no secret: a caller who names one of another vault must not reach it through their own. */

const [mine, theirs, wallet] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const snapshot = (vault: string) => ({
  chain_id: 1,
  vault,
  detail: { vault_address: vault },
  managers: { primary: { wallet: vault === mine ? wallet : theirs }, secondary: [] },
});
const tree = { _id: 'tree', chain_id: 1, vault: theirs, vault_address: theirs, leaf_count: 1, nodes: '' };
const started: unknown[] = [];
const ports = {
  chains: { get: () => ({}) },
  status: { get: async () => ({ backfilled: true }) },
  snapshots: { get: async (_chain: number, vault: string) => snapshot(vault.toLowerCase()) },
  directory: { viewers: async () => new Set() },
  configs: { currentTree: async () => null, active: async () => null },
  trees: { get: async () => tree, leaves: async () => [] },
  jobs: { insert: async (job: unknown) => started.push(job) },
  log: { livingOfVault: async () => [] },
} as unknown as TreePorts & JobPorts;
const caller = { wallet_address: wallet, sid: 'test', issuer: 'test' };
const vault = { chain_id: 1, vault_address: mine };
const missing = { code: 'HOOKS_TREE_NOT_FOUND' };

describe('a tree of another vault', () => {
  test('error: its leaves are not listed, nor looked up', async () => {
    const { proofs, lookup } = treeUseCases(ports);
    await expect(proofs({ ...vault, tree_id: 'tree', limit: 100 }, caller)).rejects.toMatchObject(missing);
    const leaf_hash = `0x${'ab'.repeat(32)}`;
    await expect(lookup({ ...vault, tree_id: 'tree', leaf_hash }, caller)).rejects.toMatchObject(missing);
  });

  test('error: it is not read by its id', async () => {
    await expect(treeUseCases(ports).get({ id: 'tree' }, caller)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });

  test('error: it is not published as one`s own', async () => {
    await expect(jobUseCases(ports).publish({ ...vault, tree_id: 'tree' }, caller)).rejects.toMatchObject(missing);
    expect(started).toEqual([]);
  });
});
