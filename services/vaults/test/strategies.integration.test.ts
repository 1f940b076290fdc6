import {
  ArchiveStrategy,
  AuditRecorded,
  AuditStream,
  Backtest,
  type Caller,
  CreateStrategy,
  DeleteSavedSimulation,
  type EventData,
  GetEngineShard,
  GetEngineStatus,
  GetEngineVault,
  GetSavedSimulation,
  GetStrategy,
  GetStrategySnapshot,
  type InputOf,
  ListSavedSimulations,
  ListStrategies,
  LookUpSimulation,
  ReorderStrategies,
  SaveSimulation,
  SetStrategyState,
  SimulateAhead,
  UpdateEngineVault,
  UpdateStrategy,
  ValidateStrategy,
} from '@castellan/contracts';
import { followStream } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deposit, one, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { callerOf, chain_id, VaultsSystem } from './harness.ts';

/** Strategies through the service as it is composed, over a vault with two sources and a waiting redemption. */

let system: VaultsSystem;
beforeAll(async () => {
  system = await VaultsSystem.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle, vault } = protocol;
    for (const { address } of sources)
      await chain.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
    await chain.send(who.alice, vault, 'requestRedeem', [100n * one, who.alice, who.alice]);
  });
}, 90_000);
afterAll(async () => system?.stop());

const ref = () => ({ chain_id, vault_address: system.protocol.vault.address });
const source = (index = 0) => system.protocol.sources[index]?.address as string;
type Draft = InputOf<typeof CreateStrategy>;
const aDraft = (id: string, over: Partial<Draft> = {}): Draft => ({
  ...ref(),
  id,
  name: `Strategy ${id}`,
  indicators: [{ alias: 'idle_share', expr: 'if(vault_tvl > 0, vault_free_assets / vault_tvl, 0)' }],
  rules: {
    type: 'AND',
    children: [
      { type: 'EXPR', expr: 'idle_share > 0.5' },
      { type: 'EXPR', expr: 'vault_free_assets > 1_000_000' },
    ],
  },
  action_config: action(),
  max_concurrent: 1,
  ...over,
});
const action = (over: object = {}): Draft['action_config'] => ({
  action: 'DEPOSIT',
  size_expr: 'vault_free_assets - vault_redeem_queue_value',
  execution_name: 'Deposit into A',
  execution_address: system.protocol.depositHook.address,
  target_address: source(),
  ...over,
});
const create = (id: string, over: Partial<Draft> = {}, wallet: string = who.main) =>
  system.call(CreateStrategy, aDraft(id, over), wallet);
const refusal = (code: string) => expect.objectContaining({ code });
const setState = (id: string, version: number, target_state: 'IDLE' | 'RUNNING' | 'ARCHIVED', more: object = {}) =>
  system.call(SetStrategyState, { id, version, target_state, ...more }, who.main);
const lane = async (name: 'DEPOSIT' | 'WITHDRAWAL') => {
  const { strategies } = await system.call(ListStrategies, { ...ref(), lane: name }, who.main);
  return strategies.filter(({ priority }) => priority !== null).map(({ id, priority }) => [id, priority]);
};
const exits = async () =>
  (await system.call(ListStrategies, { ...ref(), kind: 'EMERGENCY_EXIT' }, who.main)).strategies;

async function audited(): Promise<EventData<typeof AuditRecorded>[]> {
  const rows: EventData<typeof AuditRecorded>[] = [];
  const following = await followStream(system.durable, {
    stream: AuditStream,
    events: [AuditRecorded],
    from: 'start',
    onMessage: ({ data }) => void rows.push(data as EventData<typeof AuditRecorded>),
  });
  await following.caughtUp;
  await following.stop();
  return rows;
}

describe('what strategies see', () => {
  test('default: every variable, as of the last block, and null for what nobody tells', async () => {
    const { fields, block_number } = await system.call(GetStrategySnapshot, ref(), who.secondary);
    const value = (name: string) => fields[name]?.value;
    const detail = await system.detail(system.protocol.vault.address, who.main);
    expect(value('vault_free_assets')).toBe(detail.free_assets);
    expect(value('vault_tvl')).toBe(detail.total_assets);
    expect(value('vault_redeem_queue_count')).toBe('1');
    expect(value('vault_redeem_queue_value')).toBe(`${100n * one}`);
    expect(value(`ys_${source().toLowerCase()}_amount`)).toBe('0');
    expect(value(`ys_${source().toLowerCase()}_tvl`)).toBe('0');
    expect(value(`ys_${source().toLowerCase()}_reward_apy`)).toBeNull();
    expect(new Set(Object.values(fields).map((field) => field.block_number))).toEqual(new Set([block_number]));
  });

  test('error: nobody without a role sees them', async () => {
    await expect(system.call(GetStrategySnapshot, ref(), who.stranger)).rejects.toEqual(refusal('ROLE_REQUIRED'));
    await expect(system.call(GetStrategySnapshot, ref())).rejects.toEqual(refusal('TOKEN_MISSING'));
  });
});

describe('saving', () => {
  test('default: a sound strategy is kept as CREATED, last in its lane', async () => {
    const saved = await create('first', {}, who.secondary);
    expect(saved).toMatchObject({
      id: 'first',
      vault_id: `${chain_id}:${system.protocol.vault.address}`,
      kind: 'USER_DEFINED',
      state: 'CREATED',
      lane: 'DEPOSIT',
      priority: 1,
      version: 1,
      conviction_config: { mode: 'BINARY', required_ticks: 1 },
      action_config: { max_slippage_bps: 50, objective: 'BALANCED' },
      created_by: who.secondary,
      warnings: [],
    });
    expect(await system.call(GetStrategy, { id: 'first' }, who.main)).toEqual(saved);
  });

  test('error: every fault is told with its field, line and column, and nothing is kept', async () => {
    const broken = create('broken', {
      rules: {
        type: 'OR',
        children: [
          { type: 'EXPR', expr: 'vault_free_asset > 1' },
          { type: 'EXPR', expr: '1 +\n * 2' },
        ],
      },
    });
    await expect(broken).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      data: {
        errors: [
          {
            path: 'body.rules.children.0.expr',
            message: expect.stringMatching(/^line 1, column 1: .*vault_free_assets/),
          },
          { path: 'body.rules.children.1.expr', message: expect.stringMatching(/^line 2, column 2: /) },
        ],
      },
    });
    await expect(system.call(GetStrategy, { id: 'broken' }, who.main)).rejects.toEqual(refusal('STRATEGY_NOT_FOUND'));
  });

  test.each<[string, () => Partial<Draft>, string]>([
    [
      'a division that nothing guards',
      () => ({ rules: { type: 'EXPR', expr: 'vault_free_assets / vault_tvl > 0.1' } }),
      'body.rules.expr',
    ],
    [
      'one that fails on the vault as it is',
      () => ({ action_config: action({ size_expr: 'if(vault_tvl == 0, 0, 1 / (vault_tvl - vault_free_assets))' }) }),
      'body.action_config.size_expr',
    ],
    [
      'a source of another vault',
      () => ({ rules: { type: 'EXPR', expr: `ys_0x${'ab'.repeat(20)}_apy > 0.1` } }),
      'body.rules.expr',
    ],
    [
      'a target that is no source',
      () => ({ action_config: action({ target_address: who.bob }) }),
      'body.action_config.target_address',
    ],
    [
      'shares for a deposit',
      () => ({ action_config: action({ size_expr: 'vault_total_supply' }) }),
      'body.action_config.size_expr',
    ],
    [
      'a rebalance from nowhere',
      () => ({ action_config: action({ action: 'REBALANCE' }) }),
      'body.action_config.from_address',
    ],
  ])('error: %s', async (_name, over, path) => {
    await expect(create('faulty', over())).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      data: { errors: [{ path }] },
    });
  });

  test('error: a shape that is none never reaches the language', async () => {
    let deep: unknown = { type: 'EXPR', expr: 'true' };
    for (let level = 0; level < 3_000; level += 1) deep = { type: 'NOT', child: deep };
    for (const rules of [deep, { type: 'XOR', children: [] }, { type: 'AND', children: [], expr: 'true' }, 7])
      await expect(create('shapeless', { rules: rules as never })).rejects.toEqual(refusal('VALIDATION_FAILED'));
  });

  test('behavior: a value nobody tells now is warned about, and such a rule does not fire', async () => {
    const over = { rules: { type: 'EXPR' as const, expr: `ys_${source().toLowerCase()}_reward_apy > 0.1` } };
    const { vault_address, chain_id: chain, id: _id, ...definition } = aDraft('any', over);
    const judged = await system.call(
      ValidateStrategy,
      { vault_address, chain_id: chain, ...definition },
      who.secondary,
    );
    expect(judged).toMatchObject({ ok: true, warnings: [{ code: 'NO_VALUE', path: 'rules.expr' }] });
    expect(judged.decision?.rule).toMatchObject({ result: null, because: expect.stringContaining('has no value') });
  });

  test('behavior: validating tells the decision as of now, and saves nothing', async () => {
    const { id: _id, ...definition } = aDraft('any');
    const judged = await system.call(ValidateStrategy, definition, who.main);
    expect(judged).toMatchObject({
      ok: true,
      errors: [],
      decision: { size: { amount: `${900n * one}` }, rule: { result: true } },
    });
    expect(await lane('DEPOSIT')).toEqual([['first', 1]]);
  });

  test('error: an id is taken once, and only managers write', async () => {
    await expect(create('first')).rejects.toEqual(refusal('STRATEGY_EXISTS'));
    await expect(create('theirs', {}, who.stranger)).rejects.toEqual(refusal('ROLE_REQUIRED'));
    const elsewhere: Caller = {
      ...(callerOf(who.main) as Caller),
      vault: { chain_id: 1, vault_address: ref().vault_address },
    };
    const start = system.callAs(elsewhere, SetStrategyState, { id: 'first', version: 1, target_state: 'RUNNING' });
    await expect(start).rejects.toEqual(refusal('ROLE_REQUIRED'));
  });

  test('behavior: the public sees what is done, not when', async () => {
    const [shown] = (await system.call(ListStrategies, { ...ref(), kind: 'USER_DEFINED' })).strategies;
    expect(shown).toMatchObject({
      id: 'first',
      priority: 1,
      is_redacted: true,
      rules: null,
      indicators: null,
      risk_params: null,
    });
    expect(shown?.action_config).toMatchObject({ action: 'DEPOSIT', size_expr: null });
    expect(JSON.stringify(shown)).not.toMatch(/vault_free|vault_redeem|idle_share/);
    expect(await system.call(GetStrategy, { id: 'first' })).toEqual(shown);
  });
});

describe('changing', () => {
  test('error: a stale version is refused, and told what is there now', async () => {
    const { id, ...definition } = aDraft('first', { name: 'Renamed' });
    const { vault_address: _vault, chain_id: _chain, ...body } = definition;
    const renamed = await system.call(UpdateStrategy, { id, version: 1, ...body }, who.main);
    expect(renamed).toMatchObject({ name: 'Renamed', version: 2 });
    const again = system.call(UpdateStrategy, { id, version: 1, ...body }, who.main);
    await expect(again).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
      data: { current: { version: 2, state: 'CREATED' } },
    });
    await expect(setState('first', 1, 'IDLE')).rejects.toEqual(refusal('VERSION_CONFLICT'));
  });

  test('behavior: of two who change the same version one wins', async () => {
    const both = await Promise.allSettled([setState('first', 2, 'IDLE'), setState('first', 2, 'RUNNING')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { state, version } = await system.call(GetStrategy, { id: 'first' }, who.main);
    expect(version).toBe(3);
    if (state === 'RUNNING') await setState('first', 3, 'IDLE');
  });

  test('behavior: a lane is reordered as a whole or not at all', async () => {
    await create('second');
    await create('third');
    const order = (...ordered_strategy_ids: string[]) =>
      system.call(ReorderStrategies, { ...ref(), lane: 'DEPOSIT', ordered_strategy_ids }, who.main);
    await order('third', 'first', 'second');
    expect(await lane('DEPOSIT')).toEqual([
      ['third', 1],
      ['first', 2],
      ['second', 3],
    ]);
    for (const wrong of [
      ['third', 'first'],
      ['third', 'first', 'first'],
      ['third', 'first', 'second', 'fourth'],
    ])
      await expect(order(...wrong)).rejects.toEqual(refusal('LANE_MISMATCH'));
    await system.call(ArchiveStrategy, { id: 'first' }, who.main);
    expect(await lane('DEPOSIT')).toEqual([
      ['third', 1],
      ['second', 2],
    ]);
  });

  test('error: an archived strategy stays as it was', async () => {
    const { version } = await system.call(GetStrategy, { id: 'first' }, who.main);
    await expect(setState('first', version, 'RUNNING')).rejects.toEqual(refusal('STATE_CHANGE_REFUSED'));
    await expect(system.call(ArchiveStrategy, { id: 'first' }, who.main)).rejects.toEqual(
      refusal('STATE_CHANGE_REFUSED'),
    );
  });
});

describe('the engine', () => {
  test('default: limits and kill switch, each change on the version it was read', async () => {
    const before = await system.call(GetEngineVault, ref(), who.secondary);
    expect(before).toMatchObject({ kill_switch: false, max_intents_per_minute: 6, max_active_intents: 4, version: 0 });
    const after = await system.call(UpdateEngineVault, { ...ref(), kill_switch: true, version: 0 }, who.secondary);
    const { keeper, ...limits } = before;
    expect(keeper).toBeNull();
    expect(after).toEqual({ ...limits, kill_switch: true, version: 1 });
    const stale = system.call(UpdateEngineVault, { ...ref(), kill_switch: false, version: 0 }, who.main);
    await expect(stale).rejects.toEqual(refusal('VERSION_CONFLICT'));
    await expect(system.call(UpdateEngineVault, { ...ref(), kill_switch: false }, who.alice)).rejects.toEqual(
      refusal('ROLE_REQUIRED'),
    );
    expect((await system.call(UpdateEngineVault, { ...ref(), kill_switch: false }, who.main)).version).toBe(2);
  });

  test('behavior: what runs is shown with what it sees and how it judges', async () => {
    await expect(system.call(GetEngineShard, ref(), who.main)).rejects.toEqual(refusal('ENGINE_IDLE'));
    await setState('second', 1, 'RUNNING');
    const shard = await system.call(GetEngineShard, ref(), who.main);
    expect(shard).toMatchObject({ strategy_count: 1, active_intent_count: 0, emergency_locks: [] });
    expect(shard.strategies).toMatchObject([
      { strategy_id: 'second', priority: 2, is_locked: false, decision: { rule: { result: true } } },
    ]);
    expect(shard.fields.vault_free_assets).toEqual({ value: expect.any(String), block_number: shard.block_number });
    expect(await system.call(GetEngineStatus, {}, who.stranger)).toEqual({
      active_shards: 1,
      total_strategies_running: 1,
    });
  });

  test('behavior: there is one emergency exit per source; arming it locks its source', async () => {
    const both = await until(
      'the exits are there',
      async () => ((await exits()).length === 2 ? exits() : undefined),
      10_000,
    );
    expect(both.map(({ state, priority }) => [state, priority])).toEqual([
      ['IDLE', null],
      ['IDLE', null],
    ]);
    const exit = both.find(({ action_config }) => action_config.target_address === source());
    if (!exit) throw new Error('no exit');
    const armed = await setState(exit.id, exit.version, 'RUNNING', {
      emergency_arm_reason: 'Drill',
      emergency_max_slippage_bps: 80,
    });
    expect(armed).toMatchObject({
      state: 'RUNNING',
      armed: { reason: 'Drill', by: who.main },
      action_config: { max_slippage_bps: 80 },
    });
    await expect(setState(exit.id, exit.version, 'RUNNING')).rejects.toEqual(refusal('VERSION_CONFLICT'));
    await expect(setState('third', 1, 'RUNNING')).rejects.toEqual(refusal('EMERGENCY_LOCK_ACTIVE'));
    const shard = await system.call(GetEngineShard, ref(), who.main);
    expect(shard.emergency_locks).toMatchObject([{ strategy_id: exit.id, target_address: source(), reason: 'Drill' }]);
    expect(shard.strategies.find(({ strategy_id }) => strategy_id === 'second')).toMatchObject({ is_locked: true });
    await expect(system.call(ArchiveStrategy, { id: exit.id }, who.main)).rejects.toEqual(
      refusal('STATE_CHANGE_REFUSED'),
    );
    expect(await setState(exit.id, armed.version, 'IDLE')).toMatchObject({ state: 'IDLE', armed: null });
  });
});

describe('simulations', () => {
  const range = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };

  test('default: a back-test says when it would have fired, with what, and what it replayed', async () => {
    const run = () => system.call(Backtest, { ...ref(), ...range, strategy_ids: ['second'] }, who.secondary);
    const result = await until('a block is recorded', async () => {
      const found = await run();
      return found.snapshots.recorded > 0 ? found : undefined;
    });
    expect(result.snapshots.observed + result.snapshots.recorded).toBe(result.snapshots.total);
    expect(result.strategies).toMatchObject([
      { strategy_id: 'second', fired: 1, gained_assets: '0', moved_assets: `${900n * one}` },
    ]);
    expect(result.firings).toMatchObject([
      { strategy_id: 'second', action: 'DEPOSIT', target_address: source(), amount: `${900n * one}` },
    ]);
    expect(result.points.at(-1)).toMatchObject({
      free_assets: `${1_000n * one}`,
      free_assets_simulated: `${100n * one}`,
    });
  });

  test('behavior: a draft can be tried before it is saved, ahead as well', async () => {
    const { vault_address: _vault, chain_id: _chain, ...draft } = aDraft('draft');
    const ahead = await system.call(
      SimulateAhead,
      {
        ...ref(),
        drafts: [draft],
        horizon_seconds: 86_400 * 30,
        step_seconds: 86_400,
        apys: [{ source_address: source(), apy: 0.1 }],
      },
      who.main,
    );
    expect(ahead.snapshots).toEqual({ total: 31, recorded: 0, observed: 0, projected: 31 });
    expect(ahead.strategies).toMatchObject([{ strategy_id: 'draft', fired: 1 }]);
    // 900 at 10 % a year for 30 days.
    expect(Number(ahead.gained_assets) / 1e6).toBeCloseTo(900 * (1.1 ** (30 / 365) - 1), 3);
  });

  test('error: what cannot be run says why', async () => {
    const ask = (over: object) =>
      system.call(Backtest, { ...ref(), ...range, strategy_ids: ['second'], ...over }, who.main);
    await expect(ask({ strategy_ids: ['nobody'] })).rejects.toEqual(refusal('STRATEGY_NOT_FOUND'));
    await expect(ask({ strategy_ids: [] })).rejects.toEqual(refusal('VALIDATION_FAILED'));
    await expect(ask({ from: range.to, to: range.from })).rejects.toEqual(refusal('RANGE_REVERSED'));
    await expect(system.call(Backtest, { ...ref(), ...range, strategy_ids: ['second'] }, who.stranger)).rejects.toEqual(
      refusal('ROLE_REQUIRED'),
    );
  });

  test('behavior: a run is kept once, found again, and deleted', async () => {
    const request = { kind: 'backtest' as const, ...range, strategy_ids: ['second'] };
    const kept = await system.call(SaveSimulation, { ...ref(), name: 'All of it', request }, who.main);
    expect(kept).toMatchObject({ name: 'All of it', kind: 'backtest', fired: 1, created_by: who.main });
    const again = system.call(SaveSimulation, { ...ref(), name: 'Twice', request }, who.main);
    await expect(again).rejects.toMatchObject({ code: 'SIMULATION_EXISTS', data: { id: kept.id } });
    const found = await system.call(
      LookUpSimulation,
      { ...ref(), request: { ...request, slippage_bps: 0 } },
      who.secondary,
    );
    expect(found.simulation?.id).toBe(kept.id);
    expect(
      (await system.call(LookUpSimulation, { ...ref(), request: { ...request, slippage_bps: 1 } }, who.main))
        .simulation,
    ).toBeNull();
    expect((await system.call(ListSavedSimulations, ref(), who.secondary)).simulations).toHaveLength(1);
    expect(await system.call(GetSavedSimulation, { id: kept.id }, who.secondary)).toEqual(kept);
    await expect(system.call(GetSavedSimulation, { id: kept.id }, who.stranger)).rejects.toEqual(
      refusal('ROLE_REQUIRED'),
    );
    expect(await system.call(DeleteSavedSimulation, { id: kept.id }, who.main)).toEqual({ deleted: true });
    await expect(system.call(GetSavedSimulation, { id: kept.id }, who.main)).rejects.toEqual(
      refusal('SIMULATION_NOT_FOUND'),
    );
  });
});

test('behavior: every write is in the audit log, under the wallet that made it', async () => {
  const rows = await until('the rows are there', async () => {
    const found = (await audited()).filter(({ id }) => id.startsWith('strategy:'));
    return found.some(({ action_type }) => action_type === 'simulation_deleted') ? found : undefined;
  });
  const kinds = new Set(rows.map(({ action_type }) => action_type));
  expect([...kinds].sort()).toEqual([
    'engine_limits_changed',
    'simulation_deleted',
    'simulation_saved',
    'strategies_reordered',
    'strategy_archived',
    'strategy_created',
    'strategy_state_changed',
    'strategy_updated',
  ]);
  expect(rows.find(({ action_type }) => action_type === 'strategy_created')).toMatchObject({
    category: 'write',
    actor_wallet: who.secondary,
    vault_address: system.protocol.vault.address,
    details: { strategy_id: 'first', lane: 'DEPOSIT' },
  });
  expect(rows.filter(({ details }) => details.strategy_id === 'broken')).toEqual([]);
});
