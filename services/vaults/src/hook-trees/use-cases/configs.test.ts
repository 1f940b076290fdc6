import type { RegistryHook } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import type { ConfigDocument } from '../models/hook-trees.ts';
import { seedsOf } from '../seeds.ts';
import { type ConfigPorts, configUseCases } from './configs.ts';

const [vault, wallet, address] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const [seed] = seedsOf({ chainId: 1, hooks: { deposit: address as `0x${string}` } });
const fields = Array.from({ length: 12 }, (_item, index) => ({ name: `p${index}`, solidity_type: 'bytes32' }));
const hook = {
  ...seed,
  inspect_params: fields.map((field, param_order) => ({ ...field, ref_type: 'others', param_order })),
  calldata: fields,
} as unknown as RegistryHook;
const snapshot = {
  chain_id: 1,
  vault,
  detail: { vault_address: vault, allocation: [] },
  managers: { primary: { wallet }, secondary: [] },
};

/** A version of so many rows of twelve words each. */
async function create(rows: number) {
  const kept: ConfigDocument[] = [];
  const ports = {
    chains: { get: () => ({}) },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { get: async () => snapshot },
    directory: { viewers: async () => new Set() },
    hooks: { byId: async () => new Map([[hook.id, hook]]) },
    configs: {
      latestVersion: async () => 0,
      insert: async (document: ConfigDocument) => kept.push(document),
      active: async () => null,
      treesOf: async () => new Map(),
    },
    now: () => 0,
    newId: () => 'id',
  } as unknown as ConfigPorts;
  const row = (index: number) => ({
    hook_id: hook.id,
    params: Object.fromEntries(fields.map(({ name }) => [name, `0x${String(index).padStart(64, '0')}`])),
  });
  const params = {
    chain_id: 1,
    vault_address: vault,
    rows: Array.from({ length: rows }, (_item, index) => row(index)),
  };
  expect(JSON.stringify(params).length).toBeLessThan(1_048_576);
  const caller = { wallet_address: wallet, sid: 'test', issuer: 'test' };
  try {
    return { kept, answer: await configUseCases(ports).create(params as never, caller) };
  } catch (error) {
    return { kept, error };
  }
}

test('default: what is stored fits in one message of the bus', async () => {
  const { kept, answer } = await create(900);
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(answer).length).toBeLessThan(1_000_000);
});

test('error: what would not fit in a message is not stored, though its rows alone are below the limit of a body', async () => {
  const { kept, error } = await create(1_000);
  expect(error).toMatchObject({
    code: 'VALIDATION_FAILED',
    data: { errors: [{ path: 'body.rows', message: expect.stringContaining('at most 1000000') }] },
  });
  expect(kept).toEqual([]);
});
