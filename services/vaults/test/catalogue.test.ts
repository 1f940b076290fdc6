import {
  isDepositorKind,
  managerKinds,
  type PreparedArgs,
  type PreparedKind,
  preparedKinds,
} from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { type Abi, decodeFunctionData, maxUint256, parseAbi, zeroAddress } from 'viem';
import { catalogue, postConditionOf, stepsOf } from '../src/prepared-calls/changes/domain/all-changes.ts';
import type { ChangeRequest } from '../src/prepared-calls/changes/domain/change.ts';
import { moment, price, tokens } from '../src/prepared-calls/changes/domain/wording.ts';
import { fresh, hooksAre, pending, rows, terms } from './catalogue-rows.ts';
import {
  alice,
  argsFor,
  at,
  bob,
  heldSource,
  newcomer,
  type Overrides,
  positionIs,
  primary,
  rootOf,
  secondary,
  source,
  sourceOracle,
  stateOf,
  target,
  upkeepToken,
  waiting,
} from './change-state.ts';

const { aggregator } = target;

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
      expect(condition.holds(stateOf(before), stateOf(before))).toMatchObject({ ok: false });
      expect(condition.holds(stateOf(after), stateOf(before))).toMatchObject({ ok: true });
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

const poor = positionIs({ assets: 109_999_999n });

const queue = (ofAlice: object, ofBob: object = {}): Overrides => ({
  redemptions: [waiting(alice, ofAlice), waiting(bob, ofBob)],
});

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
    ['fulfil_redemptions', 'STRATEGY_PAUSED', { vault: { isPaused: true } }, {}],
    ['fulfil_redemptions', 'STALE_PPS', { vault: { isPpsStale: true } }, {}],
    ['fulfil_redemptions', 'PPS_EXPIRED', { vault: { lastUpdateTimestamp: at - 86_401n } }, {}],
    ['fulfil_redemptions', 'ZERO_SHARE_FULFILLMENT_DISALLOWED', queue({ shares: 0n }, { least: 12_000_000n }), {}],
    ['fulfil_redemptions', 'BOUNDS_EXCEEDED', queue({ least: 12_000_000n }, { shares: 0n }), {}],
    ['fulfil_redemptions', 'INSUFFICIENT_LIQUIDITY', { vault: { idleAssets: 21_999_999n } }, {}],
    ['fulfil_redemptions', 'REDEMPTION_CANCELLED', queue({ isCancelled: true }), {}],
    ['fulfil_cancellations', 'REQUEST_NOT_FOUND', {}, {}],
    ['deposit', 'ERC20InsufficientBalance', { ...poor, vault: { isPaused: true } }, {}],
    [
      'deposit',
      'OPERATIONS_BLOCKED_BY_VETO',
      { vault: { isPaused: true, ...hooksAre({ globalVetoed: true }).vault } },
      {},
    ],
    ['deposit', 'STRATEGY_PAUSED', { vault: { isPaused: true, isPpsStale: true } }, {}],
    ['deposit', 'STALE_PPS', { vault: { isPpsStale: true, lastUpdateTimestamp: 1n } }, {}],
    ['deposit', 'PPS_EXPIRED', { vault: { lastUpdateTimestamp: at - 86_401n } }, {}],
    ['deposit', 'INVALID_AMOUNT', {}, { args: { assets: '2' } }],
    ['request_redemption', 'INVALID_AMOUNT', { vault: { isPaused: true } }, { args: { shares: '20000001' } }],
    [
      'request_redemption',
      'CANCELLATION_REDEEM_REQUEST_PENDING',
      { ...positionIs({ request: waiting(primary, { isCancelled: true }) }), vault: { isPaused: true } },
      {},
    ],
    ['request_redemption', 'STRATEGY_PAUSED', { vault: { isPaused: true } }, {}],
    ['request_redemption', 'STALE_PPS', { vault: { isPpsStale: true } }, {}],
    ['request_redemption', 'PPS_EXPIRED', { vault: { lastUpdateTimestamp: at - 86_401n } }, {}],
    ['cancel_redemption', 'REQUEST_NOT_FOUND', {}, {}],
    [
      'cancel_redemption',
      'CANCELLATION_REDEEM_REQUEST_PENDING',
      positionIs({ request: waiting(primary, { isCancelled: true }) }),
      {},
    ],
    ['claim_redemption', 'INVALID_WITHDRAW_PRICE', {}, {}],
    ['claim_cancelled_shares', 'REQUEST_NOT_FOUND', {}, {}],
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

  test('behavior: claims and cancels pass while the vault is paused, and a request joins one that waits', () => {
    const stopped = { vault: { isPaused: true, isPpsStale: true, lastUpdateTimestamp: 1n } };
    for (const kind of ['cancel_redemption', 'claim_redemption', 'claim_cancelled_shares'] as const)
      expect(refusal(kind, { ...rows[kind].before, ...stopped })).toBeNull();
    const joined = single('request_redemption', positionIs({ request: waiting(primary) }));
    expect(joined.preconditions.every(({ ok }) => ok)).toBe(true);
    expect(joined.description).toMatch(/added to the 10 cUSDC that wait already/);
    expect(joined.changes).toContainEqual({ field: 'waiting_shares', before: '10000000', after: '25000000' });
  });

  test('security: owner, controller and receiver are the wallet that asks', () => {
    for (const kind of preparedKinds.filter(isDepositorKind)) {
      const { decoded } = single(kind, rows[kind].before, { caller: newcomer }).call;
      const wallets = Object.entries(decoded.args).filter(([name]) => /owner|controller|receiver/.test(name));
      expect(wallets.length).toBeGreaterThan(0);
      for (const [, wallet] of wallets) expect(wallet).toBe(newcomer);
    }
  });

  test.each(managerKinds)('error: %s from a wallet the chain does not let in, whatever else is wrong', (kind) => {
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

  test('behavior: a deposit says its entry fee and that no least amount holds; its approval is of exactly the amount', () => {
    const [approve, pay, ...more] = prepared('deposit', positionIs({ allowance: 109_999_999n }));
    expect(more).toEqual([]);
    const value = '110000000';
    const { address: asset } = stateOf().vault.asset;
    expect(approve?.call).toMatchObject({ to: asset, decoded: { args: { spender: target.vault, value } } });
    expect(approve?.changes).toEqual([{ field: 'asset_allowance', before: '109999999', after: value }]);
    const short = stateOf(positionIs({ allowance: 109_999_999n }));
    expect(approve?.postCondition.holds(short, short).ok).toBe(false);
    expect(approve?.postCondition.holds(stateOf(positionIs({ allowance: 110_000_000n })), short).ok).toBe(true);
    expect(pay?.metBefore).toEqual(['ERC20InsufficientAllowance']);
    expect(pay?.description).toMatch(/entry fee of 0.11 USDC \(0.10%\).*no least amount/);
  });

  test('behavior: a position is compared with that of the block before the call, and what else came in its block does not count', () => {
    const [approve, pay] = prepared('deposit', positionIs({ allowance: 0n }));
    const request = single('request_redemption');
    const [poor, rich] = [
      { allowance: 0n, shares: 1n },
      { allowance: 0n, shares: 2n },
    ].map(positionIs);
    const asked = (shares: bigint, wanted: bigint) =>
      positionIs({ shares, request: waiting(primary, { shares: wanted }) });
    const holds = (step: typeof approve, after: Overrides, before: Overrides) =>
      step?.postCondition.holds(stateOf(after), stateOf(before)).ok;
    // The deposit used the allowance up in the block of the approval.
    expect(holds(approve, rich ?? {}, poor ?? {})).toBe(true);
    expect(holds(approve, poor ?? {}, poor ?? {})).toBe(false);
    // Shares were given back between the preparing and the deposit.
    expect(holds(pay, rich ?? {}, poor ?? {})).toBe(true);
    expect(holds(pay, rich ?? {}, rich ?? {})).toBe(false);
    // What was deposited is asked back in the same block.
    expect(holds(pay, asked(1n, 5n), asked(1n, 0n))).toBe(true);
    expect(holds(request, asked(3n, 5n), asked(1n, 0n))).toBe(true);
    expect(holds(request, asked(1n, 5n), asked(1n, 5n))).toBe(false);
    // A manager pays what waited before in the same block.
    expect(holds(request, asked(1n, 2n), asked(3n, 5n))).toBe(true);
  });

  test('behavior: where the token refuses to raise an allowance, it is taken back first', () => {
    const old = { allowance: 5_000_000n, needsReset: true };
    const [reset, approve, pay, ...more] = prepared('deposit', positionIs(old));
    expect(more).toEqual([]);
    const { address: asset } = stateOf().vault.asset;
    const spender = target.vault;
    expect(reset?.call).toMatchObject({ to: asset, decoded: { function: 'approve', args: { spender, value: '0' } } });
    expect(reset?.description).toMatch(/Take back the 5 USDC .* only once the old one is zero/);
    expect(reset?.changes).toEqual([{ field: 'asset_allowance', before: '5000000', after: '0' }]);
    expect(reset?.metBefore).toBeUndefined();
    expect(approve?.call).toMatchObject({ to: asset, decoded: { args: { spender, value: '110000000' } } });
    expect(approve?.changes).toEqual([{ field: 'asset_allowance', before: '0', after: '110000000' }]);
    expect(approve?.metBefore).toEqual(['WOULD_REVERT']);
    expect(pay?.call.decoded.function).toBe('deposit');
    const holds = (allowance: bigint, before = 5_000_000n) =>
      reset?.postCondition.holds(stateOf(positionIs({ allowance })), stateOf(positionIs({ allowance: before }))).ok;
    expect([holds(5_000_000n), holds(0n), holds(110_000_000n), holds(0n, 0n)]).toEqual([false, true, true, true]);
    expect(prepared('deposit', positionIs({ ...old, allowance: 110_000_000n }))).toHaveLength(1);
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
