import { expect, test } from '@jest/globals';
import type { StrategyPorts } from '../access.ts';
import { EXIT_SLIPPAGE_BPS, exitIdOf } from '../follow.ts';
import type { StrategyDocument } from '../models.ts';
import { call, definition, facts, snapshot, source, vault, vaultRef } from './strategy-scene.fixture.ts';
import { createStrategy, setStrategyState } from './write-strategies.ts';

const ports = (over: Partial<Record<keyof StrategyPorts, unknown>>) =>
  ({
    chains: { get: () => ({}) },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { get: async () => snapshot },
    directory: { viewers: async () => new Set() },
    facts: { live: async () => facts },
    ledger: { pay: async () => undefined },
    newId: () => 'id',
    now: () => 0,
    ...over,
  }) as unknown as StrategyPorts;

test('error: the id of another vault`s emergency exit cannot be taken', async () => {
  const kept: unknown[] = [];
  const strategies = { insert: async (document: unknown) => kept.push(document) };
  const id = exitIdOf(1, `0x${'9'.repeat(40)}`, source);
  const asked = { ...vaultRef, ...definition, id } as never;
  await expect(createStrategy(ports({ strategies }))(asked, call)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(kept).toEqual([]);
});

test('behavior: an exit that is armed without a limit has the usual one, not that of the last time', async () => {
  const exit = { _id: 'e', version: 1, kind: 'EMERGENCY_EXIT', state: 'IDLE', ...vaultRef, vault, definition };
  const changes: Partial<StrategyDocument>[] = [];
  const strategies = {
    get: async () => exit,
    change: async (_read: unknown, fields: Partial<StrategyDocument>) => {
      changes.push(fields);
      return null;
    },
  };
  const asked = { id: 'e', version: 1, target_state: 'RUNNING' } as never;
  await expect(setStrategyState(ports({ strategies }))(asked, call)).rejects.toMatchObject({
    code: 'VERSION_CONFLICT',
  });
  expect(changes[0]?.definition?.action_config.max_slippage_bps).toBe(EXIT_SLIPPAGE_BPS);
});

test('error: a vault has at most 200 strategies that are not archived', async () => {
  const kept: unknown[] = [];
  const create = (count: number) => {
    const strategies = {
      countKept: async () => count,
      insert: async (document: unknown) => kept.push(document),
      ofVault: async () => [],
      order: async () => [],
    };
    return createStrategy(ports({ strategies }))({ ...vaultRef, ...definition, id: 'one-more' } as never, call);
  };
  await expect(create(200)).rejects.toMatchObject({ code: 'STRATEGY_LIMIT', status: 409 });
  expect(kept).toEqual([]);
  await create(199);
  expect(kept).toHaveLength(1);
});

test('error: a strategy does not start while an exit drains where it takes from, or where it puts to', async () => {
  const other = `0x${'4'.repeat(40)}`;
  const rebalance = { ...definition.action_config, action: 'REBALANCE', target_address: other, from_address: source };
  const document = {
    ...{ _id: 's', version: 1, kind: 'USER_DEFINED', state: 'IDLE', ...vaultRef, vault, target: other },
    definition: { ...definition, action_config: rebalance },
  };
  for (const target of [source, other]) {
    const strategies = {
      get: async () => document,
      running: async () => [{ _id: 'e', kind: 'EMERGENCY_EXIT', target }],
    };
    const asked = { id: 's', version: 1, target_state: 'RUNNING' } as never;
    await expect(setStrategyState(ports({ strategies }))(asked, call)).rejects.toMatchObject({
      code: 'EMERGENCY_LOCK_ACTIVE',
    });
  }
});
