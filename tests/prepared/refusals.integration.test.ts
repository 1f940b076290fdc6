import { type PreparedArgs, type PreparedKind, preparedKinds, routes } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { zeroAddress } from 'viem';
import { deposit, one, person, price, who } from '../../packages/protocol/test/test-chain.ts';
import { descriptionOf } from '../../services/gateway/src/openapi/descriptions.ts';
import {
  addSource,
  allow,
  allowAssets,
  asks,
  asMain,
  banLeaf,
  cancel,
  DAY,
  gains,
  give,
  giveAssets,
  holds,
  newcomer,
  otherRoot,
  pairOf,
  proposeExpiration,
  proposeFees,
  proposeInterval,
  proposeRoot,
  request,
  scenes,
  someLeaf,
} from '../../services/vaults/test/change-scenes.ts';
import { PrepareBench, strangeRoot } from '../../services/vaults/test/prepare-bench.ts';

/**
 * Every refusal a prepare can meet: the service names it before a wallet opens, and the transaction, forced and sent, reverts
 * with it and nothing else.
 */

let bench: PrepareBench;
beforeAll(async () => {
  bench = await PrepareBench.start();
});
afterAll(async () => bench?.stop());
beforeEach(async () => bench.reset());

type State = (bench: PrepareBench) => Promise<unknown>;
type Case<K extends PreparedKind = PreparedKind> = {
  kind: K;
  code: string;
  state: State;
  args: (bench: PrepareBench) => PreparedArgs<K>;
};

const asSetUp: State = async () => undefined;
const refused = <K extends PreparedKind>(
  kind: K,
  code: string,
  state: State = asSetUp,
  args: Case<K>['args'] = scenes[kind].args,
) => ({ kind, code, state, args }) as unknown as Case;

/** Governance replaces the primary manager and clears the others; what is indexed does not know yet. */
const takenOver: State = ({ chain, protocol }) =>
  chain.send(who.deployer, protocol.governor, 'changePrimaryManager', [protocol.strategy.address, who.bob, who.bob]);

const guardOf: Partial<Record<PreparedKind, 'UNAUTHORIZED_UPDATE_AUTHORITY' | 'MANAGER_NOT_AUTHORIZED'>> = {
  add_secondary_manager: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  remove_secondary_manager: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  cancel_primary_change: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  propose_fees: 'MANAGER_NOT_AUTHORIZED',
  execute_fees: 'MANAGER_NOT_AUTHORIZED',
  skim_fees: 'MANAGER_NOT_AUTHORIZED',
  set_deviation_threshold: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  propose_expiration: 'MANAGER_NOT_AUTHORIZED',
  execute_expiration: 'MANAGER_NOT_AUTHORIZED',
  cancel_expiration: 'MANAGER_NOT_AUTHORIZED',
  propose_min_update_interval: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  cancel_min_update_interval: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  propose_upkeep_withdrawal: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  pause: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  unpause: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  add_yield_sources: 'MANAGER_NOT_AUTHORIZED',
  update_yield_source_oracles: 'MANAGER_NOT_AUTHORIZED',
  remove_yield_sources: 'MANAGER_NOT_AUTHORIZED',
  propose_hooks_root: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  ban_hook_leaves: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  allow_hook_leaves: 'UNAUTHORIZED_UPDATE_AUTHORITY',
  fulfil_redemptions: 'MANAGER_NOT_AUTHORIZED',
  fulfil_cancellations: 'MANAGER_NOT_AUTHORIZED',
};
const unauthorized = Object.entries(guardOf).map(([kind, code]) =>
  refused(kind as PreparedKind, code, async (at) => {
    await scenes[kind as PreparedKind].ready(at);
    await takenOver(at);
  }),
);

const crowded: State = async (at) => {
  for (const index of [20, 21, 22, 23]) await asMain(at, 'aggregator', 'addSecondaryManager', [person(index).address]);
};
const managers = [
  refused('add_secondary_manager', 'ZERO_ADDRESS', asSetUp, () => ({ manager_address: zeroAddress })),
  refused('add_secondary_manager', 'SECONDARY_MANAGER_CANNOT_BE_PRIMARY', asSetUp, () => ({
    manager_address: who.main,
  })),
  refused('add_secondary_manager', 'MANAGER_ALREADY_EXISTS', crowded, () => ({ manager_address: who.secondary })),
  refused('add_secondary_manager', 'TOO_MANY_SECONDARY_MANAGERS', crowded),
  refused('remove_secondary_manager', 'MANAGER_NOT_FOUND'),
  refused('cancel_primary_change', 'NO_PENDING_MANAGER_CHANGE'),
];

const early =
  (propose: State, seconds: number): State =>
  async (at) => {
    await propose(at);
    await at.chain.pass(seconds);
  };
const paused: State = (at) => asMain(at, 'aggregator', 'pauseStrategy');
const released: State = async (at) => {
  await gains(at);
  await paused(at);
  await asMain(at, 'aggregator', 'unpauseStrategy');
};
/** The strategy's idle assets leave it. */
const emptied: State = async (at) => {
  const { asset, strategy } = at.protocol;
  const idle = await at.chain.read<bigint>(asset, 'balanceOf', [strategy.address]);
  await at.sendAs(strategy.address, asset.address, at.chain.encode(asset, 'transfer', [who.bob, idle]));
};
const lent: State = async (at) => {
  await gains(at);
  await emptied(at);
};
const fees = [
  refused('propose_fees', 'ZERO_ADDRESS', asSetUp, () => ({
    performance_fee_bps: 5_100,
    management_fee_bps: 10_000,
    recipient: zeroAddress,
  })),
  refused('propose_fees', 'INVALID_PERFORMANCE_FEE_BPS', asSetUp, () => ({
    performance_fee_bps: 5_101,
    management_fee_bps: 0,
    recipient: zeroAddress,
  })),
  refused('propose_fees', 'INVALID_PERFORMANCE_FEE_BPS', asSetUp, () => ({
    performance_fee_bps: 0,
    management_fee_bps: 10_001,
    recipient: who.bob,
  })),
  refused('execute_fees', 'NO_PROPOSAL'),
  refused('execute_fees', 'NO_PROPOSAL', async (at) => {
    await scenes.execute_fees.ready(at);
    await asMain(at, 'strategy', 'executeVaultFeeConfigUpdate');
  }),
  refused('execute_fees', 'INVALID_TIMESTAMP', early(proposeFees, 7 * DAY - 60)),
  refused('skim_fees', 'STRATEGY_PAUSED', async (at) => {
    await gains(at);
    await paused(at);
  }),
  refused('skim_fees', 'STALE_PPS', early(released, DAY / 2 + 60)),
  refused('skim_fees', 'PPS_EXPIRED', early(gains, DAY + 60)),
  refused('skim_fees', 'SKIM_TIMELOCK_ACTIVE', early(released, DAY / 2 - 60)),
  refused('skim_fees', 'SKIM_TIMELOCK_ACTIVE', async (at) => {
    await released(at);
    await paused(at);
  }),
  refused('skim_fees', 'NOT_ENOUGH_FREE_ASSETS_FEE_SKIM', lent),
];

const pps = [
  refused('propose_expiration', 'INVALID_PPS_EXPIRY_THRESHOLD', asSetUp, () => ({ expiration_seconds: 59 })),
  refused('propose_expiration', 'INVALID_PPS_EXPIRY_THRESHOLD', asSetUp, () => ({ expiration_seconds: 604_801 })),
  refused('execute_expiration', 'NO_PROPOSAL'),
  refused('execute_expiration', 'INVALID_TIMESTAMP', early(proposeExpiration, 7 * DAY - 60)),
  refused('cancel_expiration', 'NO_PROPOSAL'),
  refused('propose_min_update_interval', 'MIN_UPDATE_INTERVAL_TOO_HIGH', asSetUp, () => ({
    min_update_interval_seconds: 3_600,
  })),
  refused('execute_min_update_interval', 'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE'),
  refused('execute_min_update_interval', 'TIMELOCK_NOT_EXPIRED', early(proposeInterval, 3 * DAY - 60)),
  refused('cancel_min_update_interval', 'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE'),
];

const proposeWithdrawal: State = (at) => asMain(at, 'aggregator', 'proposeWithdrawUpkeep');
const upkeep = [
  refused('deposit_upkeep', 'ZERO_AMOUNT', asSetUp, () => ({ amount: '0' })),
  refused('deposit_upkeep', 'ERC20InsufficientBalance', async (at) => {
    await give(at, who.main, 499n);
    await allow(at, who.main, 500n);
  }),
  refused('propose_upkeep_withdrawal', 'ZERO_AMOUNT', async (at) => {
    await scenes.execute_upkeep_withdrawal.ready(at);
    await asMain(at, 'aggregator', 'executeWithdrawUpkeep');
  }),
  refused('execute_upkeep_withdrawal', 'UPKEEP_WITHDRAWAL_NOT_FOUND'),
  refused('execute_upkeep_withdrawal', 'UPKEEP_WITHDRAWAL_NOT_READY', early(proposeWithdrawal, DAY - 60)),
];

const pauses = [refused('pause', 'STRATEGY_ALREADY_PAUSED', paused), refused('unpause', 'STRATEGY_NOT_PAUSED')];

const noOracle = (at: PrepareBench) => ({ sources: [{ ...pairOf(at), oracle_address: zeroAddress }] });
const nowhere = { source_address: zeroAddress };
const twice = (at: PrepareBench) => ({ sources: [pairOf(at), pairOf(at)] });
const sources = [
  refused('add_yield_sources', 'ZERO_ADDRESS', asSetUp, noOracle),
  refused('add_yield_sources', 'ZERO_ADDRESS', addSource, (at) => ({
    sources: [{ ...pairOf(at), ...nowhere }, pairOf(at)],
  })),
  refused('add_yield_sources', 'YIELD_SOURCE_ALREADY_EXISTS', addSource),
  refused('add_yield_sources', 'YIELD_SOURCE_ALREADY_EXISTS', asSetUp, twice),
  refused('add_yield_sources', 'YIELD_SOURCE_ALREADY_EXISTS', addSource, (at) => ({
    sources: [pairOf(at), { ...pairOf(at), ...nowhere }],
  })),
  refused('update_yield_source_oracles', 'ZERO_ADDRESS', addSource, noOracle),
  refused('update_yield_source_oracles', 'YIELD_SOURCE_NOT_FOUND'),
  refused('remove_yield_sources', 'ZERO_ADDRESS', addSource, () => ({ sources: [nowhere] })),
  refused('remove_yield_sources', 'YIELD_SOURCE_NOT_FOUND'),
  refused('remove_yield_sources', 'YIELD_SOURCE_NOT_FOUND', addSource, (at) => ({
    sources: [pairOf(at), pairOf(at)].map(({ source_address }) => ({ source_address })),
  })),
];

const hooks = [
  refused('execute_hooks_root', 'NO_PENDING_MANAGER_CHANGE'),
  refused('execute_hooks_root', 'ROOT_UPDATE_NOT_READY', early(proposeRoot, 14 * 60)),
];

const requested =
  (then: State): State =>
  async (at) => {
    await request(at);
    await then(at);
  };
const redemptions = [
  refused('fulfil_redemptions', 'STRATEGY_PAUSED', requested(paused)),
  refused(
    'fulfil_redemptions',
    'STALE_PPS',
    requested(async (at) => {
      await paused(at);
      await asMain(at, 'aggregator', 'unpauseStrategy');
    }),
  ),
  refused('fulfil_redemptions', 'PPS_EXPIRED', early(request, DAY + 60)),
  refused('fulfil_redemptions', 'ZERO_SHARE_FULFILLMENT_DISALLOWED'),
  refused(
    'fulfil_redemptions',
    'BOUNDS_EXCEEDED',
    requested((at) => price(at.chain, at.protocol, 900_000n)),
  ),
  refused('fulfil_redemptions', 'INSUFFICIENT_LIQUIDITY', requested(emptied)),
  refused('fulfil_cancellations', 'REQUEST_NOT_FOUND', request),
];

const vetoed: State = ({ chain, protocol }) =>
  chain.send(who.deployer, protocol.governor, 'setGlobalHooksRootVetoStatus', [true]);
const unpriced: State = async (at) => {
  await paused(at);
  await asMain(at, 'aggregator', 'unpauseStrategy');
};
const late: State = (at) => at.chain.pass(DAY + 60);
const funded =
  (then: State): State =>
  async (at) => {
    await scenes.deposit.ready(at);
    await then(at);
  };
const holding =
  (then: State): State =>
  async (at) => {
    await holds(at, who.main);
    await then(at);
  };
const cancelled: State = async (at) => {
  await asks(at, who.main);
  await at.chain.send(who.main, at.protocol.vault, 'cancelRedeemRequest', [0n, who.main]);
};
const dearer: State = async (at) => {
  await holds(at, who.alice);
  await price(at.chain, at.protocol, 1_100_000n);
};
const position = [
  refused('deposit', 'ERC20InsufficientBalance', async (at) => {
    await giveAssets(at, who.main, 100n * one - 1n);
    await allowAssets(at, who.main, 100n * one);
  }),
  refused('deposit', 'OPERATIONS_BLOCKED_BY_VETO', funded(vetoed)),
  refused('deposit', 'STRATEGY_PAUSED', funded(paused)),
  refused('deposit', 'STALE_PPS', funded(unpriced)),
  refused('deposit', 'PPS_EXPIRED', funded(late)),
  refused('deposit', 'INVALID_AMOUNT', funded(dearer), () => ({ assets: '1' })),
  refused('request_redemption', 'INVALID_AMOUNT', holding(asSetUp), () => ({ shares: `${100n * one + 1n}` })),
  refused('request_redemption', 'CANCELLATION_REDEEM_REQUEST_PENDING', cancelled),
  refused('request_redemption', 'STRATEGY_PAUSED', holding(paused)),
  refused('request_redemption', 'STALE_PPS', holding(unpriced)),
  refused('request_redemption', 'PPS_EXPIRED', holding(late)),
  refused('cancel_redemption', 'REQUEST_NOT_FOUND', holding(asSetUp)),
  refused('cancel_redemption', 'CANCELLATION_REDEEM_REQUEST_PENDING', cancelled),
  refused('claim_redemption', 'INVALID_WITHDRAW_PRICE', (at) => asks(at, who.main)),
  refused('claim_cancelled_shares', 'REQUEST_NOT_FOUND', cancelled),
];

const cases = [
  ...unauthorized,
  ...managers,
  ...fees,
  ...pps,
  ...upkeep,
  ...pauses,
  ...sources,
  ...hooks,
  ...redemptions,
  ...position,
];

const prepare = ({ kind, args }: Case, force: boolean) =>
  bench.prepare({ kind, args: args(bench), wallet: who.main, force } as never);

describe('refusals of the chain', () => {
  test.each(cases.map((item) => [item.kind, item.code, item] as const))('error: %s: %s', async (_kind, code, item) => {
    await item.state(bench);
    const error = await prepare(item, false).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code, data: { revert_reason: code } });
    const { preconditions } = (error as { data: { preconditions: { code: string; ok: boolean }[] } }).data;
    expect(preconditions.find(({ ok }) => !ok)).toMatchObject({ code });
    const [call] = await prepare(item, true);
    expect(call?.simulation).toEqual({ ok: false, revert_reason: code });
    expect(await bench.send(who.main, call as never)).toBe(code);
  });

  test('error: deposit: ERC20InsufficientAllowance for the second step before the first is mined', async () => {
    await giveAssets(bench, who.main, one);
    const steps = await bench.prepare({ kind: 'deposit', args: { assets: `${one}` }, wallet: who.main });
    expect(steps.map(({ decoded }) => decoded.function)).toEqual(['approve', 'deposit']);
    expect(steps[1]?.preconditions.find(({ ok }) => !ok)).toMatchObject({ code: 'ERC20InsufficientAllowance' });
    const [approve, pay] = steps as [(typeof steps)[0], (typeof steps)[0]];
    expect(await bench.send(who.main, pay)).toBe('ERC20InsufficientAllowance');
    expect([await bench.send(who.main, approve), await bench.send(who.main, pay)]).toEqual(['ok', 'ok']);
  });

  test('error: deposit_upkeep: ERC20InsufficientAllowance for the second step before the first is mined', async () => {
    await give(bench, who.main, 500n);
    const steps = await bench.prepare({ kind: 'deposit_upkeep', args: { amount: '500' }, wallet: who.main });
    expect(steps.map(({ decoded }) => decoded.function)).toEqual(['approve', 'depositUpkeep']);
    expect(steps[1]?.preconditions.find(({ ok }) => !ok)).toMatchObject({ code: 'ERC20InsufficientAllowance' });
    const [approve, pay] = steps as [(typeof steps)[0], (typeof steps)[0]];
    expect(await bench.send(who.main, pay)).toBe('ERC20InsufficientAllowance');
    expect([await bench.send(who.main, approve), await bench.send(who.main, pay)]).toEqual(['ok', 'ok']);
  });
});

/** The chain would take these; the service says no for what would come of it, and gives way to force. */
const ours = [
  refused('skim_fees', 'NOTHING_TO_SKIM', async (at) => {
    await deposit(at.chain, at.protocol, who.alice, 1_000n * one);
  }),
  refused('skim_fees', 'NOTHING_TO_SKIM', async (at) => {
    await gains(at);
    await price(at.chain, at.protocol, 999_999n);
  }),
  refused('add_yield_sources', 'ORACLE_UNFIT', asSetUp, (at) => ({
    sources: [{ ...pairOf(at), oracle_address: newcomer }],
  })),
  refused('add_yield_sources', 'ORACLE_UNFIT', asSetUp, (at) => ({
    sources: [pairOf(at), { ...pairOf(at), source_address: at.protocol.asset.address }],
  })),
  refused('update_yield_source_oracles', 'ORACLE_UNFIT', addSource, (at) => ({
    sources: [{ ...pairOf(at), oracle_address: at.protocol.asset.address }],
  })),
  refused('remove_yield_sources', 'YIELD_SOURCE_FUNDED', async (at) => {
    await addSource(at);
    const {
      asset,
      sources: [source],
      strategy,
    } = at.protocol;
    await at.chain.send(who.alice, asset, 'mint', [who.alice, one]);
    await at.chain.send(who.alice, asset, 'approve', [source.address, one]);
    await at.chain.send(who.alice, source, 'deposit', [one, strategy.address]);
  }),
];

const oursOfHooks = [
  refused('propose_hooks_root', 'HOOKS_TREE_UNKNOWN', asSetUp, () => ({ root: strangeRoot })),
  refused('propose_hooks_root', 'HOOKS_ROOT_UNCHANGED', proposeRoot),
  refused('propose_hooks_root', 'HOOKS_ROOT_UNCHANGED', async (at) => {
    await scenes.execute_hooks_root.ready(at);
    await asMain(at, 'aggregator', 'executeStrategyHooksRootUpdate');
  }),
  refused('ban_hook_leaves', 'LEAVES_UNCHANGED', banLeaf, () => ({ leaves: [someLeaf] })),
  refused('allow_hook_leaves', 'LEAVES_UNCHANGED', banLeaf, () => ({ leaves: [otherRoot] })),
];
ours.push(...oursOfHooks, refused('fulfil_redemptions', 'REDEMPTION_CANCELLED', requested(cancel)));

describe('refusals of our own', () => {
  test.each(ours.map((item) => [item.kind, item.code, item] as const))('error: %s: %s', async (_kind, code, item) => {
    await item.state(bench);
    await expect(prepare(item, false)).rejects.toMatchObject({ code, data: { revert_reason: code } });
    const [call] = await prepare(item, true);
    expect(call?.simulation).toEqual({ ok: true, revert_reason: null });
    expect(await bench.send(who.main, call as never)).toBe('ok');
  });
});

test('behavior: every refusal the API declares is among these, and these are declared', () => {
  const common = [
    'ROLE_REQUIRED',
    'TOO_MANY_PREPARED',
    'STEP_UP_REQUIRED',
    'VAULT_NOT_FOUND',
    'CHAIN_NOT_FOUND',
    'WOULD_REVERT',
  ];
  const declared = new Map<string, Set<string>>();
  for (const { id, toParams } of Object.values(routes) as unknown as PrepareRoute[]) {
    if (!/^prepare[A-Z]/.test(id)) continue;
    const { errors = [] } = descriptionOf({ id });
    const { kind } = toParams({ params: {}, query: {}, body: {} });
    const codes = declared.get(kind) ?? new Set();
    for (const code of errors) if (!common.includes(code)) codes.add(code);
    declared.set(kind, codes);
  }
  const proven = new Map<string, Set<string>>(preparedKinds.map((kind) => [kind, new Set()]));
  for (const { kind, code } of [...cases, ...ours]) proven.get(kind)?.add(code);
  for (const kind of ['deposit_upkeep', 'deposit'] as const) proven.get(kind)?.add('ERC20InsufficientAllowance');
  // Of the mandate and not of the chain: services/vaults/src/mandates/objections.test.ts.
  for (const kind of ['add_secondary_manager', 'propose_fees', 'execute_fees'] as const)
    proven.get(kind)?.add('MANDATE_REFUSES');
  expect(proven).toEqual(declared);
});

type PrepareRoute = {
  id: string;
  toParams(input: { params: unknown; query: unknown; body: unknown }): { kind: string };
};
