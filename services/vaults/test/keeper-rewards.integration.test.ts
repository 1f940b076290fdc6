import { hookLeaf } from '@castellan/chain';
import {
  CreateStrategy,
  GetStrategySnapshot,
  ListIntentEvents,
  ListIntentFills,
  MandateDocument,
  UpdateEngineVault,
  ValidateStrategy,
} from '@castellan/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Address, encodePacked, type Hex } from 'viem';
import { deposit, one, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { deployRewards, oneReward, type Rewards } from '../../../packages/protocol/test/test-rewards.ts';
import type { KeeperChain } from '../src/keeper/ports.ts';
import { KeeperWorld } from './keeper-world.ts';

/** Rewards by the keeper against the development contracts: claimed from their distributor, and swapped into assets. */

let world: KeeperWorld;
let rewards: Rewards;
beforeAll(async () => {
  world = await KeeperWorld.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle } = protocol;
    rewards = await deployRewards(chain, protocol);
    await chain.send(who.main, strategy, 'manageYieldSource', [sources[0].address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
    return rewards;
  });
  const { token, distributor, pool } = rewards;
  await world.authorise(
    [protocol().sources[0].address],
    [
      { type: 'CLAIM', params: { distributor: distributor.address, token: token.address } },
      {
        type: 'SWAP',
        params: { pool: pool.address, token_in: token.address, token_out: protocol().asset.address },
      },
    ],
  );
  await world.system.call(UpdateEngineVault, { ...world.vault, max_intents_per_minute: 600 }, who.main);
  // Half of the vault is in the source that pays rewards.
  await world.run('idle-to-a', { action: {} });
  await world.passes(2);
  await world.halt('idle-to-a');
});
const running: string[] = [];
/** Each test has enough to swap, whatever another one left. */
beforeEach(() => given(20n * oneReward));
afterEach(async () => {
  for (const id of running.splice(0)) await world.halt(id);
});
afterAll(async () => world?.stop());

const protocol = () => world.system.protocol;
const chain = () => world.system.chain;
const held = (of: 'token' | 'asset') =>
  chain().read<bigint>(of === 'token' ? rewards.token : protocol().asset, 'balanceOf', [protocol().strategy.address]);
const claimableNow = () => chain().read<bigint>(rewards.distributor, 'claimable', [protocol().strategy.address]);
const sizeOfClaim = () => `merkl_${rewards.distributor.address.toLowerCase()}_amount`;
const claimOf = (more: object = {}) => ({
  action: 'CLAIM' as const,
  size_expr: sizeOfClaim(),
  execution_address: rewards.claimHook.address,
  target_address: rewards.distributor.address,
  ...more,
});
const swapOf = (more: object = {}) => ({
  action: 'SWAP' as const,
  size_expr: `${10n * oneReward}`,
  execution_address: rewards.swapHook.address,
  target_address: rewards.pool.address,
  from_address: rewards.token.address,
  ...more,
});
/** A strategy that fires once. */
async function run(id: string, action: object, more: object = {}): Promise<void> {
  running.push(id);
  const once = { rules: { type: 'EXPR' as const, expr: 'vault_tvl > 0' }, cooldown_ms: 86_400_000 };
  await world.run(id, { ...once, ...more, action });
}
/** Rewards that the vault has, as if it had claimed them. */
const given = (amount: bigint) =>
  chain().send(who.deployer, rewards.token, 'mint', [protocol().strategy.address, amount]);
/** The vault gives away what it has of the reward: what other tests left of it would move the price of the pool. */
async function emptied(): Promise<void> {
  const { client } = chain();
  const { address } = protocol().strategy;
  await client.impersonateAccount({ address });
  await client.setBalance({ address, value: 10n ** 18n });
  await chain().send(address, rewards.token, 'transfer', [who.deployer, await held('token')]);
  await client.stopImpersonatingAccount({ address });
}
const historyOf = async (id: string) => {
  const { intent_id } = await world.only(id);
  const { events } = await world.system.call(ListIntentEvents, { id: intent_id }, who.main);
  const { fills } = await world.system.call(ListIntentFills, { id: intent_id }, who.main);
  return { plan: events.find(({ message_type }) => message_type === 'PLAN')?.payload, fills };
};

test('default: what can be claimed and is held stands in the readings, with what it is about', async () => {
  await given(3n * oneReward);
  await world.block();
  const { fields, rewards: list } = await world.system.call(GetStrategySnapshot, world.vault, who.main);
  const token = rewards.token.address.toLowerCase();
  expect(fields[sizeOfClaim()]?.value).toBe(`${await claimableNow()}`);
  expect(fields[`token_${token}_amount`]?.value).toBe(`${await held('token')}`);
  const rate = await chain().read<bigint>(rewards.pool, 'quote', [rewards.token.address, oneReward]);
  expect(fields[`token_${token}_worth`]?.value).toBe(`${((await held('token')) * rate) / oneReward}`);
  expect(list).toEqual([
    {
      source_address: protocol().sources[0].address,
      distributor: rewards.distributor.address,
      token: rewards.token.address,
      ...{ symbol: 'RWD', decimals: 18, pool: rewards.pool.address },
    },
  ]);
});

test('default: a claim takes all that there is, and no less than there was at its block', async () => {
  await chain().pass(3_600);
  const before = await held('token');
  await run('claims', claimOf());
  await world.passes(2);
  const got = (await held('token')) - before;
  const intent = await world.only('claims');
  expect(intent).toMatchObject({
    ...{ state: 'COMPLETED', action: 'CLAIM', fills_count: 1, error_code: null },
    ...{ token_in: null, token_out: rewards.token.address, total_amount_in: '0', total_amount_out: `${got}` },
  });
  expect(got).toBeGreaterThan(30n * oneReward);
  const { plan, fills } = await historyOf('claims');
  const expected = BigInt(intent.amount);
  expect(plan).toMatchObject({
    plan: {
      hook: rewards.claimHook.address,
      root: 'strategy',
      expected_out: `${expected}`,
      least_out: `${(expected * 9_950n) / 10_000n}`,
    },
  });
  expect(fills).toMatchObject([
    { venue: rewards.distributor.address, token_out: rewards.token.address, amount_in: '0', amount_out: `${got}` },
  ]);
});

test('default: a swap gives what the size says, and idle assets grow by what the pool pays', async () => {
  const [before, assets] = [await held('token'), await held('asset')];
  const quoted = await chain().read<bigint>(rewards.pool, 'quote', [rewards.token.address, 10n * oneReward]);
  await run('swaps', swapOf());
  await world.passes(2);
  expect(await held('token')).toBe(before - 10n * oneReward);
  expect((await held('asset')) - assets).toBe(quoted);
  expect(await world.only('swaps')).toMatchObject({
    ...{ state: 'COMPLETED', action: 'SWAP', amount: `${10n * oneReward}`, fills_count: 1 },
    ...{ token_in: rewards.token.address, token_out: protocol().asset.address },
    ...{ total_amount_in: `${10n * oneReward}`, total_amount_out: `${quoted}` },
  });
});

test('behavior: no more is swapped than the vault holds', async () => {
  await emptied();
  await given(20n * oneReward);
  const before = await held('token');
  await run('swaps-all', swapOf({ size_expr: `${before * 2n}` }));
  await world.passes(2);
  expect(await held('token')).toBe(0n);
  expect(await world.only('swaps-all')).toMatchObject({ state: 'COMPLETED', amount: `${before}` });
});

const without = (leaf: Hex) => {
  const { trees } = world.ports();
  return {
    trees: {
      byRoot: trees.byRoot,
      leaf: async (tree: string, hash: string) => (hash === leaf ? null : trees.leaf(tree, hash)),
    },
  } as Parameters<KeeperWorld['ports']>[0];
};
const pinned = (...addresses: Address[]): Hex =>
  encodePacked(
    addresses.map(() => 'address' as const),
    addresses,
  );

test('error: without a leaf, naming what for', async () => {
  const { token, distributor, pool, claimHook, swapHook } = rewards;
  const claimLeaf = hookLeaf(claimHook.address, pinned(distributor.address, token.address));
  await run('unproven-claim', claimOf());
  const act = (leaf: Hex) => () => world.passes(2, without(leaf));
  expect(await world.refused('unproven-claim', 'PROOF_NOT_FOUND', act(claimLeaf))).toContain(
    `the CLAIM from ${distributor.address}`,
  );
  const swapLeaf = hookLeaf(swapHook.address, pinned(pool.address, token.address, protocol().asset.address));
  await run('unproven-swap', swapOf());
  expect(await world.refused('unproven-swap', 'PROOF_NOT_FOUND', act(swapLeaf))).toContain(
    `the SWAP in ${pool.address}`,
  );
});

test('error: when less comes out than is allowed, which the chain compares', async () => {
  // What is earned until the call is little beside it.
  await chain().pass(1_800);
  const { claimable, poolQuote } = world.ports().chain;
  const twice = async (read: Promise<bigint | null>) => 2n * ((await read) ?? 0n);
  const on = {
    claimable: (of) => twice(claimable(of)),
    poolQuote: (of) => twice(poolQuote(of)),
  } satisfies Partial<KeeperChain>;
  for (const [id, action] of [
    ['slipping-claim', claimOf()],
    ['slipping-swap', swapOf()],
  ] as const) {
    await run(id, action);
    await world.refused(id, 'SLIPPAGE_EXCEEDED', () => world.passes(2, { on }));
  }
});

test('error: a swap that would move the price of its pool by more than it may lose', async () => {
  await given(20_000n * oneReward);
  await run('moves-the-price', swapOf({ size_expr: `${20_000n * oneReward}` }));
  await world.refused('moves-the-price', 'SLIPPAGE_EXCEEDED', () => world.passes(2));
});

test('error: while the distributor or the pool does not answer', async () => {
  await chain().pass(600);
  const on: Partial<KeeperChain> = { claimable: async () => null, poolQuote: async () => null };
  await run('silent-claim', claimOf());
  await world.refused('silent-claim', 'PRICE_MISSING', () => world.passes(2, { on }));
  await run('silent-swap', swapOf());
  await world.refused('silent-swap', 'PRICE_MISSING', () => world.passes(2, { on }));
});

test('error: when a reward is no more named by the chain’s configuration', async () => {
  const { facts } = world.ports();
  const live: typeof facts.live = async (...args) => {
    const seen = await facts.live(...args);
    return { ...seen, rewards: (seen.rewards ?? []).map((reward) => ({ ...reward, pool: null })) };
  };
  await run('unnamed', swapOf());
  await world.refused('unnamed', 'REWARD_UNKNOWN', () => world.passes(2, { facts: { live } }));
});

test('error: when the mandate does not allow the hook; shares of sources are no matter', async () => {
  const mandate = (...promises: object[]) =>
    ({ inForce: async () => MandateDocument.parse({ format: 1, title: 'Strict', promises }) }) as never;
  const promise = (more: object) => ({ id: 'p', on_breach: 'refuse', ...more });
  const { claimHook, swapHook } = rewards;
  await run('forbidden', swapOf());
  const hooks = mandate(promise({ kind: 'hooks', allowed: [claimHook.address] }));
  await world.refused('forbidden', 'MANDATE_REFUSES', () => world.passes(2, { mandates: hooks }));
  await run('allowed', swapOf());
  const others = mandate(
    promise({ kind: 'hooks', allowed: [swapHook.address] }),
    promise({ id: 'a', kind: 'source_share', source: protocol().sources[0].address, at_most_bps: 0 }),
    promise({ id: 'i', kind: 'idle_share', at_least_bps: 10_000 }),
  );
  await world.passes(2, { mandates: others });
  expect(await world.only('allowed')).toMatchObject({ state: 'COMPLETED' });
});

test('error: what cannot be claimed or swapped is not saved, and says where', async () => {
  const base = {
    ...{ name: 'refused', indicators: [], rules: { type: 'EXPR' as const, expr: 'vault_tvl > 0' }, max_concurrent: 1 },
    risk_params: { max_amount: null as string | null, min_free_assets: null },
  };
  const faultsOf = async (action_config: object, over: Partial<typeof base> = {}) => {
    const named = { execution_name: 'x', ...action_config } as never;
    const draft = { ...world.vault, ...base, ...over, action_config: named };
    const create = world.system.call(CreateStrategy, { ...draft, id: 'refused' }, who.main);
    await expect(create).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const { errors } = await world.system.call(ValidateStrategy, draft, who.main);
    return errors.map(({ path }) => path);
  };
  const stranger = who.stranger;
  expect(await faultsOf(claimOf({ size_expr: '5 units' }))).toEqual(['action_config.size_expr']);
  expect(await faultsOf(claimOf(), { risk_params: { max_amount: '5', min_free_assets: null } })).toEqual([
    'risk_params.max_amount',
  ]);
  const merkl = `merkl_${stranger.toLowerCase()}_amount`;
  expect(await faultsOf(claimOf({ target_address: stranger, size_expr: merkl }))).toEqual([
    'action_config.target_address',
  ]);
  expect(await faultsOf(swapOf({ target_address: stranger }))).toEqual(['action_config.target_address']);
  expect(await faultsOf(swapOf({ from_address: stranger }))).toEqual(['action_config.target_address']);
  expect(await faultsOf(swapOf({ from_address: null }))).toEqual(['action_config.from_address']);
  expect(await faultsOf(swapOf({ size_expr: 'vault_free_assets' }))).toEqual(['action_config.size_expr']);
});
