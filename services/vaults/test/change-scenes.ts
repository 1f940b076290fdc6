import type { PreparedArgs, PreparedKind } from '@castellan/contracts';
import { deposit, one, person, price, who } from '../../../packages/protocol/test/test-chain.ts';
import type { PrepareBench } from './prepare-bench.ts';

/** For each kind of change: a state of the chain in which it would pass, and what to ask for. */

export const DAY = 86_400;
export const newcomer = person(31).address;

type Scene<K extends PreparedKind> = {
  /** Makes the state, from the chain as it is set up. */
  ready(bench: PrepareBench): Promise<unknown>;
  args(bench: PrepareBench): PreparedArgs<K>;
};

const nothing = async () => undefined;
const none = () => ({});

export const asMain = (bench: PrepareBench, on: 'aggregator' | 'strategy', name: string, args: unknown[] = []) =>
  bench.chain.send(
    who.main,
    bench.protocol[on],
    name,
    on === 'aggregator' ? [bench.protocol.strategy.address, ...args] : args,
  );

export const proposeFees = (bench: PrepareBench) =>
  asMain(bench, 'strategy', 'proposeVaultFeeConfigUpdate', [2_000n, 50n, who.alice]);
export const proposeExpiration = (bench: PrepareBench) => asMain(bench, 'strategy', 'managePPSExpiration', [0, 7_200n]);
export const proposeInterval = (bench: PrepareBench) =>
  asMain(bench, 'aggregator', 'proposeMinUpdateIntervalChange', [120n]);

/** Gains above the high-water mark, idle in the strategy. */
export async function gains(bench: PrepareBench): Promise<void> {
  await deposit(bench.chain, bench.protocol, who.alice, 1_000n * one);
  await price(bench.chain, bench.protocol, 1_100_000n);
}

export async function give(bench: PrepareBench, wallet: `0x${string}`, amount: bigint): Promise<void> {
  await bench.chain.send(who.stranger, bench.protocol.upkeepToken, 'mint', [wallet, amount]);
}
export const allow = ({ chain, protocol }: PrepareBench, wallet: `0x${string}`, amount: bigint) =>
  chain.send(wallet, protocol.upkeepToken, 'approve', [protocol.aggregator.address, amount]);

export const pairOf = ({ protocol }: PrepareBench) => ({
  source_address: protocol.sources[0].address,
  oracle_address: protocol.sourceOracle.address,
});
export const addSource = (bench: PrepareBench) =>
  asMain(bench, 'strategy', 'manageYieldSource', [
    bench.protocol.sources[0].address,
    bench.protocol.sourceOracle.address,
    0,
  ]);

/** Roots and leaves that are on no tree of the chain as it is set up. */
const hash = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`;
export const newRoot = hash('a');
export const otherRoot = hash('b');
export const someLeaf = hash('c');
export const proposeRoot = (bench: PrepareBench) => asMain(bench, 'aggregator', 'proposeStrategyHooksRoot', [newRoot]);
export const banLeaf = ({ chain, protocol }: PrepareBench) =>
  chain.send(who.main, protocol.aggregator, 'changeGlobalLeavesStatus', [
    [someLeaf],
    [true],
    protocol.strategy.address,
  ]);

/** Alice has shares and wants half of them back; what she pays in lies idle. */
export async function request(bench: PrepareBench): Promise<void> {
  await deposit(bench.chain, bench.protocol, who.alice, 1_000n * one);
  await bench.chain.send(who.alice, bench.protocol.vault, 'requestRedeem', [500n * one, who.alice, who.alice]);
}
export const cancel = ({ chain, protocol }: PrepareBench) =>
  chain.send(who.alice, protocol.vault, 'cancelRedeemRequest', [0n, who.alice]);
const ofAlice = () => ({ controllers: [who.alice] });

/** All who may ask for a change of their own position: roles do not matter for it. */
const everybody = [who.main, who.secondary, who.stranger, person(30).address] as const;
const ascending = [...everybody].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));

export async function giveAssets({ chain, protocol }: PrepareBench, wallet: `0x${string}`, amount: bigint) {
  await chain.send(who.stranger, protocol.asset, 'mint', [wallet, amount]);
}
export const allowAssets = ({ chain, protocol }: PrepareBench, wallet: `0x${string}`, amount: bigint) =>
  chain.send(wallet, protocol.asset, 'approve', [protocol.vault.address, amount]);
/** The wallet has shares of a deposit of 100. */
export const holds = ({ chain, protocol }: PrepareBench, wallet: `0x${string}`) =>
  deposit(chain, protocol, wallet, 100n * one);
/** It has asked for half of them. */
export async function asks(bench: PrepareBench, wallet: `0x${string}`): Promise<void> {
  await holds(bench, wallet);
  await bench.chain.send(wallet, bench.protocol.vault, 'requestRedeem', [50n * one, wallet, wallet]);
}
const forEverybody =
  (done: (bench: PrepareBench, wallet: `0x${string}`) => Promise<unknown>) => async (bench: PrepareBench) => {
    for (const wallet of everybody) await done(bench, wallet);
  };
async function payAll({ chain, protocol }: PrepareBench): Promise<void> {
  const [, assets] = await chain.read<[bigint, bigint[]]>(protocol.strategy, 'previewExactRedeemBatch', [ascending]);
  await chain.send(who.main, protocol.strategy, 'fulfillRedeemRequests', [ascending, assets]);
}

export const scenes: { readonly [K in PreparedKind]: Scene<K> } = {
  add_secondary_manager: { ready: nothing, args: () => ({ manager_address: newcomer }) },
  remove_secondary_manager: {
    // Not the one who may try: a manager who is gone would be refused for that.
    ready: (bench) => asMain(bench, 'aggregator', 'addSecondaryManager', [newcomer]),
    args: () => ({ manager_address: newcomer }),
  },
  cancel_primary_change: {
    ready: ({ chain, protocol }) =>
      chain.send(who.secondary, protocol.aggregator, 'proposeChangePrimaryManager', [
        protocol.strategy.address,
        who.bob,
        who.bob,
      ]),
    args: none,
  },
  propose_fees: {
    ready: nothing,
    args: () => ({ performance_fee_bps: 1_500, management_fee_bps: 20, recipient: who.bob }),
  },
  execute_fees: {
    ready: async (bench) => {
      await proposeFees(bench);
      await bench.chain.pass(7 * DAY + 1);
    },
    args: none,
  },
  skim_fees: { ready: gains, args: none },
  set_deviation_threshold: { ready: nothing, args: () => ({ deviation_threshold_bps: 250 }) },
  propose_expiration: { ready: nothing, args: () => ({ expiration_seconds: 3_600 }) },
  execute_expiration: {
    ready: async (bench) => {
      await proposeExpiration(bench);
      await bench.chain.pass(7 * DAY + 1);
    },
    args: none,
  },
  cancel_expiration: { ready: proposeExpiration, args: none },
  propose_min_update_interval: { ready: nothing, args: () => ({ min_update_interval_seconds: 90 }) },
  execute_min_update_interval: {
    ready: async (bench) => {
      await proposeInterval(bench);
      await bench.chain.pass(3 * DAY + 1);
    },
    args: none,
  },
  cancel_min_update_interval: { ready: proposeInterval, args: none },
  deposit_upkeep: {
    ready: async (bench) => {
      for (const wallet of [who.main, who.secondary, who.stranger, person(30).address] as const) {
        await give(bench, wallet, 500n);
        await allow(bench, wallet, 500n);
      }
    },
    args: () => ({ amount: '500' }),
  },
  propose_upkeep_withdrawal: { ready: nothing, args: none },
  execute_upkeep_withdrawal: {
    ready: async (bench) => {
      await asMain(bench, 'aggregator', 'proposeWithdrawUpkeep');
      await bench.chain.pass(DAY + 1);
    },
    args: none,
  },
  pause: { ready: nothing, args: () => ({ reason: 'The source is under attack.' }) },
  unpause: {
    ready: (bench) => asMain(bench, 'aggregator', 'pauseStrategy'),
    args: () => ({ reason: 'It is over.' }),
  },
  add_yield_sources: {
    ready: nothing,
    args: (bench) => ({
      sources: bench.protocol.sources.map(({ address }) => ({ ...pairOf(bench), source_address: address })),
    }),
  },
  update_yield_source_oracles: {
    ready: (bench) => asMain(bench, 'strategy', 'manageYieldSource', [pairOf(bench).source_address, newcomer, 0]),
    args: (bench) => ({ sources: [pairOf(bench)] }),
  },
  remove_yield_sources: {
    ready: addSource,
    args: (bench) => ({ sources: [{ source_address: pairOf(bench).source_address }] }),
  },
  propose_hooks_root: { ready: nothing, args: () => ({ root: newRoot }) },
  execute_hooks_root: {
    ready: async (bench) => {
      await proposeRoot(bench);
      await bench.chain.pass(16 * 60);
    },
    args: none,
  },
  ban_hook_leaves: { ready: nothing, args: () => ({ leaves: [someLeaf, otherRoot] }) },
  allow_hook_leaves: { ready: banLeaf, args: () => ({ leaves: [someLeaf] }) },
  fulfil_redemptions: { ready: request, args: ofAlice },
  fulfil_cancellations: {
    ready: async (bench) => {
      await request(bench);
      await cancel(bench);
    },
    args: ofAlice,
  },
  deposit: {
    ready: async (bench) => {
      for (const wallet of everybody) {
        await giveAssets(bench, wallet, 100n * one);
        await allowAssets(bench, wallet, 100n * one);
      }
    },
    args: () => ({ assets: `${100n * one}` }),
  },
  request_redemption: { ready: forEverybody(holds), args: () => ({ shares: `${40n * one}` }) },
  cancel_redemption: { ready: forEverybody(asks), args: none },
  claim_redemption: {
    ready: async (bench) => {
      await forEverybody(asks)(bench);
      await payAll(bench);
    },
    args: none,
  },
  claim_cancelled_shares: {
    ready: async (bench) => {
      await forEverybody(asks)(bench);
      for (const wallet of everybody)
        await bench.chain.send(wallet, bench.protocol.vault, 'cancelRedeemRequest', [0n, wallet]);
      await bench.chain.send(who.main, bench.protocol.strategy, 'fulfillCancelRedeemRequests', [ascending]);
    },
    args: none,
  },
};
