import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PreparedCall, PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeFunctionData, parseAbi } from 'viem';
import {
  account,
  baseUrl,
  chain,
  sendRaw,
  signIn,
  stateDir,
  until,
  untilRead,
  webhookOrigin,
} from '../../system/actors.ts';
import { scenarioMs } from '../../system/patience.ts';
import { pidsOf } from '../../system/running-system.ts';
import { faultOf, WebhookReceiver } from '../../system/webhook.ts';

/**
 * Alerts of a vault through a webhook whose receiver dies, and a service that is killed while it retries: what the chain did is what
 * the receiver got in the end, each event signed, in order and without a gap.
 */

type Client = Awaited<ReturnType<typeof signIn>>['client'];
const [primaryIndex, secondaryIndex, viewerIndex] = [1, 2, 4];
const managerAbi = parseAbi([
  'function proposeChangePrimaryManager(address strategy, address newManager, address feeRecipient)',
  'function cancelChangePrimaryManager(address strategy)',
  'event PrimaryManagerChangeProposed(address indexed strategy, address indexed proposer, address indexed newManager, address feeRecipient, uint256 effectiveTime)',
  'event PrimaryManagerChangeCancelled(address indexed strategy, address indexed cancelledManager)',
  'event StrategyPaused(address indexed strategy)',
  'event StrategyUnpaused(address indexed strategy)',
]);
const receiver = new WebhookReceiver(webhookOrigin());
let vault: PublicVault;
let primary: Client;
let viewer: Client;
let aggregator: string;
let channel_id: string;
let secret: string;

const params = () => ({ chain_id: String(vault.chain_id), vault_address: vault.vault_address });
const ref = () => ({ chain_id: vault.chain_id, vault_address: vault.vault_address });
const ofChannel = () => ({ ...params(), channel_id });

/** An answer of the service that is being killed, undefined while there is none. */
const tried = <T>(read: () => Promise<T>): Promise<T | undefined> => read().catch(() => undefined);
const binding = async () =>
  (await primary.vaultChannels({ params: params() })).channels.find(({ channel }) => channel.channel_id === channel_id);

async function mined(index: number, call: { to: string; data: string; value?: string }): Promise<void> {
  const { status } = await chain().waitForTransactionReceipt({ hash: await sendRaw(index, call) });
  expect(status).toBe('success');
}
const strategy = () => vault.strategy_address as `0x${string}`;
/** A secondary manager proposes to replace the primary one: the alert that matters most. */
const propose = () => {
  const stranger = account(58).address;
  const args = [strategy(), stranger, stranger] as const;
  const data = encodeFunctionData({ abi: managerAbi, functionName: 'proposeChangePrimaryManager', args });
  return mined(secondaryIndex, { to: aggregator, data });
};
const cancel = () => {
  const data = encodeFunctionData({ abi: managerAbi, functionName: 'cancelChangePrimaryManager', args: [strategy()] });
  return mined(primaryIndex, { to: aggregator, data });
};
const carryOut = (call: PreparedCall) => {
  expect(call.simulation.ok).toBe(true);
  return mined(primaryIndex, call);
};

const sequences = () => receiver.got.flatMap(({ event }) => event.sequence ?? []);
/** How many events of a kind came, each counted once. */
const heard = (type: string, rule: string) =>
  new Set(
    receiver.got
      .filter(({ event }) => event.event_type === type && event.data.alert?.rule_id === rule)
      .map(({ event }) => event.event_id),
  ).size;
const openAlert = async (rule_id: 'manager_change_pending' | 'vault_paused') => {
  const active = await untilRead(
    `an alert ${rule_id}`,
    async () => (await tried(() => primary.listAlerts({ query: { ...params(), rule_id, status: 'active' } })))?.alerts,
    (alerts) => alerts !== undefined && alerts.length > 0,
    60_000,
  );
  return active?.[0] as NonNullable<typeof active>[number];
};
const untilHeard = (type: string, rule: string, times: number) =>
  untilRead(
    `${type} of ${rule} delivered ${times} times`,
    async () => receiver.got.map(({ event }) => `${event.sequence} ${event.event_type} ${event.data.alert?.rule_id}`),
    () => heard(type, rule) === times,
    60_000,
  );

beforeAll(async () => {
  const found = (await createClient({ baseUrl: baseUrl() }).publicVaults({})).find(
    ({ name }) => name === 'WETH Growth',
  );
  if (!found) throw new Error('WETH Growth is not in the public list');
  vault = found;
  [primary, viewer] = [(await signIn(primaryIndex)).client, (await signIn(viewerIndex)).client];
  // Pausing is a call of the aggregator; only its address is taken from this one.
  aggregator = (await primary.preparePause({ body: { ...ref(), reason: 'Where is it sent' } })).to;
  await receiver.start();
  const made = await primary.createChannel({
    body: { provider: 'webhook', name: 'Drill', config: { url: receiver.url } },
  });
  channel_id = made.channel_id;
  secret = made.secret as string;
  await primary.bindChannel({ params: ofChannel(), body: {} });
});
afterAll(async () => {
  if (channel_id) await tried(() => primary.deleteChannel({ params: { channel_id } }));
  await receiver.kill();
});

describe('a channel', () => {
  test('default: a webhook is made, bound and tested; its secret is shown once', async () => {
    expect(secret.length).toBeGreaterThan(40);
    const { outcome, sequence } = await primary.testChannel({ params: { channel_id } });
    expect([outcome, sequence]).toEqual(['delivered', null]);
    const tests = receiver.got.filter(({ event }) => event.event_type === 'test');
    expect(tests.map((tested) => faultOf(tested, secret))).toEqual([undefined]);
    const shown = JSON.stringify([await primary.listChannels({}), await binding()]);
    for (const text of [secret, 'the-path-is-a-secret']) expect(shown).not.toContain(text);
  });

  test.each([
    'http://example.com/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[::ffff:10.0.0.1]/',
    // The API's own port: loopback is trusted at one origin only.
    `${baseUrl()}/api/v1/chains`,
  ])('error: %s is refused', async (url) => {
    const body = { provider: 'webhook' as const, name: 'Inside', config: { url } };
    await expect(primary.createChannel({ body })).rejects.toMatchObject({ status: 422, code: 'ADDRESS_FORBIDDEN' });
  });

  test('error: what is malformed is refused with the field that is wrong', async () => {
    const token = (await signIn(primaryIndex)).token;
    const send = async (method: string, path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const response = await fetch(`${baseUrl()}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    };
    const onVault = `/vaults/${vault.chain_id}/${vault.vault_address}/notification-channels/${channel_id}`;
    const cases: [string, string, unknown, string][] = [
      ['POST', `${onVault}/replay`, { from_sequence: 0 }, 'from_sequence'],
      ['POST', `${onVault}/replay`, { from_sequence: '1' }, 'from_sequence'],
      ['POST', '/notification-channels', { provider: 'pigeon', name: 'X' }, 'provider'],
      [
        'POST',
        '/notification-channels',
        { provider: 'webhook', name: 'X', config: { url: receiver.url, secret: 'short' } },
        'secret',
      ],
      ['PUT', '/alerts/rules/vault_paused', { ...ref(), version: 0, for_seconds: -1 }, 'for_seconds'],
      ['PUT', '/alerts/rules/vault_paused', { ...ref(), version: 0, owner: '' }, 'owner'],
      ['PUT', '/alerts/rules/no_such_rule', { ...ref(), version: 0 }, 'rule_id'],
      ['POST', '/alerts/al_0/acknowledge', { note: '' }, 'note'],
    ];
    for (const [method, path, body, field] of cases) {
      const { status, text } = await send(method, path, body);
      expect([path, body, status]).toEqual([path, body, 400]);
      expect(text).toContain(field);
    }
  });

  test('error: who only views reads the alerts, and neither changes a rule nor touches a channel', async () => {
    const { rules } = await viewer.alertRules({ query: params() });
    expect(rules.length).toBeGreaterThan(20);
    const refused = { status: 403, code: 'ROLE_REQUIRED' };
    const version = rules.find(({ rule_id }) => rule_id === 'vault_paused')?.version ?? 0;
    for (const attempt of [
      () => viewer.setAlertRule({ params: { rule_id: 'vault_paused' }, body: { ...ref(), version, enabled: false } }),
      () => viewer.replayChannel({ params: ofChannel(), body: { from_sequence: 1 } }),
      () => viewer.redeliverChannel({ params: ofChannel() }),
      () => viewer.unbindChannel({ params: ofChannel() }),
      () => viewer.createChannel({ body: { provider: 'websocket', name: 'Mine', config: {} } }),
    ])
      await expect(attempt()).rejects.toMatchObject(refused);
    await expect(viewer.listDeliveries({ params: { channel_id }, query: {} })).rejects.toMatchObject({ status: 404 });
  });
});

/** The receiver dies, the service that retries is killed, and then the receiver comes back. */
async function dieAndComeBack(): Promise<void> {
  await propose();
  await untilHeard('alert.opened', 'manager_change_pending', 1);
  await cancel();
  await untilHeard('alert.resolved', 'manager_change_pending', 1);
  const lastSeen = Math.max(...sequences());

  await receiver.kill();
  await carryOut(await primary.preparePause({ body: { ...ref(), reason: 'Drill of the alerts' } }));
  const paused = await openAlert('vault_paused');
  const note = { note: 'It is a drill.' };
  await primary.acknowledgeAlert({ params: { id: paused.alert_id }, body: note });
  await carryOut(await primary.prepareUnpause({ body: { ...ref(), reason: 'The drill is over' } }));
  await propose();
  // Killed while it retries what came before, and before it has seen that proposal's end.
  const pid = pidsOf(stateDir()).users as number;
  process.kill(pid, 'SIGKILL');
  await cancel();
  await propose();
  await cancel();
  await until('users started again', async () => (pidsOf(stateDir()).users ?? pid) !== pid);

  const log = await untilRead(
    'a dead letter is listed',
    () => tried(() => primary.listDeliveries({ params: { channel_id }, query: { limit: '100' } })),
    (read) => read?.deliveries.some(({ outcome }) => outcome === 'dead_letter') ?? false,
    120_000,
  );
  const dead = log?.deliveries.find(({ outcome }) => outcome === 'dead_letter');
  expect(dead).toMatchObject({ sequence: lastSeen + 1, attempt: 6, reason: 'ECONNREFUSED' });
  // The delivery is written before what came of it for its channel, so that a process that ends in between sends again.
  const failing = await untilRead('the channel is failing', binding, (bound) => bound?.state === 'failing');
  expect(failing?.next_sequence).toBe(lastSeen + 1);
  expect(Math.max(...sequences())).toBe(lastSeen);

  await receiver.start();
  await primary.replayChannel({ params: ofChannel(), body: { from_sequence: lastSeen } });
  await untilHeard('alert.resolved', 'manager_change_pending', 3);
  await untilRead('nothing waits', binding, (bound) => bound?.waiting === 0);
  expect(receiver.got.map((one) => faultOf(one, secret)).filter(Boolean)).toEqual([]);
}

/** Each event delivered with its number; a repeat has the id it had, and the numbers have no gap. */
async function deliveredInOrder() {
  const delivered = receiver.got.flatMap(({ event }) =>
    event.sequence === null ? [] : [{ ...event, n: event.sequence }],
  );
  const idOf = new Map<number, string>();
  for (const { n, event_id } of delivered) {
    expect([n, idOf.get(n) ?? event_id]).toEqual([n, event_id]);
    idOf.set(n, event_id);
  }
  // One was asked for a second time.
  expect(delivered.length).toBeGreaterThan(idOf.size);
  const numbers = [...idOf.keys()].sort((left, right) => left - right);
  const [first = 0] = numbers;
  expect(numbers).toEqual(numbers.map((_, place) => first + place));
  expect(new Set(idOf.values()).size).toBe(idOf.size);

  const { events } = await primary.alertEvents({
    query: { ...params(), after_sequence: String(first - 1), limit: '500' },
  });
  expect(events.slice(0, numbers.length).map(({ event_id }) => event_id)).toEqual(numbers.map((n) => idOf.get(n)));
  return numbers.map((n) => delivered.find((event) => event.n === n));
}

/** What was delivered is what the chain did since that block. */
async function sameAsTheChain(news: Awaited<ReturnType<typeof deliveredInOrder>>, firstBlock: bigint): Promise<void> {
  const of = (...rules: string[]) =>
    news
      .filter((event) => rules.includes(event?.data.alert?.rule_id ?? ''))
      .map((event) => `${event?.data.alert?.rule_id} ${event?.event_type}`);
  const logs = await chain().getContractEvents({
    address: aggregator as `0x${string}`,
    abi: managerAbi,
    args: { strategy: strategy() },
    fromBlock: firstBlock + 1n,
  });
  const named = (name: string) => logs.filter(({ eventName }) => eventName === name).length;
  const [proposed, paused] = [named('PrimaryManagerChangeProposed'), named('StrategyPaused')];
  expect([proposed, named('PrimaryManagerChangeCancelled'), paused, named('StrategyUnpaused')]).toEqual([3, 3, 1, 1]);
  const [opened, resolved] = ['manager_change_pending alert.opened', 'manager_change_pending alert.resolved'];
  expect(of('manager_change_pending')).toEqual(Array.from({ length: proposed }, () => [opened, resolved]).flat());
  expect(of('vault_paused')).toEqual([
    'vault_paused alert.opened',
    'vault_paused alert.acknowledged',
    'vault_paused alert.resolved',
  ]);
}

/** Neither the secret nor the address is in a log of the system. */
function expectNoSecretInLogs(): void {
  const folder = join(stateDir(), 'logs');
  const files = readdirSync(folder);
  expect(files).toContain('users.log');
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8');
    for (const hidden of [secret, 'the-path-is-a-secret']) expect([name, text.includes(hidden)]).toEqual([name, false]);
  }
}

test(
  'behavior: a receiver that dies, and a service that is killed meanwhile, cost no event, no order and no signature; the vault is as it was',
  async () => {
    const firstBlock = await chain().getBlockNumber();
    await dieAndComeBack();
    await sameAsTheChain(await deliveredInOrder(), firstBlock);
    expectNoSecretInLogs();
    const after = await untilRead(
      'the vault is priced again',
      () => primary.vault({ params: params() }),
      ({ is_pps_stale }) => !is_pps_stale,
      120_000,
    );
    expect([after.is_paused, after.pending_manager_change]).toEqual([false, null]);
  },
  scenarioMs,
);
