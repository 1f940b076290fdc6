import {
  ArchiveStrategy,
  Backtest,
  type Caller,
  DeleteSavedSimulation,
  GetEngineShard,
  GetEngineStatus,
  GetEngineVault,
  GetSavedSimulation,
  GetStrategy,
  ListSavedSimulations,
  ListStrategies,
  LookUpSimulation,
  ReorderStrategies,
  SaveSimulation,
  SetStrategyState,
  UpdateEngineVault,
  UpdateStrategy,
  ValidateStrategy,
} from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { one, who } from '../../../packages/protocol/test/test-chain.ts';
import { callerOf, chain_id } from './harness.ts';

import {
  aDraft,
  audited,
  create,
  type Draft,
  exits,
  lane,
  ref,
  refusal,
  setState,
  source,
  startScene,
  system,
} from './strategies-scene.ts';

/** The life of the strategies of a vault, in steps that each go on where the last ended. */

beforeAll(startScene);
afterAll(async () => system?.stop());

const range = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };

const inUnits: Draft['rules'] = {
  type: 'AND',
  children: [
    { type: 'EXPR', expr: 'idle_share > 50 %' },
    { type: 'EXPR', expr: 'vault_free_assets > 1 USDC' },
  ],
};

/** A sound strategy is kept as CREATED, last in its lane. Its amounts are stored in base units and shown with their unit. */
async function soundIsKept(): Promise<void> {
  const saved = await create('first', { rules: inUnits, bare_numbers: 'refused' }, who.secondary);
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
    rules: { children: [{ expr: 'idle_share > 0.5' }, { expr: 'vault_free_assets > 1000000' }] },
    spelling: {
      'rules.children.0.expr': 'idle_share > 50 %',
      'rules.children.1.expr': 'vault_free_assets > 1 USDC',
    },
    written_in: 'units',
    warnings: [],
  });
  expect(await system.call(GetStrategy, { id: 'first' }, who.main)).toEqual(saved);
}

/** Every fault is reported with its field, line and column, and nothing is kept. */
async function faultsAreReported(): Promise<void> {
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
}

/** Validating answers the decision as of now, and saves nothing. */
async function validatingSavesNothing(): Promise<void> {
  const { id: _id, ...definition } = aDraft('any');
  const judged = await system.call(ValidateStrategy, definition, who.main);
  expect(judged).toMatchObject({
    ok: true,
    errors: [],
    warnings: [{ path: 'rules.children.1.expr', code: 'BARE_NUMBER', message: expect.stringContaining('1 USDC') }],
    decision: { size: { amount: `${900n * one}` }, rule: { result: true } },
  });
  expect(await lane('DEPOSIT')).toEqual([['first', 1]]);
}

/** An id is taken once, and only managers write. */
async function idIsTakenOnce(): Promise<void> {
  await expect(create('first')).rejects.toEqual(refusal('STRATEGY_EXISTS'));
  await expect(create('theirs', {}, who.stranger)).rejects.toEqual(refusal('ROLE_REQUIRED'));
  const elsewhere: Caller = {
    ...(callerOf(who.main) as Caller),
    vault: { chain_id: 1, vault_address: ref().vault_address },
  };
  const start = system.callAs(elsewhere, SetStrategyState, { id: 'first', version: 1, target_state: 'RUNNING' });
  await expect(start).rejects.toEqual(refusal('ROLE_REQUIRED'));
}

/** The public sees what is done, not when. */
async function publicSeesWhatNotWhen(): Promise<void> {
  const [shown] = (await system.call(ListStrategies, { ...ref(), kind: 'USER_DEFINED' })).strategies;
  expect(shown).toMatchObject({
    id: 'first',
    priority: 1,
    is_redacted: true,
    spelling: null,
    written_in: null,
    rules: null,
    indicators: null,
    risk_params: null,
  });
  expect(shown?.action_config).toMatchObject({ action: 'DEPOSIT', size_expr: null });
  expect(JSON.stringify(shown)).not.toMatch(/vault_free|vault_redeem|idle_share/);
  expect(await system.call(GetStrategy, { id: 'first' })).toEqual(shown);
}

/** A stale version is refused with what is there now. */
async function staleVersionIsRefused(): Promise<void> {
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
}

/** Of two who change the same version one wins. */
async function oneOfTwoWins(): Promise<void> {
  const both = await Promise.allSettled([setState('first', 2, 'IDLE'), setState('first', 2, 'RUNNING')]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const { state, version } = await system.call(GetStrategy, { id: 'first' }, who.main);
  expect(version).toBe(3);
  if (state === 'RUNNING') await setState('first', 3, 'IDLE');
}

/** A lane is reordered as a whole or not at all. */
async function laneIsReordered(): Promise<void> {
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
}

/** An archived strategy stays as it was. */
async function archivedStays(): Promise<void> {
  const { version } = await system.call(GetStrategy, { id: 'first' }, who.main);
  await expect(setState('first', version, 'RUNNING')).rejects.toEqual(refusal('STATE_CHANGE_REFUSED'));
  await expect(system.call(ArchiveStrategy, { id: 'first' }, who.main)).rejects.toEqual(
    refusal('STATE_CHANGE_REFUSED'),
  );
}

/** Limits and kill switch, each change on the version it was read. */
async function engineLimitsChange(): Promise<void> {
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
}

/** What runs is shown with what it sees and how it judges. */
async function runningIsShown(): Promise<void> {
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
}

/** There is one emergency exit per source; arming it locks its source. */
async function exitLocksItsSource(): Promise<void> {
  const both = await until('the exits are there', async () => {
    const found = await exits();
    return found.length === 2 && found;
  });
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
}

/** A back-test says when it would have fired, with what, and what it replayed. */
async function backtestSaysWhen(): Promise<void> {
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
}

/** What cannot be run says why. */
async function unrunnableSaysWhy(): Promise<void> {
  const ask = (over: object) =>
    system.call(Backtest, { ...ref(), ...range, strategy_ids: ['second'], ...over }, who.main);
  await expect(ask({ strategy_ids: ['nobody'] })).rejects.toEqual(refusal('STRATEGY_NOT_FOUND'));
  await expect(ask({ strategy_ids: [] })).rejects.toEqual(refusal('VALIDATION_FAILED'));
  await expect(ask({ from: range.to, to: range.from })).rejects.toEqual(refusal('RANGE_REVERSED'));
  await expect(system.call(Backtest, { ...ref(), ...range, strategy_ids: ['second'] }, who.stranger)).rejects.toEqual(
    refusal('ROLE_REQUIRED'),
  );
}

/** A run is kept once, found again, and deleted. */
async function runIsKeptOnce(): Promise<void> {
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
    (await system.call(LookUpSimulation, { ...ref(), request: { ...request, slippage_bps: 1 } }, who.main)).simulation,
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
}

/** Every write is in the audit log, under the wallet that made it. */
async function writesAreAudited(): Promise<void> {
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
}

test('default: a strategy from its draft to the archive, with the engine, simulations and the audit log', async () => {
  await soundIsKept();
  await faultsAreReported();
  await validatingSavesNothing();
  await idIsTakenOnce();
  await publicSeesWhatNotWhen();
  await staleVersionIsRefused();
  await oneOfTwoWins();
  await laneIsReordered();
  await archivedStays();
  await engineLimitsChange();
  await runningIsShown();
  await exitLocksItsSource();
  await backtestSaysWhen();
  await unrunnableSaysWhy();
  await runIsKeptOnce();
  await writesAreAudited();
});
