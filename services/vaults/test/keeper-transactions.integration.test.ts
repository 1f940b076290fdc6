import {
  ArchiveStrategy,
  GetKeeperRecord,
  GetStrategy,
  SetStrategyState,
  UpdateEngineVault,
} from '@castellan/contracts';
import { LeaseLost } from '@castellan/service-kit';
import { awsKms, keyService, servedKey, until } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { deposit, keyOf, one, person, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { signerOf } from '../src/keeper/key.ts';
import { keeperPass } from '../src/keeper/use-cases/pass.ts';
import { chain_id } from './harness.ts';
import { KeeperWorld, limits } from './keeper-world.ts';

/** Redemptions, and what becomes of the keeper's transactions, against the development contracts. */

let world: KeeperWorld;
beforeAll(async () => {
  world = await KeeperWorld.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle } = protocol;
    await chain.send(who.main, strategy, 'manageYieldSource', [sources[0].address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
  });
  await world.authorise([world.system.protocol.sources[0].address]);
  // Many intents within a minute are what these tests are made of.
  await world.system.call(UpdateEngineVault, { ...world.vault, max_intents_per_minute: 600 }, who.main);
});
afterAll(async () => world?.stop());

const protocol = () => world.system.protocol;
const chain = () => world.system.chain;
const idle = () => chain().read<bigint>(protocol().asset, 'balanceOf', [protocol().strategy.address]);
const only = async (id: string) => {
  const intents = await world.intents(id);
  expect(intents).toHaveLength(1);
  return intents[0];
};
const stop = (id: string) => world.halt(id);
/** What was signalled to the alerts about a subject, once the last of it is this. */
const signalled = (kind: 'strategy' | 'automation', subject: string, state: 'failing' | 'ok') =>
  until(`${subject} is signalled as ${state}`, async () => {
    const found = (await world.system.signals()).filter((item) => item.kind === kind && item.subject === subject);
    return found.at(-1)?.state === state ? found : undefined;
  });

const request = async (from: Address, shares: bigint): Promise<void> => {
  await chain().send(from, protocol().vault, 'requestRedeem', [shares, from, from]);
};
const waiting = (of: Address) => chain().read<bigint>(protocol().strategy, 'pendingRedeemRequest', [of]);
const claimable = (of: Address) => chain().read<bigint>(protocol().vault, 'maxWithdraw', [of]);
const paying = { settings: { ...limits, fulfilsRedemptions: true } };

/** What idle assets reach is paid in one transaction; what they do not waits. */
async function paidAsFarAsAssetsReach(): Promise<void> {
  await deposit(chain(), protocol(), who.bob, 100n * one);
  await world.run('all-in', {
    rules: { type: 'EXPR', expr: 'true' },
    cooldown_ms: 86_400_000,
    action: { size_expr: 'vault_free_assets - 60_000_000' },
  });
  await world.passes(2);
  expect(await idle()).toBe(60n * one);
  const paidBefore = await claimable(who.bob);
  await request(who.alice, 500n * one);
  await request(who.bob, 50n * one);
  await world.passes(2, paying);
  expect([await waiting(who.alice), await waiting(who.bob)]).toEqual([500n * one, 0n]);
  expect((await claimable(who.bob)) - paidBefore).toBe(50n * one);
  expect(await idle()).toBe(10n * one);
  await stop('all-in');
}

/** A request that is being given back is given back, not paid. */
async function cancelledIsGivenBack(): Promise<void> {
  await chain().send(who.alice, protocol().vault, 'cancelRedeemRequest', [0n, who.alice]);
  await world.passes(2, paying);
  expect(await waiting(who.alice)).toBe(0n);
  expect(await chain().read<bigint>(protocol().strategy, 'claimableCancelRedeemRequest', [who.alice])).toBe(500n * one);
}

/** With the kill switch on, while the vault is paused, or switched off, nothing is paid. */
async function nothingIsPaidWhileStopped(): Promise<void> {
  await request(who.bob, 5n * one);
  const before = await world.sent();
  await world.passes(2);
  await world.system.call(UpdateEngineVault, { ...world.vault, kill_switch: true }, who.main);
  await world.passes(2, paying);
  await world.system.call(UpdateEngineVault, { ...world.vault, kill_switch: false }, who.main);
  await chain().send(who.main, protocol().aggregator, 'pauseStrategy', [protocol().strategy.address]);
  await world.passes(2, paying);
  expect(await world.sent()).toBe(before);
  await chain().send(who.main, protocol().aggregator, 'unpauseStrategy', [protocol().strategy.address]);
  await price(chain(), protocol(), one);
  await world.passes(2, paying);
  expect(await waiting(who.bob)).toBe(0n);
}

describe('a key of AWS KMS', () => {
  test('default: sends what the chain takes, though it signs with a high s', async () => {
    const kms = await keyService(awsKms({ 'alias/keeper': servedKey(keyOf(person(2)), { highS: true }) }));
    const settings = {
      AWS_ENDPOINT_URL_KMS: kms.url,
      AWS_ACCESS_KEY_ID: 'AKIATEST',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'us-east-1',
    };
    Object.assign(process.env, settings);
    const by = { ...paying, signer: await signerOf({ kmsKey: 'aws-kms:alias/keeper' }) };
    await deposit(chain(), protocol(), who.bob, 10n * one);
    await request(who.bob, 10n * one);
    const before = await world.sent();
    await world.passes(3, by);
    expect(await world.sent()).toBe(before + 1);
    expect(await waiting(who.bob)).toBe(0n);
    for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name);
    await kms.close();
  });
});

describe('redemptions', () => {
  test('default: what idle assets reach is paid, what is given back is not, and nothing is while it is stopped', async () => {
    await paidAsFarAsAssetsReach();
    await cancelledIsGivenBack();
    await nothingIsPaidWhileStopped();
  });

  test('behavior: when paying fails the alerts get one signal, and another when it works', async () => {
    await deposit(chain(), protocol(), who.bob, 100n * one);
    await request(who.bob, 5n * one);
    const reverting = { ...paying, on: { simulate: async () => ({ revert: 'NOPE' }) } };
    await world.passes(3, reverting);
    expect(await signalled('automation', 'vault:redemptions', 'failing')).toMatchObject([
      { detail: 'Redemptions were not paid. The call would revert: NOPE.' },
    ]);
    await world.passes(2, paying);
    expect(await waiting(who.bob)).toBe(0n);
    expect((await signalled('automation', 'vault:redemptions', 'ok')).map(({ state }) => state)).toEqual([
      'failing',
      'ok',
    ]);
  });
});

describe('a transaction that is not mined', () => {
  // Strategies of other tests may have put all idle assets to work.
  beforeEach(() => deposit(chain(), protocol(), who.alice, 10n * one));
  const always = { type: 'EXPR' as const, expr: 'vault_free_assets > 0' };
  const run = (id: string) =>
    world.run(id, { rules: always, cooldown_ms: 86_400_000, action: { size_expr: '1_000_000' } });
  const open = async () => (await world.ports().journal.open(chain_id))[0]?.open;

  test('behavior: is offered more for, under the same nonce, and is mined once', async () => {
    await run('stuck');
    const nonce = await world.sent();
    // Nobody builds blocks with it: the first form never reaches the chain.
    const lost = { on: { send: async () => 'accepted' as const } };
    await world.passes(1, lost);
    for (let block = 0; block < 3; block += 1) await world.block();
    await world.passes(1, lost);
    const bumped = await open();
    expect(bumped?.attempts.map(({ kind }) => kind)).toEqual(['deliver', 'deliver']);
    expect(bumped?.nonce).toBe(nonce);
    const { queue } = await world.system.call(GetKeeperRecord, world.vault, who.main);
    expect(queue.open).toMatchObject({ nonce, tx_hashes: bumped?.attempts.map(({ hash }) => hash) });
    expect(Date.parse(queue.open?.begun_at ?? '')).toBeLessThanOrEqual(Date.now());
    await world.passes(2);
    expect(await world.sent()).toBe(nonce + 1);
    expect(await only('stuck')).toMatchObject({ state: 'COMPLETED', fills_count: 1 });
    await stop('stuck');
  });

  test('behavior: once it has expired its nonce is used up by an empty transaction, and the intent fails', async () => {
    await run('expired-on-its-way');
    const nonce = await world.sent();
    const lost = { on: { send: async () => 'accepted' as const } };
    await world.passes(1, lost);
    // Past `max_duration_seconds`.
    await world.passes(1, { now: () => Date.now() + 61_000 });
    await world.passes(1);
    expect(await world.sent()).toBe(nonce + 1);
    expect(await only('expired-on-its-way')).toMatchObject({ state: 'FAILED', error_code: 'EXPIRED', fills_count: 0 });
    expect(await open()).toBeUndefined();
    await stop('expired-on-its-way');
  });

  test('behavior: a nonce that somebody else has used fails the intent, and nothing is sent again', async () => {
    await run('used-elsewhere');
    await world.passes(1, { on: { send: async () => 'accepted' as const } });
    await chain().send(who.secondary, protocol().asset, 'mint', [who.bob, 1n]);
    const sent = await world.sent();
    await world.passes(2);
    expect(await only('used-elsewhere')).toMatchObject({ state: 'EXECUTING' });
    // Until then a node that lags may come with its receipt.
    await chain().client.mine({ blocks: 20 });
    await world.passes(2);
    expect(await only('used-elsewhere')).toMatchObject({ state: 'FAILED', error_code: 'NONCE_USED' });
    expect(await world.sent()).toBe(sent);
    await stop('used-elsewhere');
  });

  test('behavior: the alerts get the first failure of a strategy, and the first success after it', async () => {
    const id = 'comes-back';
    await world.run(id, { rules: always, action: { size_expr: '1_000_000' } });
    const { receipt } = world.ports().chain;
    const reverting: typeof receipt = async (hash) => {
      const found = await receipt(hash);
      return found && { ...found, succeeded: false };
    };
    // Two in a row: a third would stop it.
    await world.passes(3, { on: { receipt: reverting } });
    expect(await signalled('automation', id, 'failing')).toMatchObject([
      { ...world.vault, detail: expect.stringMatching(/^The strategy “comes-back” failed\. The chain reverted 0x/) },
    ]);
    await world.passes(3);
    await stop(id);
    await world.passes(1);
    expect((await signalled('automation', id, 'ok')).map(({ state }) => state)).toEqual(['failing', 'ok']);
  });

  test('behavior: one that is refused fails too, once; archived it fails no more', async () => {
    const id = 'without-proof';
    await world.run(id, { rules: always, action: { size_expr: '1_000_000' } });
    const refused = { on: { validate: async () => false } };
    for (let times = 0; times < 3; times += 1) {
      await world.passes(1, refused);
      await world.block();
    }
    expect((await world.intents(id)).filter(({ error_code }) => error_code === 'PROOF_REJECTED').length).toBe(3);
    expect(await signalled('automation', id, 'failing')).toHaveLength(1);
    await world.system.call(ArchiveStrategy, { id }, who.main);
    await world.passes(2);
    expect((await signalled('automation', id, 'ok')).map(({ state }) => state)).toEqual(['failing', 'ok']);
  });

  test('behavior: what a person stopped is no failure', async () => {
    const id = 'switched-off';
    await world.run(id, { rules: always, action: { size_expr: '1_000_000' } });
    const { roots } = world.ports().chain;
    const kill = (kill_switch: boolean) =>
      world.system.call(UpdateEngineVault, { ...world.vault, kill_switch }, who.main);
    const switching: typeof roots = async (target) => {
      await kill(true);
      return roots(target);
    };
    await world.passes(1, { on: { roots: switching } });
    await kill(false);
    expect(await only(id)).toMatchObject({ state: 'ABORTED', error_code: 'KILL_SWITCH' });
    const kept = await world
      .ports()
      .journal.vault({ chainId: chain_id, vault: world.vault.vault_address }, world.token);
    expect(kept.failing).not.toContain(id);
    await stop(id);
  });
});

describe('two keepers', () => {
  test.each(['standing', 'roots', 'quote', 'simulate', 'market'] as const)(
    'behavior: who loses the lease without noticing, at `%s`, sends nothing beside the new one',
    async (moment) => {
      const id = `overtaken-${moment}`;
      const always = { type: 'EXPR' as const, expr: 'true' };
      await world.run(id, { rules: always, cooldown_ms: 86_400_000, action: { size_expr: '1_000_000' } });
      const before = await world.sent();
      const { journal, chain: real } = world.ports();
      let isTaken = false;
      // Another one takes over while this one is at work, and has its own turn with the same strategy.
      const takenOver = async (...args: unknown[]) => {
        if (!isTaken) {
          isTaken = true;
          await journal.claim(chain_id, world.token + 1);
          await keeperPass(world.ports(), world.token + 1);
        }
        return (real[moment] as (...given: unknown[]) => unknown)(...args);
      };
      await world.passes(1, { on: { [moment]: takenOver } }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(LeaseLost);
      });
      expect(await world.sent()).toBeLessThanOrEqual(before + 1);
      world.token += 1;
      await world.passes(3);
      const intents = await world.intents(id);
      expect(intents.filter(({ state }) => state === 'COMPLETED').length).toBe((await world.sent()) - before);
      expect((await world.sent()) - before).toBeLessThanOrEqual(1);
      await stop(id);
    },
  );
});

/** It is stopped after the third in a row, and says so. */
async function isStoppedAfterThree(): Promise<void> {
  await world.run('reverts', { rules: { type: 'EXPR', expr: 'true' }, action: { size_expr: '1_000_000' } });
  const { receipt } = world.ports().chain;
  const reverting: typeof receipt = async (hash) => {
    const found = await receipt(hash);
    return found && { ...found, succeeded: false };
  };
  await world.passes(8, { on: { receipt: reverting } });
  const intents = await world.intents('reverts');
  expect(intents.map(({ error_code }) => error_code)).toEqual(['REVERTED', 'REVERTED', 'REVERTED']);
  expect(await world.system.call(GetStrategy, { id: 'reverts' }, who.main)).toMatchObject({
    state: 'ERROR',
    error: expect.stringContaining('in a row'),
    updated_by: who.secondary,
  });
}

/** The alerts get one signal, and the audit log names the keeper. */
async function isSignalledOnce(): Promise<void> {
  await world.block();
  await world.passes(2);
  const [signal, ...more] = await signalled('strategy', 'reverts', 'failing');
  expect(more).toEqual([]);
  expect(signal).toMatchObject({
    ...world.vault,
    state: 'failing',
    detail: expect.stringMatching(/^The strategy “reverts” is in ERROR\. 3 of its transactions/),
  });
  const rows = await until('its change is in the audit stream', async () => {
    const found = (await world.system.audited()).filter(({ actor_wallet }) => actor_wallet === who.secondary);
    return found.length > 0 && found;
  });
  expect(rows).toMatchObject([
    {
      ...world.vault,
      category: 'write',
      action_type: 'strategy_state_changed',
      details: { strategy_id: 'reverts', from: 'RUNNING', to: 'ERROR', reason: expect.stringContaining('in a row') },
      request_id: null,
    },
  ]);
}

/** Set to IDLE by a manager it is signalled as `ok`, and started and stopped it is not signalled again. */
async function isWellOnceIdle(): Promise<void> {
  const set = async (target_state: 'IDLE' | 'RUNNING') => {
    const { version } = await world.system.call(GetStrategy, { id: 'reverts' }, who.main);
    await world.system.call(SetStrategyState, { id: 'reverts', version, target_state }, who.main);
  };
  await set('IDLE');
  await signalled('strategy', 'reverts', 'ok');
  await set('RUNNING');
  await set('IDLE');
  // Behind these in the outbox, so that they would be there.
  await until('the last change is published', async () => {
    const changes = (await world.system.audited()).filter(({ details }) => details.strategy_id === 'reverts');
    return changes.at(-1)?.details.to === 'IDLE' && changes.length === 6;
  });
  expect((await signalled('strategy', 'reverts', 'ok')).map(({ state }) => state)).toEqual(['failing', 'ok']);
}

test('behavior: a strategy whose transactions the chain reverts is stopped after the third in a row, signalled once, and well once it is IDLE', async () => {
  await isStoppedAfterThree();
  await isSignalledOnce();
  await isWellOnceIdle();
});
