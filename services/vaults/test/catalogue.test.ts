import { type PreparedArgs, type PreparedKind, preparedKinds } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { type Abi, type Address, decodeFunctionData, getAddress, maxUint256, parseAbi, zeroAddress } from 'viem';
import { catalogue, postConditionOf, stepsOf } from '../src/prepared-calls/changes/domain/all-changes.ts';
import type { ChangeRequest } from '../src/prepared-calls/changes/domain/change.ts';
import { moment, price, tokens } from '../src/prepared-calls/changes/domain/wording.ts';
import {
  argsFor,
  at,
  heldSource,
  newcomer,
  type Overrides,
  primary,
  rootOf,
  secondary,
  source,
  sourceOracle,
  stateOf,
  target,
  upkeepToken,
} from './change-state.ts';

const { aggregator, strategy } = target;
const DAY = 86_400n;
const fresh = anAddress(0xc9);
const terms = { performanceFeeBps: 1_500, managementFeeBps: 20, recipient: newcomer };
const pending = <T>(value: T, effectiveTime = at) => ({ value, effectiveTime });

const hooksAre = (changed: object) => ({ vault: { hooks: { ...stateOf().vault.hooks, ...changed } } });

type Row = {
  /** Signature as the contracts have it, with what the calldata must carry. */
  call: [to: Address, signature: string, args: unknown[]];
  /** A state in which it would pass, when the usual one is not, and what is different after. */
  before?: Overrides;
  after: Overrides;
  changes: Record<string, [unknown, unknown]>;
};

const rows: { readonly [K in PreparedKind]: Row } = {
  add_secondary_manager: {
    call: [aggregator, 'addSecondaryManager(address,address)', [strategy, newcomer]],
    after: { vault: { secondaryManagers: [secondary, newcomer] } },
    changes: { role: [null, 'secondary_manager'], secondary_managers: [1, 2] },
  },
  remove_secondary_manager: {
    call: [aggregator, 'removeSecondaryManager(address,address)', [strategy, secondary]],
    after: { vault: { secondaryManagers: [] } },
    changes: { role: ['secondary_manager', null], secondary_managers: [1, 0] },
  },
  cancel_primary_change: {
    call: [aggregator, 'cancelChangePrimaryManager(address)', [strategy]],
    before: { vault: { pendingManagerChange: pending(newcomer) } },
    after: {},
    changes: { pending_primary_manager: [newcomer, null] },
  },
  propose_fees: {
    call: [strategy, 'proposeVaultFeeConfigUpdate(uint256,uint256,address)', [1_500n, 20n, newcomer]],
    after: { pendingFees: { ...terms, effectiveTime: at + 7n * DAY } },
    changes: {
      pending_performance_fee_bps: [null, 1_500],
      pending_management_fee_bps: [null, 20],
      pending_fee_recipient: [null, newcomer],
    },
  },
  execute_fees: {
    call: [strategy, 'executeVaultFeeConfigUpdate()', []],
    before: { pendingFees: { ...terms, effectiveTime: at } },
    after: { vault: { fees: { performanceFeeBps: 1_500n, managementFeeBps: 20n, recipient: newcomer } } },
    changes: {
      performance_fee_bps: [1_000, 1_500],
      management_fee_bps: [10, 20],
      fee_recipient: [anAddress(0xfee), newcomer],
      hwm_pps: ['1000000', '1100000'],
    },
  },
  // Profit 0.1 x 1 000 shares: 100 USDC, of which a tenth is the fee, and a hundredth of the price.
  skim_fees: {
    call: [strategy, 'skimPerformanceFee()', []],
    after: { vault: { pps: 1_090_000n, hwm: 1_090_000n, idleAssets: 40_000_000n } },
    changes: {
      current_pps: ['1100000', '1090000'],
      hwm_pps: ['1000000', '1090000'],
      free_assets: ['50000000', '40000000'],
    },
  },
  set_deviation_threshold: {
    call: [aggregator, 'updateDeviationThreshold(address,uint256)', [strategy, 25n * 10n ** 15n]],
    after: { vault: { deviationThreshold: 25n * 10n ** 15n } },
    changes: { deviation_threshold_bps: [5_000, 250] },
  },
  propose_expiration: {
    call: [strategy, 'managePPSExpiration(uint8,uint256)', [0, 3_600n]],
    after: { vault: { proposedPpsExpiration: pending(3_600n, at + 7n * DAY) } },
    changes: { pending_expiration_seconds: [null, 3_600] },
  },
  execute_expiration: {
    call: [strategy, 'managePPSExpiration(uint8,uint256)', [1, 0n]],
    before: { vault: { proposedPpsExpiration: pending(3_600n) } },
    after: { vault: { ppsExpiration: 3_600n } },
    changes: { expiration_seconds: [86_400, 3_600], pending_expiration_seconds: [3_600, null] },
  },
  cancel_expiration: {
    call: [strategy, 'managePPSExpiration(uint8,uint256)', [2, 0n]],
    before: { vault: { proposedPpsExpiration: pending(3_600n) } },
    after: {},
    changes: { pending_expiration_seconds: [3_600, null] },
  },
  propose_min_update_interval: {
    call: [aggregator, 'proposeMinUpdateIntervalChange(address,uint256)', [strategy, 90n]],
    after: { vault: { pendingMinUpdateInterval: pending(90n, at + 3n * DAY) } },
    changes: { pending_min_update_interval_seconds: [null, 90] },
  },
  execute_min_update_interval: {
    call: [aggregator, 'executeMinUpdateIntervalChange(address)', [strategy]],
    before: { vault: { pendingMinUpdateInterval: pending(0n) } },
    after: { vault: { minUpdateInterval: 0n } },
    changes: { min_update_interval_seconds: [60, 0], pending_min_update_interval_seconds: [0, null] },
  },
  cancel_min_update_interval: {
    call: [aggregator, 'cancelMinUpdateIntervalChange(address)', [strategy]],
    before: { vault: { pendingMinUpdateInterval: pending(90n) } },
    after: {},
    changes: { pending_min_update_interval_seconds: [90, null] },
  },
  deposit_upkeep: {
    call: [aggregator, 'depositUpkeep(address,uint256)', [strategy, 500n]],
    // A price was paid for meanwhile.
    after: { vault: { upkeep: { ...stateOf().vault.upkeep, balance: 1_198n } } },
    changes: { upkeep_balance: ['700', '1200'] },
  },
  propose_upkeep_withdrawal: {
    call: [aggregator, 'proposeWithdrawUpkeep(address)', [strategy]],
    after: { vault: { upkeep: { ...stateOf().vault.upkeep, pendingWithdrawal: pending(698n, at + DAY) } } },
    changes: { pending_upkeep_withdrawal: [null, '700'] },
  },
  execute_upkeep_withdrawal: {
    call: [aggregator, 'executeWithdrawUpkeep(address)', [strategy]],
    before: { vault: { upkeep: { ...stateOf().vault.upkeep, pendingWithdrawal: pending(900n) } } },
    after: { vault: { upkeep: { ...stateOf().vault.upkeep, balance: 0n } } },
    changes: { upkeep_balance: ['700', '0'], pending_upkeep_withdrawal: ['900', null] },
  },
  pause: {
    call: [aggregator, 'pauseStrategy(address)', [strategy]],
    after: { vault: { isPaused: true, isPpsStale: true } },
    changes: { is_paused: [false, true], is_pps_stale: [false, true] },
  },
  unpause: {
    call: [aggregator, 'unpauseStrategy(address)', [strategy]],
    before: { vault: { isPaused: true, isPpsStale: true } },
    after: { vault: { isPpsStale: true } },
    changes: { is_paused: [true, false], is_pps_stale: [true, true] },
  },
  add_yield_sources: {
    call: [strategy, 'manageYieldSources(address[],address[],uint8[])', [[fresh], [getAddress(sourceOracle)], [0]]],
    after: { vault: { sources: [heldSource, { ...heldSource, address: fresh }] } },
    changes: { [`oracle_of_${fresh}`]: [null, sourceOracle] },
  },
  update_yield_source_oracles: {
    call: [strategy, 'manageYieldSources(address[],address[],uint8[])', [[source], [newcomer], [1]]],
    after: { vault: { sources: [{ ...heldSource, oracle: newcomer }] } },
    changes: { [`oracle_of_${source}`]: [sourceOracle, newcomer] },
  },
  remove_yield_sources: {
    call: [strategy, 'manageYieldSources(address[],address[],uint8[])', [[source], [zeroAddress], [2]]],
    after: { vault: { sources: [] } },
    changes: { [`oracle_of_${source}`]: [sourceOracle, null] },
  },
  propose_hooks_root: {
    call: [aggregator, 'proposeStrategyHooksRoot(address,bytes32)', [strategy, rootOf('a')]],
    after: hooksAre({ proposedStrategyRoot: pending(rootOf('a'), at + 900n) }),
    changes: { pending_hooks_root: [null, rootOf('a')] },
  },
  execute_hooks_root: {
    call: [aggregator, 'executeStrategyHooksRootUpdate(address)', [strategy]],
    before: hooksAre({ strategyRoot: rootOf('1'), proposedStrategyRoot: pending(rootOf('a')) }),
    after: hooksAre({ strategyRoot: rootOf('a') }),
    changes: { hooks_root: [rootOf('1'), rootOf('a')], pending_hooks_root: [rootOf('a'), null] },
  },
  ban_hook_leaves: {
    call: [
      aggregator,
      'changeGlobalLeavesStatus(bytes32[],bool[],address)',
      [[rootOf('b'), rootOf('c')], [true, true], strategy],
    ],
    before: { bannedLeaves: new Set([rootOf('c')]) },
    after: { bannedLeaves: new Set([rootOf('b'), rootOf('c')]) },
    changes: { [`banned_leaf_${rootOf('b')}`]: [false, true], [`banned_leaf_${rootOf('c')}`]: [true, true] },
  },
  allow_hook_leaves: {
    call: [aggregator, 'changeGlobalLeavesStatus(bytes32[],bool[],address)', [[rootOf('b')], [false], strategy]],
    before: { bannedLeaves: new Set([rootOf('b'), rootOf('c')]) },
    after: { bannedLeaves: new Set([rootOf('c')]) },
    changes: { [`banned_leaf_${rootOf('b')}`]: [true, false] },
  },
};

type Ask = { args?: unknown; caller?: string };
const requestOf = (kind: PreparedKind, { args = argsFor[kind], caller = primary }: Ask = {}) =>
  ({ kind, args, caller }) as ChangeRequest;
const prepared = (kind: PreparedKind, state: Overrides = {}, ask: Ask = {}) =>
  stepsOf(requestOf(kind, ask), target, stateOf(state));
const single = (...asked: Parameters<typeof prepared>) => {
  const [step, ...more] = prepared(...asked);
  if (!step || more.length > 0) throw new Error(`${asked[0]} takes ${more.length + 1} steps.`);
  return step;
};
const refusal = (...asked: Parameters<typeof prepared>) =>
  single(...asked).preconditions.find(({ ok }) => !ok)?.code ?? null;

describe.each(preparedKinds)('%s', (kind) => {
  const { call, before, after, changes } = rows[kind];

  test('default: the calldata is the contract`s own, and its words agree with it', () => {
    const [to, signature, args] = call;
    const step = single(kind, before);
    const abi = parseAbi([`function ${signature}`] as readonly string[]) as Abi;
    expect([step.call.to, decodeFunctionData({ abi, data: step.call.data }).args ?? []]).toEqual([to, args]);
    expect(step.call.decoded.function).toBe(signature.slice(0, signature.indexOf('(')));
    const asJson = JSON.stringify(args, (_key, value) => (typeof value === 'bigint' ? `${value}` : value));
    expect(JSON.stringify(Object.values(step.call.decoded.args))).toBe(asJson);
  });

  test('default: nothing is in its way; it names the vault and what changes', () => {
    const step = single(kind, before);
    expect(step.preconditions.filter(({ ok }) => !ok)).toEqual([]);
    expect(step.description).toContain(target.name);
    const returned = step.changes.map((change) => [change.field, [change.before, change.after]]);
    expect(Object.fromEntries(returned)).toEqual(changes);
  });

  test('behavior: its sentences write dates, shares and amounts as the screens do', () => {
    const { description, preconditions, postCondition } = single(kind, before);
    const said = [description, postCondition.description, ...preconditions.map(({ detail }) => detail)];
    expect(said.filter((text) => /\d{4}-\d{2}-\d{2}|\d %|\d bps|base units/.test(text))).toEqual([]);
  });

  test('behavior: its post-condition holds after it and not before, also from what is kept of it', () => {
    const step = single(kind, before);
    const kept = { request: requestOf(kind), function: step.call.decoded.function, changes: step.changes };
    for (const condition of [step.postCondition, postConditionOf(JSON.parse(JSON.stringify(kept)))]) {
      expect(condition.holds(stateOf(before))).toMatchObject({ ok: false });
      expect(condition.holds(stateOf(after))).toMatchObject({ ok: true });
      expect(condition.description).toBe(step.postCondition.description);
    }
  });
});

const held = (changed: Partial<typeof heldSource>) => ({ vault: { sources: [{ ...heldSource, ...changed }] } });
const pairs = (...addresses: [string, string][]) => ({
  args: { sources: addresses.map(([source_address, oracle_address]) => ({ source_address, oracle_address })) },
});
const unfit = { sourceChecks: [{ source: fresh, oracle: sourceOracle, problem: 'it does not answer' }] };
const upkeepIs = (changed: object) => ({ vault: { upkeep: { ...stateOf().vault.upkeep, ...changed } } });

describe('first refusals, in the order of the contract', () => {
  test.each<[PreparedKind, string, Overrides, Ask]>([
    ['add_secondary_manager', 'ZERO_ADDRESS', {}, { args: { manager_address: zeroAddress } }],
    ['add_secondary_manager', 'SECONDARY_MANAGER_CANNOT_BE_PRIMARY', {}, { args: { manager_address: primary } }],
    [
      'add_secondary_manager',
      'MANAGER_ALREADY_EXISTS',
      { maxSecondaryManagers: 1 },
      { args: { manager_address: secondary } },
    ],
    ['add_secondary_manager', 'TOO_MANY_SECONDARY_MANAGERS', { maxSecondaryManagers: 1 }, {}],
    ['remove_secondary_manager', 'MANAGER_NOT_FOUND', { vault: { secondaryManagers: [] } }, {}],
    ['cancel_primary_change', 'NO_PENDING_MANAGER_CHANGE', {}, {}],
    ['execute_fees', 'NO_PROPOSAL', {}, {}],
    ['execute_fees', 'INVALID_TIMESTAMP', { pendingFees: { ...terms, effectiveTime: at + 1n } }, {}],
    ['skim_fees', 'SKIM_TIMELOCK_ACTIVE', { vault: { lastUnpauseTimestamp: at - 43_199n, isPaused: true } }, {}],
    ['skim_fees', 'STRATEGY_PAUSED', { vault: { isPaused: true, isPpsStale: true } }, {}],
    ['skim_fees', 'STALE_PPS', { vault: { isPpsStale: true, lastUpdateTimestamp: 1n } }, {}],
    ['skim_fees', 'PPS_EXPIRED', { vault: { lastUpdateTimestamp: at - 86_401n } }, {}],
    ['skim_fees', 'NOT_ENOUGH_FREE_ASSETS_FEE_SKIM', { vault: { idleAssets: 9_999_999n } }, {}],
    ['skim_fees', 'NOTHING_TO_SKIM', { vault: { hwm: 1_100_000n } }, {}],
    ['skim_fees', 'NOTHING_TO_SKIM', { vault: { totalSupply: 0n } }, {}],
    ['propose_expiration', 'INVALID_PPS_EXPIRY_THRESHOLD', {}, { args: { expiration_seconds: 59 } }],
    ['propose_expiration', 'INVALID_PPS_EXPIRY_THRESHOLD', {}, { args: { expiration_seconds: 604_801 } }],
    ['execute_expiration', 'INVALID_TIMESTAMP', { vault: { proposedPpsExpiration: pending(60n, at + 1n) } }, {}],
    ['cancel_expiration', 'NO_PROPOSAL', {}, {}],
    [
      'propose_min_update_interval',
      'MIN_UPDATE_INTERVAL_TOO_HIGH',
      {},
      { args: { min_update_interval_seconds: 3_600 } },
    ],
    ['execute_min_update_interval', 'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE', {}, {}],
    [
      'execute_min_update_interval',
      'TIMELOCK_NOT_EXPIRED',
      { vault: { pendingMinUpdateInterval: pending(9n, at + 1n) } },
      {},
    ],
    ['cancel_min_update_interval', 'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE', {}, {}],
    ['deposit_upkeep', 'ZERO_AMOUNT', {}, { args: { amount: '0' } }],
    ['deposit_upkeep', 'ERC20InsufficientBalance', { wallet: { balance: 499n, allowance: 500n } }, {}],
    ['propose_upkeep_withdrawal', 'ZERO_AMOUNT', upkeepIs({ balance: 0n }), {}],
    ['execute_upkeep_withdrawal', 'UPKEEP_WITHDRAWAL_NOT_FOUND', {}, {}],
    [
      'execute_upkeep_withdrawal',
      'UPKEEP_WITHDRAWAL_NOT_READY',
      upkeepIs({ pendingWithdrawal: pending(1n, at + 1n) }),
      {},
    ],
    ['pause', 'STRATEGY_ALREADY_PAUSED', { vault: { isPaused: true } }, {}],
    ['unpause', 'STRATEGY_NOT_PAUSED', {}, {}],
    ['add_yield_sources', 'ZERO_ADDRESS', unfit, pairs([fresh, zeroAddress], [source, sourceOracle])],
    ['add_yield_sources', 'YIELD_SOURCE_ALREADY_EXISTS', unfit, pairs([source, sourceOracle], [fresh, zeroAddress])],
    ['add_yield_sources', 'YIELD_SOURCE_ALREADY_EXISTS', {}, pairs([fresh, sourceOracle], [fresh, sourceOracle])],
    ['add_yield_sources', 'ORACLE_UNFIT', unfit, {}],
    ['update_yield_source_oracles', 'YIELD_SOURCE_NOT_FOUND', unfit, pairs([fresh, newcomer])],
    ['update_yield_source_oracles', 'ORACLE_UNFIT', unfit, {}],
    ['remove_yield_sources', 'YIELD_SOURCE_NOT_FOUND', { vault: { sources: [] } }, {}],
    ['remove_yield_sources', 'YIELD_SOURCE_FUNDED', held({ assets: 1n }), {}],
    ['remove_yield_sources', 'YIELD_SOURCE_FUNDED', held({ shares: 1n }), {}],
    ['remove_yield_sources', 'YIELD_SOURCE_FUNDED', held({ shares: null as never }), {}],
    ['propose_hooks_root', 'HOOKS_TREE_UNKNOWN', { hooksTreeLeaves: null }, {}],
    ['propose_hooks_root', 'HOOKS_ROOT_UNCHANGED', hooksAre({ strategyRoot: rootOf('a') }), {}],
    ['propose_hooks_root', 'HOOKS_ROOT_UNCHANGED', hooksAre({ proposedStrategyRoot: pending(rootOf('a')) }), {}],
    ['execute_hooks_root', 'NO_PENDING_MANAGER_CHANGE', {}, {}],
    [
      'execute_hooks_root',
      'ROOT_UPDATE_NOT_READY',
      hooksAre({ proposedStrategyRoot: pending(rootOf('a'), at + 1n) }),
      {},
    ],
    ['ban_hook_leaves', 'LEAVES_UNCHANGED', { bannedLeaves: new Set([rootOf('b'), rootOf('c')]) }, {}],
    ['allow_hook_leaves', 'LEAVES_UNCHANGED', {}, {}],
  ])('error: %s: %s', (kind, code, state, ask) => {
    expect(refusal(kind, state, ask)).toBe(code);
  });

  test.each<[string, number, number, string, string | null]>([
    ['the caps', 5_100, 10_000, newcomer, null],
    ['above the first', 5_101, 0, newcomer, 'INVALID_PERFORMANCE_FEE_BPS'],
    ['above the second, and nobody to pay', 0, 10_001, zeroAddress, 'INVALID_PERFORMANCE_FEE_BPS'],
    ['nobody to pay', 0, 0, zeroAddress, 'ZERO_ADDRESS'],
  ])('behavior: fees at %s', (_what, performance_fee_bps, management_fee_bps, recipient, code) => {
    const args: PreparedArgs<'propose_fees'> = { performance_fee_bps, management_fee_bps, recipient };
    expect(refusal('propose_fees', {}, { args })).toBe(code);
  });

  test('behavior: the boundaries of times are the contract`s', () => {
    const passes = (kind: PreparedKind, vault: Overrides['vault'] = {}) => refusal(kind, { vault }) === null;
    expect(passes('skim_fees', { lastUnpauseTimestamp: at - 43_200n })).toBe(true);
    expect(passes('skim_fees', { lastUpdateTimestamp: at - 86_400n })).toBe(true);
    expect(refusal('propose_expiration', {}, { args: { expiration_seconds: 60 } })).toBeNull();
    expect(refusal('propose_expiration', {}, { args: { expiration_seconds: 604_800 } })).toBeNull();
    expect(refusal('propose_min_update_interval', {}, { args: { min_update_interval_seconds: 3_599 } })).toBeNull();
  });

  test.each(preparedKinds)('error: %s from a wallet the chain does not let in, whatever else is wrong', (kind) => {
    const asSecondary = refusal(kind, rows[kind].before, { caller: secondary });
    const asStranger = refusal(kind, rows[kind].before, { caller: newcomer });
    const open: PreparedKind[] = [
      'deposit_upkeep',
      'execute_upkeep_withdrawal',
      'execute_min_update_interval',
      'execute_hooks_root',
    ];
    const guard = rows[kind].call[0] === aggregator ? 'UNAUTHORIZED_UPDATE_AUTHORITY' : 'MANAGER_NOT_AUTHORIZED';
    expect(asStranger).toBe(open.includes(kind) ? null : guard);
    expect(asSecondary).toBe(catalogue[kind].role === 'manager' || open.includes(kind) ? null : guard);
  });
});

describe('particular words and bytes', () => {
  test('behavior: null switches the deviation guard off, and 0 bps pauses at any move', () => {
    const dataOf = (deviation_threshold_bps: number | null) => {
      const step = single('set_deviation_threshold', {}, { args: { deviation_threshold_bps } });
      return [step.call.decoded.args.deviationThreshold_, step.changes[0]?.after, step.description];
    };
    expect(dataOf(null)).toEqual([`${maxUint256}`, null, expect.stringContaining('from 50.00% to off')]);
    expect(dataOf(0)).toEqual(['0', 0, expect.stringContaining('from 50.00% to 0.00%')]);
    const off = single('set_deviation_threshold', {}, { args: { deviation_threshold_bps: null } }).postCondition;
    expect(off.holds(stateOf({ vault: { deviationThreshold: maxUint256 } }))).toEqual({ ok: true, actual: 'off' });
  });

  test('behavior: a timelock is described with its moment and the chain`s clock', () => {
    const state = { pendingFees: { ...terms, effectiveTime: at + 1n } };
    expect(single('execute_fees', state).preconditions.at(-1)?.detail).toBe(
      "The proposal can be executed from 15 Jan 2027, 08:00:01 UTC. The chain's clock reads 15 Jan 2027, 08:00:00 UTC.",
    );
  });

  test('behavior: descriptions say what follows', () => {
    expect(single('execute_fees', rows.execute_fees.before).description).toMatch(/resets the high-water mark/);
    expect(single('unpause', rows.unpause.before).description).toMatch(/stale.*next report.*12 hours/);
    expect(single('remove_yield_sources').description).toMatch(/no longer counts in its price/);
    expect(single('skim_fees').description).toMatch(/10 USDC, of which 5 USDC go to/);
  });

  test('behavior: amounts keep every digit, with their thousands apart', () => {
    expect(tokens(1_121_135_401_876n, { decimals: 6, symbol: 'USDC' })).toBe('1,121,135.401876 USDC');
    expect(price(1_012_345n, 1_000_000n)).toBe('1.012345');
    expect(moment(1_800_000_000n)).toBe('15 Jan 2027, 08:00:00 UTC');
  });

  test('behavior: an approval is of exactly the deposit, and is not asked for twice', () => {
    const [approve, pay, ...more] = prepared('deposit_upkeep', { wallet: { balance: 500n, allowance: 499n } });
    expect(more).toEqual([]);
    expect(approve?.call).toMatchObject({ to: upkeepToken, decoded: { args: { spender: aggregator, value: '500' } } });
    expect(approve?.postCondition.holds(stateOf({ wallet: { balance: 0n, allowance: 499n } })).ok).toBe(false);
    expect(approve?.postCondition.holds(stateOf({ wallet: { balance: 0n, allowance: 500n } })).ok).toBe(true);
    expect(pay?.metBefore).toEqual(['ERC20InsufficientAllowance']);
  });
});
