import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateStrategy,
  GetAlertReadings,
  GetEngineShard,
  GetEngineVault,
  GetKeeperStatus,
  GetVaultManagers,
  ListIntents,
  SetStrategyState,
} from '@castellan/contracts';
import {
  ConfigError,
  connectMongo,
  createRegistry,
  LeaseLost,
  type RunningService,
  startService,
} from '@castellan/service-kit';
import { testKeys, until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import * as Keystore from 'ox/Keystore';
import { privateKeyToAddress } from 'viem/accounts';
import { deposit, keyOf, one, person, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { mongoHeartbeats } from '../src/keeper/adapters/heartbeat.mongo.ts';
import { keeperDefinition } from '../src/keeper/compose.ts';
import { type KeeperConfig, loadConfig } from '../src/keeper/config.ts';
import { signerOf } from '../src/keeper/key.ts';
import { chain_id, VaultsSystem } from './harness.ts';
import { limits } from './keeper-world.ts';

/** The keeper as a process runs it: lease, loop, bus, monitoring. */

const privateKey = keyOf(person(2));
let system: VaultsSystem;
const running: RunningService[] = [];
beforeAll(async () => {
  system = await VaultsSystem.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle } = protocol;
    await chain.send(who.main, strategy, 'manageYieldSource', [sources[0].address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
  });
});
const stopRunning = async (): Promise<void> => {
  for (const service of running.splice(0)) await service.stop();
};
afterEach(stopRunning);
afterAll(async () => system?.stop());

const keeper = { ...limits, fulfilsRedemptions: true };
const start = async (): Promise<RunningService> => {
  const config: KeeperConfig = {
    ...system.config,
    identity: testKeys('keeper'),
    key: { privateKey },
    keeper,
    ofChains: new Map(),
  };
  const service = await startService(keeperDefinition(config));
  running.push(service);
  return service;
};
const answers = async (service: RunningService, path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${service.monitoringPort}${path}`)).status;

describe('two keepers', () => {
  test('default: one works and one stands by; the other takes over when it ends', async () => {
    const [first, second] = [await start(), await start()];
    const held = async (service: RunningService): Promise<boolean> =>
      (await (await fetch(`http://127.0.0.1:${service.monitoringPort}/metrics`)).text()).includes(
        'keeper_holds_lease{chain_id="31337",service="keeper"} 1',
      );
    await until('one holds the lease', async () => (await held(first)) !== (await held(second)));
    expect([await answers(first, '/healthz'), await answers(first, '/readyz')]).toEqual([200, 200]);
    const asked = () => system.call(GetKeeperStatus, {}).catch(() => undefined);
    const status = await until('it answers on the bus', asked);
    expect(status).toMatchObject({ chains: [{ chain_id, address: who.secondary, open_transactions: [] }] });
    const [holder, other] = (await held(first)) ? [first, second] : [second, first];
    await holder.stop();
    await until('the other has taken over', () => held(other));
  });

  test('behavior: what a strategy without a leaf came to is shown with the engine, and nothing is sent', async () => {
    await start();
    const { protocol } = system;
    const ref = { chain_id, vault_address: protocol.vault.address };
    const { version } = await system.call(
      CreateStrategy,
      {
        ...ref,
        id: 'unproven',
        name: 'Unproven',
        indicators: [],
        rules: { type: 'EXPR', expr: 'vault_free_assets > 0' },
        action_config: {
          action: 'DEPOSIT',
          size_expr: '1',
          execution_name: 'Into A',
          execution_address: protocol.depositHook.address,
          target_address: protocol.sources[0].address,
        },
        max_concurrent: 1,
        cooldown_ms: 3_600_000,
      },
      who.main,
    );
    const before = await system.chain.client.getTransactionCount({ address: who.secondary });
    await system.call(SetStrategyState, { id: 'unproven', version, target_state: 'RUNNING' }, who.main);
    const intents = async () => (await system.call(ListIntents, ref, who.main)).intents;
    await until('an intent has ended', async () => (await intents())[0]?.state === 'ABORTED');
    expect(await intents()).toMatchObject([{ error_code: 'PROOF_NOT_FOUND' }]);
    // Written behind the end of the intent.
    const shard = await until('its look is there', async () => {
      const found = await system.call(GetEngineShard, ref, who.main);
      return found.strategies[0]?.last_look?.outcome === 'fired' && found;
    });
    expect(shard.strategies).toMatchObject([{ strategy_id: 'unproven', last_look: { outcome: 'fired', code: null } }]);
    expect(await system.chain.client.getTransactionCount({ address: who.secondary })).toBe(before);
  });
});

describe('what is known of it', () => {
  const ref = () => ({ chain_id, vault_address: system.protocol.vault.address });
  const seen = async () => (await system.call(GetEngineVault, ref(), who.main)).keeper;

  /** Starts one, and waits until it went over the head. */
  const working = async () => {
    const head = Number(await system.chain.client.getBlockNumber());
    await start();
    return until('it went over the head', async () => {
      const status = await seen();
      return status?.is_running && status.block_number >= head ? status : undefined;
    });
  };

  test('default: every role learns that it runs, from which wallet, and what is left for gas', async () => {
    const keeper = await working();
    const balance = await system.chain.client.getBalance({ address: who.secondary });
    expect(keeper).toEqual({
      address: who.secondary,
      role: 'secondary_manager',
      is_running: true,
      block_number: expect.any(Number),
      last_pass_at: expect.any(String),
      balance: `${balance}`,
    });
  });

  test('behavior: the alerts read the same wallet and balance, once, whether or not they ask for it', async () => {
    const { secondary } = await system.call(GetVaultManagers, ref());
    const keeper = await working();
    expect(secondary.map(({ wallet_address }) => wallet_address)).toContain(keeper.address);
    for (const wallets of [[], [`${keeper.address}`]])
      expect(await system.call(GetAlertReadings, { ...ref(), wallets })).toMatchObject({
        keeper: keeper.address,
        balances: [{ wallet_address: keeper.address, balance: keeper.balance }],
      });
  });

  test('behavior: away for a minute it does not run, and its last block is still answered', async () => {
    await working();
    await stopRunning();
    const mongo = await connectMongo({ ...system.config.mongo, registry: createRegistry('test') });
    const heartbeats = mongoHeartbeats(mongo);
    const last = await heartbeats.get(chain_id);
    if (!last) throw new Error('It never reported itself.');
    const at = new Date(Date.now() - 61_000).toISOString();
    await heartbeats.beat({ ...last, at, address: who.bob });
    expect(await seen()).toMatchObject({
      is_running: false,
      role: null,
      block_number: last.block_number,
      last_pass_at: at,
    });
    // One that lost its lease long ago.
    await expect(heartbeats.beat({ ...last, token: last.token - 1 })).rejects.toBeInstanceOf(LeaseLost);
    await mongo.close();
  });
});

describe('the key', () => {
  test('default: comes from a keystore and its password; neither is in a message', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'castellan-keeper-'));
    const [file, unlockFile] = [join(folder, 'keystore.json'), join(folder, 'unlock')];
    const [key, opts] = Keystore.scrypt({ password: 'correct horse', n: 1_024 });
    writeFileSync(file, JSON.stringify(Keystore.encrypt(privateKey, key, opts)));
    writeFileSync(unlockFile, 'correct horse\n');
    expect((await signerOf({ file, unlockFile })).address).toBe(privateKeyToAddress(privateKey));
    writeFileSync(unlockFile, 'wrong horse');
    await expect(signerOf({ file, unlockFile })).rejects.toThrow(/password in .*unlock does not open the keystore/);
    await expect(signerOf({ file, unlockFile })).rejects.not.toThrow(/wrong horse/);
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['geth, foundry and castellan-validator', 8, 1],
    ['the library of this test', 1, 8],
  ])('behavior: a keystore with the cost that %s use is opened', async (_writer, r, p) => {
    const folder = mkdtempSync(join(tmpdir(), 'castellan-keeper-'));
    const [file, unlockFile] = [join(folder, 'keystore.json'), join(folder, 'unlock')];
    const [key, opts] = Keystore.scrypt({ password: 'correct horse', n: 1_024, r, p });
    writeFileSync(file, JSON.stringify(Keystore.encrypt(privateKey, key, opts)));
    writeFileSync(unlockFile, 'correct horse');
    expect((await signerOf({ file, unlockFile })).address).toBe(privateKeyToAddress(privateKey));
    rmSync(folder, { recursive: true, force: true });
  });

  test('error: none, two, or one that is no key is refused before anything starts, without its text', () => {
    const chains = { CHAINS: JSON.stringify([{ chain_id: 1, rpc_urls: ['http://127.0.0.1:1'] }]) };
    const fault = (env: Record<string, string>): string => {
      try {
        loadConfig({ ...chains, ...env });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        return (error as Error).message;
      }
      throw new Error('it was taken');
    };
    expect(fault({})).toMatch(/KEEPER_PRIVATE_KEY: is required/);
    expect(fault({ KEEPER_PRIVATE_KEY: '0x1234abcd' })).toMatch(/KEEPER_PRIVATE_KEY: must be 32 bytes/);
    expect(fault({ KEEPER_PRIVATE_KEY: '0x1234abcd' })).not.toMatch(/1234abcd/);
    expect(fault({ KEEPER_PRIVATE_KEY: privateKey, KEEPER_KEYSTORE_FILE: '/keys' })).toMatch(/not both/);
    expect(fault({ KEEPER_KEYSTORE_FILE: '/keys' })).toMatch(/KEEPER_UNLOCK_FILE: is required/);
  });
});
