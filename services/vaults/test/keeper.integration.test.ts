import {
  GetIntent,
  type Intent,
  ListIntentEvents,
  ListIntentFills,
  ListStrategies,
  SetStrategyState,
  UpdateEngineVault,
} from '@castellan/contracts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { deposit, one, price, prices, who } from '../../../packages/protocol/test/test-chain.ts';
import { KeeperWorld } from './keeper-world.ts';

/** The keeper against the development contracts, through the services that feed it. Each test starts from the same chain and store. */

let world: KeeperWorld;
beforeAll(async () => {
  world = await KeeperWorld.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle } = protocol;
    for (const { address } of sources)
      await chain.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
  });
  await world.authorise([source(0)]);
}, 120_000);
afterAll(async () => world?.stop());

const protocol = () => world.system.protocol;
const chain = () => world.system.chain;
const source = (index: 0 | 1 = 0): Address => world.system.protocol.sources[index].address;
const idle = () => chain().read<bigint>(protocol().asset, 'balanceOf', [protocol().strategy.address]);
const shares = (index: 0 | 1 = 0) =>
  chain().read<bigint>(protocol().sources[index], 'balanceOf', [protocol().strategy.address]);
const only = async (id: string): Promise<Intent> => {
  const intents = await world.intents(id);
  expect(intents).toHaveLength(1);
  return intents[0] as Intent;
};
const stop = async (id: string): Promise<void> => {
  const found = (await world.system.call(ListStrategies, world.vault, who.main)).strategies.find(
    (item) => item.id === id,
  );
  if (found?.state === 'RUNNING')
    await world.system.call(SetStrategyState, { id, version: found.version, target_state: 'IDLE' }, who.main);
};
/** What must hold of every refusal: an intent that tells why, if there is one, and no transaction. */
async function refused(id: string, code: string, act: () => Promise<void>): Promise<void> {
  const before = await world.sent();
  await act();
  expect(await world.sent()).toBe(before);
  const [intent] = await world.intents(id);
  if (intent) {
    expect(intent).toMatchObject({ state: 'ABORTED', error_code: code, fills_count: 0 });
    const { events } = await world.system.call(ListIntentEvents, { id: intent.intent_id }, who.main);
    expect(events.at(-1)).toMatchObject({ message_type: 'ABORT', payload: { code, message: expect.any(String) } });
  } else expect(await world.look(id)).toEqual({ outcome: 'blocked', code });
  await stop(id);
}

describe('a strategy that runs', () => {
  test('default: idle cash above its rule moves into the source, and the history tells how', async () => {
    await world.run('idle-to-a', { action: {} });
    await world.passes();
    await world.passes();
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
  });

  test('behavior: below its rule nothing is sent, however many blocks come', async () => {
    const before = await world.sent();
    await world.block();
    await world.passes(2);
    expect(await world.sent()).toBe(before);
    expect(await world.look('idle-to-a')).toEqual({ outcome: 'rule_false', code: null });
    await stop('idle-to-a');
  });

  test('behavior: a withdrawal brings shares back as assets, once its ticks have held', async () => {
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
  });
});
