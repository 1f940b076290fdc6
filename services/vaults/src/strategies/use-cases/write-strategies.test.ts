import { describe, expect, test } from '@jest/globals';
import type { StrategyPorts } from '../access.ts';
import type { StrategyDocument } from '../domain/strategy.ts';
import { EXIT_SLIPPAGE_BPS, exitIdOf } from '../follow.ts';
import { getStrategy } from './read-strategies.ts';
import { call, caller, definition, facts, snapshot, source, vault, vaultRef } from './strategy-scene.fixture.ts';
import { createStrategy, setStrategyState, validateStrategy } from './write-strategies.ts';

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
      orders: async () => ({}),
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

test('error: a rebalance out of the source that it goes into', async () => {
  const action_config = { ...definition.action_config, action: 'REBALANCE', from_address: source };
  const asked = { ...vaultRef, ...definition, action_config, id: 'circle' } as never;
  await expect(createStrategy(ports({ strategies: { countKept: async () => 0 } }))(asked, call)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    data: { errors: [{ path: 'body.action_config.from_address' }] },
  });
});

describe('units and names', () => {
  const written = (expr: string, over: object = {}) =>
    ({ ...vaultRef, ...definition, id: 'units', rules: { type: 'EXPR', expr }, ...over }) as never;
  function shelf() {
    const kept: StrategyDocument[] = [];
    const strategies = {
      countKept: async () => 0,
      insert: async (document: StrategyDocument) => kept.push(document),
      get: async () => kept[0] ?? null,
      ofVault: async () => kept,
      orders: async () => ({}),
    };
    return { kept, ports: ports({ strategies }) };
  }

  test('behavior: base units and addresses are stored, units and names are shown', async () => {
    const { kept, ports: on } = shelf();
    const expr = 'vault_free_assets > 1_000 USDC and Morpho Prime.apy > 2.5 %';
    const sized = { ...definition.action_config, size_expr: '5 USDC' };
    const view = await createStrategy(on)(written(expr, { bare_numbers: 'refused', action_config: sized }), call);
    const core = `vault_free_assets > 1000000000 and ys_${source}_apy > 0.025`;
    expect(kept[0]?.definition.rules).toEqual({ type: 'EXPR', expr: core });
    expect(view).toMatchObject({
      rules: { expr: core },
      written_in: 'units',
      spelling: { 'rules.expr': expr.replace('1_000', '1000') },
    });
    expect(view.action_config.size_expr).toBe('5000000');
  });

  test('behavior: what is sent in base units is stored as it is, marked, and shown with units', async () => {
    const { kept, ports: on } = shelf();
    const view = await createStrategy(on)(written('vault_free_assets > 1_000e6'), call);
    expect(kept[0]?.definition.rules).toEqual({ type: 'EXPR', expr: 'vault_free_assets > 1_000e6' });
    expect(view).toMatchObject({
      written_in: 'base_units',
      spelling: { 'rules.expr': 'vault_free_assets > 1000 USDC' },
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'BARE_NUMBER', path: 'rules.expr' })]),
    });
  });

  test('error: a client that asks for units has numbers without one refused', async () => {
    const { ports: on } = shelf();
    const asked = written('vault_free_assets > 1000', { bare_numbers: 'refused' });
    await expect(createStrategy(on)(asked, call)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      data: { errors: [{ path: 'body.rules.expr' }, { path: 'body.action_config.size_expr' }] },
    });
    const judged = await validateStrategy(on)(asked, call);
    expect(judged.errors[0]).toMatchObject({
      code: 'BARE_NUMBER',
      message: '1000 has no unit. 1000 USDC?',
      position: { offset: 20, length: 4 },
      suggestion: '1000 USDC',
    });
  });

  test('error: a name that stood for another source when the text was written is refused', async () => {
    const { ports: on } = shelf();
    const names = { 'Morpho Prime': `0x${'9'.repeat(40)}` };
    const judged = await validateStrategy(on)(written('Morpho Prime.apy > 5 %', { names }), call);
    expect(judged.errors).toMatchObject([{ code: 'CHANGED_NAME', message: expect.stringContaining('0x9999…9999') }]);
  });

  test('behavior: a threshold far from what the vault has is warned about', async () => {
    const { ports: on } = shelf();
    const judged = await validateStrategy(on)(written('vault_free_assets > 1000 USDC'), call);
    expect(judged.ok).toBe(true);
    expect(judged.warnings).toContainEqual(expect.objectContaining({ code: 'FAR_THRESHOLD', path: 'rules.expr' }));
  });

  test('behavior: a strategy saved before there were units keeps its program, and is shown with them', async () => {
    const rules = { type: 'EXPR', expr: `vault_free_assets > 1000000 and ys_${source}_apy > 0.05` };
    const old = { _id: 'old', version: 1, kind: 'USER_DEFINED', state: 'IDLE', ...vaultRef, vault, warnings: [] };
    const document = { ...old, definition: { ...definition, rules } };
    const strategies = { get: async () => document, ofVault: async () => [document], orders: async () => ({}) };
    const view = await getStrategy(ports({ strategies }))({ id: 'old' }, caller as never);
    expect(view).toMatchObject({
      rules,
      written_in: 'base_units',
      spelling: { 'rules.expr': 'vault_free_assets > 1 USDC and Morpho Prime.apy > 5 %' },
    });
  });
});
