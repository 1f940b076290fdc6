import {
  type Alert,
  AlertChanged,
  type AlertRuleId,
  AlertSignalStream,
  AlertStream,
  AuditStream,
  BindChannel,
  ChainStream,
  CreateChannel,
  DirectoryStream,
  DisplayNameChanged,
  GetStrategy,
  GetVaultManagers,
  ListAlerts,
  ListAudit,
  ListVaultChannels,
  RoleStream,
  SetStrategyState,
  UpdateStream,
  ValidatorStream,
  VaultUpdated,
  ViewOnlyChanged,
} from '@castellan/contracts';
import { type RunningService, startService } from '@castellan/service-kit';
import { startTestStore, type TestStore, testKeys, until, untilPromised } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deposit, one, price, who } from '../../packages/protocol/test/test-chain.ts';
import { compose } from '../../services/users/src/compose.ts';
import type { UsersConfig } from '../../services/users/src/config.ts';
import { KeeperWorld } from '../../services/vaults/test/keeper-world.ts';

/** What the keeper fails at, from its pass over the chain to the alert that people read: both services, over the bus. */

let world: KeeperWorld;
let store: TestStore;
let users: RunningService;
beforeAll(async () => {
  world = await KeeperWorld.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle } = protocol;
    for (const { address } of sources)
      await chain.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
  });
  store = await startTestStore();
  const { env, logLevel, nats, monitoring, tracing, shutdownGraceSeconds } = world.system.config;
  const identity = testKeys('users');
  const base = { env, logLevel, nats, monitoring, tracing, shutdownGraceSeconds, identity };
  const config: UsersConfig = {
    base: { ...base, mongo: { uri: store.uri, database: store.database } },
    notifications: { key: Buffer.alloc(32, 7), sealPlain: false, trustedOrigins: [], sampleSeconds: 1 },
    attestations: { kmsKeys: [], vaultTokenFile: undefined, keyRotationSeconds: 86_400 },
  };
  users = await startService({
    name: 'users',
    config: config.base,
    streams: [
      DirectoryStream,
      AuditStream,
      ChainStream,
      UpdateStream,
      ValidatorStream,
      AlertSignalStream,
      AlertStream,
      RoleStream,
    ],
    publishes: [ViewOnlyChanged, DisplayNameChanged, VaultUpdated, AlertChanged],
    build: (context) => compose(context, config),
  });
  await until('the alerts answer', () =>
    alertsOf('strategy_error').then(
      () => true,
      () => false,
    ),
  );
});
afterAll(async () => {
  await users?.stop();
  await store?.stop();
  await world?.stop();
});

const alertsOf = async (rule_id: AlertRuleId): Promise<Alert[]> =>
  (await world.system.call(ListAlerts, { ...world.vault, rule_id }, who.main)).alerts;
const only = (rule_id: AlertRuleId, status: Alert['status']): Promise<Alert> =>
  until(`one ${rule_id} is ${status}`, async () => {
    const alerts = await alertsOf(rule_id);
    return alerts.length === 1 && alerts[0]?.status === status ? alerts[0] : undefined;
  });
const source = (index: 0 | 1) => world.system.protocol.sources[index].address;

test('default: a strategy that the keeper sets to ERROR is an alert, which ends once a manager has set it to IDLE', async () => {
  const { chain, protocol } = world.system;
  await world.run('lost', {
    rules: { type: 'EXPR', expr: `ys_${source(1).toLowerCase()}_shares > 0` },
    action: { target_address: source(1) },
  });
  await world.passes(2);
  expect(await alertsOf('strategy_error')).toEqual([]);
  await chain.send(who.main, protocol.strategy, 'manageYieldSource', [source(1), protocol.sourceOracle.address, 2]);
  await world.passes();
  // Until the loss is as deep as the chain's confirmations, a reorg may bring the source back.
  await world.block();
  await world.passes();
  expect(await only('strategy_error', 'active')).toMatchObject({
    ...world.vault,
    subject: 'strategy:lost',
    message: expect.stringMatching(/^The strategy “lost” is in ERROR\. The vault has lost/),
  });
  const { version } = await world.system.call(GetStrategy, { id: 'lost' }, who.main);
  await world.system.call(SetStrategyState, { id: 'lost', version, target_state: 'IDLE' }, who.main);
  await only('strategy_error', 'resolved');
  const rows = await until('both changes are in the audit log', async () => {
    const query = { ...world.vault, action_type: 'strategy_state_changed', limit: 100 };
    const { logs } = await world.system.call(ListAudit, query, who.main);
    const found = logs.filter(({ details }) => details.strategy_id === 'lost');
    return found.length === 3 ? found : undefined;
  });
  expect(rows.map(({ actor_wallet, details }) => [actor_wallet, details.to])).toEqual([
    [who.main, 'IDLE'],
    [who.secondary, 'ERROR'],
    [who.main, 'RUNNING'],
  ]);
});

test('behavior: what the keeper could not carry out is an alert, which ends once it could', async () => {
  await world.run('idle-in', { rules: { type: 'EXPR', expr: 'vault_free_assets > 500_000_000' }, action: {} });
  await world.passes(1);
  expect(await only('automation_failed', 'active')).toMatchObject({
    subject: 'automation:idle-in',
    message: expect.stringMatching(/^The strategy “idle-in” was not carried out\. /),
  });
  await world.block();
  await world.passes(1);
  await world.authorise([source(0)]);
  await world.passes(2);
  expect((await world.intents('idle-in'))[0]?.state).toBe('COMPLETED');
  await only('automation_failed', 'resolved');
  await world.halt('idle-in');
});

test('behavior: a keeper that can hardly pay for gas is an alert with its wallet and what it has', async () => {
  const { chain } = world.system;
  const { secondary } = await world.system.call(GetVaultManagers, world.vault);
  expect(secondary.map(({ wallet_address }) => wallet_address)).toContain(who.secondary);
  const before = await chain.client.getBalance({ address: who.secondary });
  await chain.client.setBalance({ address: who.secondary, value: 10n ** 16n });
  // It opens once chain time says that it lasted.
  const low = await until(
    'the keeper is named',
    async () => {
      await chain.pass(70);
      await world.system.indexed();
      return (await alertsOf('low_gas')).find(
        ({ subject }) => subject.toLowerCase() === `wallet:${who.secondary}`.toLowerCase(),
      );
    },
    120_000,
  );
  expect(low).toMatchObject({
    status: 'active',
    message: expect.stringMatching(new RegExp(`${who.secondary} has 0\\.01\\d* of the native coin left`)),
    facts: { balance_wei: `${10n ** 16n}` },
  });
  await chain.client.setBalance({ address: who.secondary, value: before });
});

test('behavior: the channel of a manager gets nothing more within 5 s of the block that removes the manager, and comes off the vault once that is final', async () => {
  const { chain, protocol } = world.system;
  const { aggregator, strategy } = protocol;
  const change = (name: 'addSecondaryManager' | 'removeSecondaryManager') =>
    chain.send(who.main, aggregator, name, [strategy.address, who.bob]);
  const channels = async () => (await world.system.call(ListVaultChannels, world.vault, who.main)).channels;
  await change('addSecondaryManager');
  await world.system.indexed();
  const made = { provider: 'websocket' as const, name: 'Desk', config: {} };
  const { channel_id } = await world.system.call(CreateChannel, made, who.bob);
  await world.system.call(BindChannel, { ...world.vault, channel_id, min_severity: 'info' }, who.bob);
  expect(await channels()).toMatchObject([{ channel: { channel_id }, bound_by: who.bob }]);
  await change('removeSecondaryManager');
  await untilPromised('the channel gets nothing more', async () => (await channels())[0]?.state === 'inactive', 5_000);
  await chain.client.mine({ blocks: 2 });
  await untilPromised('the channel is off the vault', async () => (await channels()).length === 0, 10_000);
});
