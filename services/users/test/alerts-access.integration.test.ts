import { OwnRuleDefinition, type OwnRuleId } from '@castellan/contracts';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ChannelStore } from '../src/alerts/channels/adapters/channel-store.mongo.ts';
import { sealer } from '../src/alerts/channels/adapters/sealed.ts';
import { openNotificationCollections } from '../src/alerts/channels/models/collections.ts';
import { bindChannel, listVaultChannels, unbindChannel } from '../src/alerts/channels/use-cases/bindings.ts';
import { createChannel } from '../src/alerts/channels/use-cases/channels.ts';
import { redeliverChannel, replayChannel } from '../src/alerts/delivery/use-cases/ask-for-redelivery.ts';
import { alertIdOf } from '../src/alerts/records/adapters/alert-records.mongo.ts';
import { acknowledgeAlert, resolveAlert } from '../src/alerts/records/use-cases/change-alerts.ts';
import { getAlert, listAlertEvents, listAlerts } from '../src/alerts/records/use-cases/read-alerts.ts';
import { backtestAlertRule, listAlertRules, setAlertRule } from '../src/alerts/rules/use-cases/alert-rules.ts';
import { backtestOwnRule } from '../src/alerts/rules/use-cases/backtest-own-rule.ts';
import { changeOwnRule, createOwnRule, deleteOwnRule, listOwnRules } from '../src/alerts/rules/use-cases/own-rules.ts';
import { type AlertScene, observation, openAlertScene } from './alerts-scene.ts';
import { addTo, chain_id, otherVault, primary, strategy, vault, vault_address, viewer } from './scene.ts';

/** Who may do what with alerts, rules and channels: each check by an attempt that succeeds once the check is gone. */

let store: TestStore;
let scene: AlertScene;
let channel_id: string;
let own_id: OwnRuleId;
const ownRule = OwnRuleDefinition.parse({
  title: 'Few depositors',
  metric: 'depositors',
  comparison: 'below',
  threshold: 5,
  severity: 'info',
});
const id = alertIdOf(chain_id, vault_address.toLowerCase(), 1);
const deps = () => ({ ...scene, now: () => new Date(scene.world.now) });
const opened = () => {
  const channels = new ChannelStore(
    openNotificationCollections(scene.mongo),
    sealer(Buffer.alloc(32, 7)),
    () => undefined,
  );
  return { ...deps(), store: channels, dispatcher: { attempt: async () => true }, trustedOrigins: [] };
};
let parts: ReturnType<typeof opened>;

beforeAll(async () => {
  store = await startTestStore();
  scene = await openAlertScene(store);
  parts = opened();
  scene.created();
  addTo(scene.fake, 0, observation());
  const evaluator = scene.evaluator();
  await scene.settle(evaluator);
  addTo(scene.fake, 100, { name: 'StrategyPaused', args: { strategy }, from: primary });
  await scene.settle(evaluator);
  const made = { provider: 'webhook' as const, name: 'Desk', config: { url: 'https://example.com/in' } };
  ({ channel_id } = await createChannel(parts)(made, scene.call(primary)));
  await bindChannel(parts)({ ...vault, channel_id, min_severity: 'info' }, scene.call(primary));
  ({ rule_id: own_id } = await createOwnRule(parts)({ ...vault, rule: ownRule }, scene.call(primary)));
});
afterAll(async () => {
  await scene.mongo.close();
  await store.stop();
});

const grant = async (on: string) => {
  await scene.collections.grants.deleteMany({});
  await scene.collections.grants.insertOne({
    chain_id,
    vault: on.toLowerCase(),
    wallet: viewer.toLowerCase(),
    granted: true,
    granted_by: primary,
    granted_at: new Date(),
    version: 1,
  } as never);
};
const call = () => scene.call(viewer);
const version = 0;

const reading = {
  'the alerts': () => listAlerts(deps())({ ...vault, limit: 10 }, call()),
  'one alert': () => getAlert(deps())({ id }, call()),
  'the rules': () => listAlertRules(deps())(vault, call()),
  'a back-test': () => backtestAlertRule(deps())({ ...vault, rule_id: 'vault_paused' }, call()),
  'the own rules': () => listOwnRules(parts)(vault, call()),
  'a back-test of an own rule': () => backtestOwnRule(parts)({ ...vault, rule: ownRule }, call()),
  'the events': () => listAlertEvents(deps())({ ...vault, after_sequence: 0, limit: 10 }, call()),
  'the channels': () => listVaultChannels(parts)(vault, call()),
};
const changing = {
  'a rule': () => setAlertRule(deps())({ ...vault, rule_id: 'low_gas', version, enabled: false }, call()),
  'the own rules, adding': () => createOwnRule(parts)({ ...vault, rule: ownRule }, call()),
  'an own rule': () => changeOwnRule(parts)({ ...vault, rule_id: own_id, version: 1, rule: ownRule }, call()),
  'the own rules, deleting': () => deleteOwnRule(parts)({ ...vault, rule_id: own_id, version: 1 }, call()),
  'an alert, acknowledging': () => acknowledgeAlert(deps())({ id, note: 'Mine.' }, call()),
  'an alert, resolving': () => resolveAlert(deps())({ id }, call()),
  'where a channel is, replaying': () => replayChannel(parts)({ ...vault, channel_id, from_sequence: 1 }, call()),
  'when a channel is tried': () => redeliverChannel(parts)({ ...vault, channel_id }, call()),
  'what a channel gets, binding': () => bindChannel(parts)({ ...vault, channel_id, min_severity: 'info' }, call()),
  'what a channel gets, unbinding': () => unbindChannel(parts)({ ...vault, channel_id }, call()),
};

describe('who only views the vault', () => {
  test.each(Object.keys(reading))('default: reads %s', async (what) => {
    await grant(vault_address);
    expect(await reading[what as keyof typeof reading]()).toBeTruthy();
  });

  test.each(Object.keys(changing))('error: does not change %s', async (what) => {
    await grant(vault_address);
    const refused = { code: 'ROLE_REQUIRED', message: expect.stringContaining('you have view_only') };
    await expect(changing[what as keyof typeof changing]()).rejects.toMatchObject(refused);
  });
});

describe('who views another vault', () => {
  test.each(Object.keys({ ...reading, ...changing }))('error: neither reads nor changes %s', async (what) => {
    await grant(otherVault);
    const refused = { code: 'ROLE_REQUIRED', message: expect.stringContaining('you have no role') };
    const attempts: Record<string, () => Promise<unknown>> = { ...reading, ...changing };
    await expect(attempts[what]?.()).rejects.toMatchObject(refused);
  });
});

test('behavior: after all these attempts the alert, the rule and the channel are as they were', async () => {
  const own = scene.call(primary);
  const rules = async () => (await listAlertRules(deps())(vault, own)).rules;
  const before = await rules();
  const ownBefore = await listOwnRules(parts)(vault, own);
  for (const on of [vault_address, otherVault]) {
    await grant(on);
    for (const attempt of Object.values(changing))
      await expect(attempt()).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  }
  expect(await getAlert(deps())({ id }, own)).toMatchObject({ status: 'active', note: null, version: 1 });
  expect(await rules()).toEqual(before);
  expect(await listOwnRules(parts)(vault, own)).toEqual(ownBefore);
  expect(ownBefore.rules).toMatchObject([{ rule_id: own_id, version: 1 }]);
  expect(before.filter(({ rule_id, version: of }) => rule_id === 'low_gas' && of > 0)).toEqual([]);
  const { channels } = await listVaultChannels(parts)(vault, own);
  expect(channels).toMatchObject([{ channel: { channel_id }, next_sequence: 2 }]);
});

describe('a malformed channel', () => {
  const make = (provider: 'slack' | 'webhook' | 'websocket', config: { url?: string; secret?: string }) =>
    createChannel(parts)({ provider, name: 'Desk', config }, scene.call(primary));
  const secret = 'a-secret-of-at-least-24-characters';
  const url = 'https://hooks.slack.com/services/T/B/x';

  test.each([
    ['a webhook without an address', () => make('webhook', {}), 'body.config.url'],
    ['Slack without an address', () => make('slack', {}), 'body.config.url'],
    ['Slack with a secret', () => make('slack', { url, secret }), 'body.config.secret'],
    ['a websocket with an address', () => make('websocket', { url }), 'body.config.url'],
  ])('error: %s gets the name of the wrong field', async (_what, attempt, path) => {
    const errors = [{ path, message: expect.any(String) }];
    await expect(attempt()).rejects.toMatchObject({ code: 'VALIDATION_FAILED', data: { errors } });
  });

  test('error: a threshold that the rule does not have is named with those it has', async () => {
    const set = { ...vault, rule_id: 'low_gas' as const, version, thresholds: { nonsense: 1 } };
    const errors = [{ path: 'body.thresholds.nonsense', message: 'is none of balance_wei' }];
    await expect(setAlertRule(deps())(set, scene.call(primary))).rejects.toMatchObject({ data: { errors } });
  });

  test.each([
    ['pps_staleness_warning', 'remaining_share'],
    ['pps_deviation', 'guard_share'],
    ['success_rate_low', 'success_rate'],
  ] as const)('error: %s takes no %s above 1, neither to be set nor to be tried', async (rule_id, name) => {
    const errors = [{ path: `body.thresholds.${name}`, message: 'must be 0 to 1, where 1 is the whole' }];
    const refusal = { code: 'VALIDATION_FAILED', data: { errors } };
    const own = scene.call(primary);
    const set = (value: number) => ({ ...vault, rule_id, version, thresholds: { [name]: value } });
    const tried = (value: number) => ({ ...vault, rule_id, settings: { thresholds: { [name]: value } } });
    await expect(setAlertRule(deps())(set(1.01), own)).rejects.toMatchObject(refusal);
    await expect(backtestAlertRule(deps())(tried(50), own)).rejects.toMatchObject(refusal);
    expect((await setAlertRule(deps())(set(1), own)).settings.thresholds[name]).toBe(1);
    expect((await backtestAlertRule(deps())(tried(1), own)).settings.thresholds[name]).toBe(1);
  });
});
