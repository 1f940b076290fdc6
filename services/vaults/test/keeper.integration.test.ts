import {
  AppError,
  GetKeeperRecord,
  ListIntentEvents,
  ListIntentFills,
  ListStrategies,
  SetStrategyState,
  UpdateEngineVault,
} from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { deposit, leavesOf, one, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { exitIdOf } from '../src/strategies/follow.ts';
import { chain_id } from './harness.ts';
import { KeeperWorld, limits } from './keeper-world.ts';

/** The keeper against the development contracts, through the services that feed it. A chain and a store for each group of tests. */

let world: KeeperWorld;
const startWorld = async (): Promise<void> => {
  world = await KeeperWorld.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle } = protocol;
    for (const { address } of sources)
      await chain.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
  });
  await world.authorise([source(0)]);
  // Many intents within a minute are what these tests are made of.
  await world.system.call(UpdateEngineVault, { ...world.vault, max_intents_per_minute: 600 }, who.main);
};
const stopWorld = async (): Promise<void> => world?.stop();

const protocol = () => world.system.protocol;
const chain = () => world.system.chain;
const source = (index: 0 | 1 = 0): Address => world.system.protocol.sources[index].address;
const idle = () => chain().read<bigint>(protocol().asset, 'balanceOf', [protocol().strategy.address]);
const shares = (index: 0 | 1 = 0) =>
  chain().read<bigint>(protocol().sources[index], 'balanceOf', [protocol().strategy.address]);
const only = (id: string) => world.only(id);
const stop = (id: string) => world.halt(id);
const away = new AppError('RPC_UNAVAILABLE', 'No node answered.');
const farHead = async () => {
  const { number, time } = await world.ports().chain.head();
  return { number: number + 100, time: time + 30 };
};
const refused = (...args: Parameters<KeeperWorld['refused']>) => world.refused(...args);

/** A strategy that moves idle cash above its rule into the source runs, and has done so once. */
async function moveIdleCash(): Promise<void> {
  await world.run('idle-to-a', { action: {} });
  await world.passes();
  await world.passes();
}

/** Idle cash above its rule moves into the source, and the history shows how. */
async function idleCashMoves(): Promise<void> {
  await moveIdleCash();
  expect(await idle()).toBe(100n * one);
  expect(await shares()).toBe(900n * one);
  const intent = await only('idle-to-a');
  expect(intent).toMatchObject({
    state: 'COMPLETED',
    action: 'DEPOSIT',
    amount: `${900n * one}`,
    total_amount_in: `${900n * one}`,
    total_amount_out: `${900n * one}`,
    fills_count: 1,
    error_code: null,
  });
  expect(BigInt(intent.gas_used_total)).toBeGreaterThan(50_000n);
  const { events } = await world.system.call(ListIntentEvents, { id: intent.intent_id }, who.main);
  expect(events.map(({ message_type }) => message_type)).toEqual([
    'RECEIVE',
    'ACK',
    'STAGE',
    'PLAN',
    'EXECUTE',
    'FILL',
    'COMPLETE',
  ]);
  expect(events[3]?.payload).toMatchObject({
    plan: { hook: protocol().depositHook.address, root: 'strategy', least_out: `${(900n * one * 9_950n) / 10_000n}` },
  });
  const { fills } = await world.system.call(ListIntentFills, { id: intent.intent_id }, who.main);
  expect(fills).toMatchObject([
    { venue: 'Source A', token_in: protocol().asset.address, token_out: source(), amount_in: `${900n * one}` },
  ]);
}

/** Below its rule nothing is sent, however many blocks come. */
async function nothingMovesBelowTheRule(): Promise<void> {
  const before = await world.sent();
  await world.block();
  await world.passes(2);
  expect(await world.sent()).toBe(before);
  expect(await world.look('idle-to-a')).toEqual({ outcome: 'rule_false', code: null });
  await stop('idle-to-a');
}

/** A withdrawal brings shares back as assets, once its ticks have held. */
async function withdrawalBringsAssetsBack(): Promise<void> {
  await world.run('a-to-idle', {
    rules: { type: 'EXPR', expr: 'vault_free_assets < 300_000_000' },
    conviction_config: { mode: 'BINARY', required_ticks: 2 },
    cooldown_ms: 3_600_000,
    action: {
      action: 'WITHDRAWAL',
      size_expr: '300_000_000',
      execution_address: protocol().redeemHook.address,
    },
  });
  await world.passes(3);
  expect(await world.intents('a-to-idle')).toEqual([]);
  await world.block();
  await world.passes(2);
  expect(await only('a-to-idle')).toMatchObject({
    state: 'COMPLETED',
    token_in: source(),
    token_out: protocol().asset.address,
    total_amount_out: `${300n * one}`,
  });
  expect(await idle()).toBe(400n * one);
  await stop('a-to-idle');
}

/** Two transactions of strategies are over: each with what it cost by its receipt, for those with a role alone. */
async function whatWasDoneIsKept(): Promise<void> {
  const record = await world.system.call(GetKeeperRecord, world.vault, who.main);
  const paid = await Promise.all(
    record.runs.map(async ({ tx_hash }) => {
      const { gasUsed, effectiveGasPrice } = await chain().client.getTransactionReceipt({ hash: tx_hash as Address });
      return gasUsed * effectiveGasPrice;
    }),
  );
  expect(record.runs).toMatchObject([
    { kind: 'intent', strategy_id: 'a-to-idle', result: 'done', code: null, fee: String(paid[0]) },
    { kind: 'intent', strategy_id: 'idle-to-a', result: 'done', code: null, fee: String(paid[1]) },
  ]);
  const fee = String(paid.reduce((sum, each) => sum + each, 0n));
  expect(record.totals).toMatchObject([{ kind: 'intent', done: 2, failed: 0, stopped: 0, with_receipt: 2, fee }]);
  expect(record.spending).toMatchObject({ transactions: 2, fee });
  expect(record.queue).toEqual({ open: null, active_intents: 0, waiting_requests: 0 });
  const first = await world.system.call(GetKeeperRecord, { ...world.vault, limit: 1 }, who.main);
  const cursor = first.next_cursor ?? '';
  const second = await world.system.call(GetKeeperRecord, { ...world.vault, limit: 1, cursor }, who.main);
  expect([...first.runs, ...second.runs]).toEqual(record.runs);
  const invented = world.system.call(GetKeeperRecord, { ...world.vault, cursor: 'AAAA' }, who.main);
  await expect(invented).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
  const stranger = world.system.call(GetKeeperRecord, world.vault, who.bob);
  await expect(stranger).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
}

describe('a strategy that runs', () => {
  beforeAll(startWorld);
  afterAll(stopWorld);

  test('default: moves idle cash above its rule into the source, nothing below it, and brings assets back', async () => {
    await idleCashMoves();
    await nothingMovesBelowTheRule();
    await withdrawalBringsAssetsBack();
    await whatWasDoneIsKept();
  });
});

describe('nothing is sent', () => {
  beforeAll(async () => {
    await startWorld();
    await moveIdleCash();
    await stop('idle-to-a');
  });
  afterAll(stopWorld);

  const always = { type: 'EXPR' as const, expr: 'vault_free_assets > 0' };
  const small = (id: string, action: object = {}) =>
    world.run(id, { rules: always, cooldown_ms: 86_400_000, action: { size_expr: '10_000_000', ...action } });
  const small_out = (id: string) =>
    small(id, { action: 'WITHDRAWAL', execution_address: protocol().redeemHook.address });

  test.each<[string, string, Parameters<KeeperWorld['ports']>[0]]>([
    ['when the source has no price', 'PRICE_MISSING', { on: { quote: async () => null } }],
    ['when the node is away', 'RPC_UNAVAILABLE', { on: { simulate: () => Promise.reject(away) } }],
    ['when the hook does not answer', 'PROOF_NOT_FOUND', { on: { inspect: async () => null } }],
    ['when the registry has no such hook', 'HOOK_NOT_FOUND', { hooks: async () => [] }],
    ['when gas is dearer than the limit', 'GAS_TOO_DEAR', { settings: { ...limits, maxFee: 1n } }],
    ['when the key cannot pay', 'LOW_GAS', { on: { balance: async () => 1n } }],
    ['when the snapshot is old', 'SNAPSHOT_STALE', { now: () => Date.now() + 7_200_000 }],
    ['when the head is far from the snapshot', 'SNAPSHOT_STALE', { on: { head: farHead } }],
    ['when the vault cannot be read', 'SNAPSHOT_MISSING', { facts: { live: () => Promise.reject(away) } }],
  ])('error: %s', async (name, code, over) => {
    const id = name.replaceAll(' ', '-');
    await small(id);
    await refused(id, code, () => world.passes(2, over).catch(() => undefined));
  });

  test('error: without a leaf for the source', async () => {
    await small('unproven', { target_address: source(1) });
    await refused('unproven', 'PROOF_NOT_FOUND', () => world.passes(2));
  });

  test('error: when an action is none of the keeper`s', async () => {
    await small('bridges', { action: 'BRIDGE' });
    await refused('bridges', 'ACTION_UNSUPPORTED', () => world.passes(2));
  });

  test('error: while the vault is paused, or its price has expired', async () => {
    await small('paused');
    await chain().send(who.main, protocol().aggregator, 'pauseStrategy', [protocol().strategy.address]);
    await refused('paused', 'STRATEGY_PAUSED', () => world.passes(2));
    await chain().send(who.main, protocol().aggregator, 'unpauseStrategy', [protocol().strategy.address]);
    await price(chain(), protocol(), one);
    await small('expired');
    await refused('expired', 'PPS_EXPIRED', async () => {
      const standing = world.ports().chain.standing;
      const old = async (...args: Parameters<typeof standing>) => ({ ...(await standing(...args)), priceTime: 0 });
      await world.passes(2, { on: { standing: old } });
    });
  });

  test('error: when less would come out than the strategy allows', async () => {
    await small_out('slips');
    const { simulate } = world.ports().chain;
    // The loss comes after the decision and before the signature.
    const losing: typeof simulate = async (from, call) => {
      await chain().send(who.deployer, protocol().sources[0], 'lose', [100n]);
      return simulate(from, call);
    };
    await refused('slips', 'SLIPPAGE_EXCEEDED', () => world.passes(1, { on: { simulate: losing } }));
  });

  test('error: once the kill switch is on, even between decision and signature', async () => {
    const kill = (kill_switch: boolean) =>
      world.system.call(UpdateEngineVault, { ...world.vault, kill_switch }, who.main);
    await small('killed-late');
    const { quote } = world.ports().chain;
    const killing: typeof quote = async (of) => {
      await kill(true);
      return quote(of);
    };
    await refused('killed-late', 'KILL_SWITCH', () => world.passes(1, { on: { quote: killing } }));
    await small('killed');
    await refused('killed', 'KILL_SWITCH', () => world.passes(2));
    await kill(false);
  });

  test('error: when the strategy was stopped between decision and signature', async () => {
    await small('stopped-late');
    const { quote } = world.ports().chain;
    const stopping: typeof quote = async (of) => {
      await stop('stopped-late');
      return quote(of);
    };
    await refused('stopped-late', 'STRATEGY_CHANGED', () => world.passes(1, { on: { quote: stopping } }));
  });

  test('error: beyond the intents that a minute may have', async () => {
    const limit = (max_intents_per_minute: number) =>
      world.system.call(UpdateEngineVault, { ...world.vault, max_intents_per_minute }, who.main);
    // What is refused takes nothing from the others: only what was sent counts for them.
    await small('sent-first');
    await world.passes(3);
    expect(await only('sent-first')).toMatchObject({ state: 'COMPLETED' });
    await stop('sent-first');
    await limit(1);
    await small('hasty');
    await refused('hasty', 'RATE_LIMITED', () => world.passes(2));
    await limit(600);
  });

  test('error: when the key is no manager of the vault', async () => {
    const { aggregator, strategy } = protocol();
    await chain().send(who.main, aggregator, 'removeSecondaryManager', [strategy.address, who.secondary]);
    await small('stranger');
    await refused('stranger', 'NOT_A_MANAGER', () => world.passes(2));
    await chain().send(who.main, aggregator, 'addSecondaryManager', [strategy.address, who.secondary]);
  });

  test('error: under a root that is no stored tree, with a banned leaf, or under a veto', async () => {
    const { aggregator, governor, strategy } = protocol();
    const root = await chain().read<string>(aggregator, 'getStrategyHooksRoot', [strategy.address]);
    const setRoot = async (to: string) => {
      await chain().send(who.main, aggregator, 'proposeStrategyHooksRoot', [strategy.address, to]);
      await chain().pass(16 * 60);
      await chain().send(who.main, aggregator, 'executeStrategyHooksRootUpdate', [strategy.address]);
      await price(chain(), protocol(), one);
    };
    await setRoot(`0x${'11'.repeat(32)}`);
    await small('foreign-root');
    await refused('foreign-root', 'PROOF_NOT_FOUND', () => world.passes(2));

    await chain().send(who.deployer, governor, 'proposeGlobalHooksRoot', [root]);
    await chain().pass(16 * 60);
    await chain().send(who.stranger, aggregator, 'executeGlobalHooksRootUpdate');
    await price(chain(), protocol(), one);
    await small('by-global-root');
    await world.passes(3);
    expect(await only('by-global-root')).toMatchObject({ state: 'COMPLETED' });
    await stop('by-global-root');

    const { depositLeaf } = leavesOf(protocol());
    const ban = (is: boolean) =>
      chain().send(who.main, aggregator, 'changeGlobalLeavesStatus', [[depositLeaf], [is], strategy.address]);
    await ban(true);
    await small('banned');
    await refused('banned', 'PROOF_REJECTED', () => world.passes(2));
    await ban(false);

    const veto = (is: boolean) =>
      chain().send(who.deployer, governor, 'setStrategyHooksRootVetoStatus', [strategy.address, is]);
    await veto(true);
    await small('vetoed');
    await refused('vetoed', 'VETOED', () => world.passes(2));
    await veto(false);
    await setRoot(root);
  });
});

describe('an emergency exit', () => {
  beforeAll(async () => {
    await startWorld();
    await moveIdleCash();
    await stop('idle-to-a');
  });
  afterAll(stopWorld);

  test('default: drains its source in the vault`s next turn, locks its strategies, and ends when it is stopped', async () => {
    const id = exitIdOf(chain_id, protocol().vault.address, source());
    // An exit is made in the pass after the one that indexes its source.
    const exit = await until('the exit is there', async () =>
      (await world.system.call(ListStrategies, world.vault, who.main)).strategies.find((item) => item.id === id),
    );
    await world.run('into-a', {
      rules: { type: 'EXPR', expr: 'vault_free_assets > 0' },
      cooldown_ms: 86_400_000,
      action: { size_expr: '10_000_000' },
    });
    expect(await shares()).toBeGreaterThan(0n);
    await world.system.call(SetStrategyState, { id, version: exit.version, target_state: 'RUNNING' }, who.main);
    // Even while the vault is paused: what is in danger must come back.
    await chain().send(who.main, protocol().aggregator, 'pauseStrategy', [protocol().strategy.address]);
    await world.passes(4);
    expect(await shares()).toBe(0n);
    expect(await only(id)).toMatchObject({ state: 'COMPLETED', action: 'WITHDRAWAL', strategy_id: id });
    expect(await world.look('into-a')).toEqual({ outcome: 'blocked', code: 'EMERGENCY_LOCK_ACTIVE' });
    await chain().send(who.main, protocol().aggregator, 'unpauseStrategy', [protocol().strategy.address]);
    await price(chain(), protocol(), one);
    await world.passes(3);
    // Drained, it stays armed: it holds the lock until a person stops it.
    expect(await world.look(id)).toEqual({ outcome: 'rule_false', code: null });
    expect(await world.intents('into-a')).toEqual([]);
    await stop(id);
    await world.passes(3);
    expect(await only('into-a')).toMatchObject({ state: 'COMPLETED' });
    await stop('into-a');
  });
});
