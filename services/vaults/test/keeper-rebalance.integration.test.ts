import { hookLeaf } from '@castellan/chain';
import {
  ListIntentEvents,
  ListIntentFills,
  ListStrategies,
  MandateDocument,
  SetStrategyState,
  UpdateEngineVault,
} from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { argsOf, deposit, one, price, who } from '../../../packages/protocol/test/test-chain.ts';
import type { KeeperChain } from '../src/keeper/ports.ts';
import { exitIdOf } from '../src/strategies/follow.ts';
import { chain_id } from './harness.ts';
import { KeeperWorld } from './keeper-world.ts';

/** Rebalances by the keeper against the development contracts: out of source A and into source B, in one transaction. */

let world: KeeperWorld;
beforeAll(async () => {
  world = await KeeperWorld.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle } = protocol;
    for (const { address } of sources)
      await chain.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
  });
  await world.authorise([source(0), source(1)]);
  await world.system.call(UpdateEngineVault, { ...world.vault, max_intents_per_minute: 600 }, who.main);
  await world.run('idle-to-a', { action: {} });
  await world.passes(2);
  await world.halt('idle-to-a');
});
const running: string[] = [];
afterEach(async () => {
  for (const id of running.splice(0)) await world.halt(id);
});
afterAll(async () => world?.stop());

const protocol = () => world.system.protocol;
const chain = () => world.system.chain;
const source = (index: 0 | 1): Address => protocol().sources[index].address;
const holdings = async () => {
  const of = (token: Parameters<typeof KeeperWorld.prototype.system.chain.read>[0]) =>
    chain().read<bigint>(token, 'balanceOf', [protocol().strategy.address]);
  const [a, b] = protocol().sources;
  return { a: await of(a), b: await of(b), idle: await of(protocol().asset) };
};

/** A strategy that moves 100 shares of a source into the other, once. */
async function rebalance(id: string, from: 0 | 1 = 0): Promise<void> {
  running.push(id);
  await world.run(id, {
    rules: { type: 'EXPR', expr: 'vault_tvl > 0' },
    cooldown_ms: 86_400_000,
    action: {
      action: 'REBALANCE',
      size_expr: '100_000_000',
      from_address: source(from),
      target_address: source(from === 0 ? 1 : 0),
    },
  });
}

const historyOf = async (id: string) => {
  const { intent_id } = await world.only(id);
  const { events } = await world.system.call(ListIntentEvents, { id: intent_id }, who.main);
  const { fills } = await world.system.call(ListIntentFills, { id: intent_id }, who.main);
  return { plan: events.find(({ message_type }) => message_type === 'PLAN')?.payload, fills };
};

test('default: shares of one source become shares of the other, and idle assets stay as they are', async () => {
  const before = await holdings();
  const sent = await world.sent();
  await rebalance('a-to-b');
  await world.passes(2);
  expect(await world.sent()).toBe(sent + 1);
  const after = await holdings();
  expect(after).toEqual({ a: before.a - 100n * one, b: before.b + 100n * one, idle: before.idle });
  expect(await world.only('a-to-b')).toMatchObject({
    ...{ state: 'COMPLETED', action: 'REBALANCE', amount: `${100n * one}`, fills_count: 2, error_code: null },
    ...{ token_in: source(0), token_out: source(1) },
    ...{ total_amount_in: `${100n * one}`, total_amount_out: `${100n * one}` },
  });
  const { plan, fills } = await historyOf('a-to-b');
  const least_out = `${(100n * one * 9_950n) / 10_000n}`;
  expect(plan).toMatchObject({
    plan: {
      max_slippage_bps: 50,
      legs: [
        { action: 'WITHDRAWAL', source: source(0), hook: protocol().redeemHook.address, root: 'strategy', least_out },
        { action: 'DEPOSIT', source: source(1), hook: protocol().depositHook.address, root: 'strategy', least_out },
      ],
    },
  });
  const asset = protocol().asset.address;
  expect(fills).toMatchObject([
    {
      venue: 'Source A',
      token_in: source(0),
      token_out: asset,
      amount_in: `${100n * one}`,
      amount_out: `${100n * one}`,
    },
    { venue: 'Source B', token_in: asset, token_out: source(1), amount_in: `${100n * one}`, gas_used: '0' },
  ]);
});

test('behavior: no more is moved than the source can pay out', async () => {
  const { facts } = world.ports();
  const live: typeof facts.live = async (...args) => {
    const seen = await facts.live(...args);
    const sources = seen.sources.map((item) =>
      item.address === source(0).toLowerCase() ? { ...item, available: `${40n * one}` } : item,
    );
    return { ...seen, sources };
  };
  const before = await holdings();
  await rebalance('dry');
  await world.passes(2, { facts: { live } });
  expect((await holdings()).b - before.b).toBe(40n * one);
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

test('error: without a leaf of either leg, naming which', async () => {
  const { redeemHook, depositHook, strategy, asset } = protocol();
  const out = hookLeaf(redeemHook.address, argsOf(source(0), strategy.address));
  await rebalance('no-way-out');
  expect(await world.refused('no-way-out', 'PROOF_NOT_FOUND', () => world.passes(2, without(out)))).toContain(
    'the WITHDRAWAL from Source A',
  );
  const into = hookLeaf(depositHook.address, argsOf(source(1), asset.address));
  await rebalance('no-way-in');
  expect(await world.refused('no-way-in', 'PROOF_NOT_FOUND', () => world.passes(2, without(into)))).toContain(
    'the DEPOSIT into Source B',
  );
});

test('error: when the chain refuses the proof of the second leg', async () => {
  const { validate } = world.ports().chain;
  const refusing: typeof validate = async (target, call) =>
    call.hook !== protocol().depositHook.address && validate(target, call);
  await rebalance('banned-in');
  await world.refused('banned-in', 'PROOF_REJECTED', () => world.passes(2, { on: { validate: refusing } }));
});

test.each(['WITHDRAWAL', 'DEPOSIT'] as const)('error: when less comes out of the %s than is allowed', async (leg) => {
  const { quote } = world.ports().chain;
  // The chain itself compares: what is expected of the other leg is what comes out.
  const better: KeeperChain['quote'] = async (of) => {
    const said = (await quote({ ...of, amount: of.action === 'DEPOSIT' ? 100n * one : of.amount })) ?? 0n;
    return of.action === leg ? (said * 102n) / 100n : said;
  };
  const before = await holdings();
  const id = `slips-${leg}`;
  await rebalance(id);
  await world.refused(id, 'SLIPPAGE_EXCEEDED', () => world.passes(2, { on: { quote: better } }));
  expect(await holdings()).toEqual(before);
});

test('error: when the mandate refuses what it would come to', async () => {
  const promise = (more: object) => ({ id: 'cap', on_breach: 'refuse', ...more });
  const mandate = (...promises: object[]) =>
    ({ inForce: async () => MandateDocument.parse({ format: 1, title: 'Strict', promises }) }) as never;
  await rebalance('broken');
  const cap = mandate(promise({ kind: 'source_share', source: source(1), at_most_bps: 0 }));
  await world.refused('broken', 'MANDATE_REFUSES', () => world.passes(2, { mandates: cap }));
  // Idle assets are not touched, and the share of the first source falls.
  await rebalance('kept');
  const others = mandate(
    promise({ kind: 'idle_share', at_least_bps: 10_000 }),
    promise({ id: 'a', kind: 'source_share', source: source(0), at_most_bps: 0 }),
  );
  await world.passes(2, { mandates: others });
  expect(await world.only('kept')).toMatchObject({ state: 'COMPLETED' });
});

test('error: while an emergency exit holds either source', async () => {
  const id = exitIdOf(chain_id, protocol().vault.address, source(1));
  const exit = async () =>
    (await world.system.call(ListStrategies, world.vault, who.main)).strategies.find((item) => item.id === id);
  const { version } = await until('the exit is there', exit);
  await rebalance('into-locked', 0);
  await rebalance('out-of-locked', 1);
  running.push(id);
  await world.system.call(SetStrategyState, { id, version, target_state: 'RUNNING' }, who.main);
  // What is in the exit's own source leaves it first.
  await world.passes(4);
  for (const locked of ['into-locked', 'out-of-locked']) {
    expect(await world.look(locked)).toEqual({ outcome: 'blocked', code: 'EMERGENCY_LOCK_ACTIVE' });
    expect(await world.intents(locked)).toEqual([]);
  }
});
