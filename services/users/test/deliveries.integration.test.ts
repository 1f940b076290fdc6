import type { Alert, AlertEvent } from '@castellan/contracts';
import { currentTraceId, inSpan, inTransaction } from '@castellan/service-kit';
import { testTraces } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { createReceiver } from '../../../docs/examples/webhook-receiver.ts';
import { bindChannel } from '../src/alerts/channels/use-cases/bindings.ts';
import { changeChannel, createChannel } from '../src/alerts/channels/use-cases/channels.ts';
import { slackMessage } from '../src/alerts/delivery/messages.ts';
import type { Send } from '../src/alerts/delivery/providers.ts';
import { redeliverChannel, replayChannel } from '../src/alerts/delivery/use-cases/ask-for-redelivery.ts';
import { listDeliveries, testChannel } from '../src/alerts/delivery/use-cases/deliveries.ts';
import { getDuty, listDuty, setDuty } from '../src/alerts/duty/use-cases/duty.ts';
import { acknowledgeAlert } from '../src/alerts/records/use-cases/change-alerts.ts';
import { type ChannelScene, forEachTest, type Got, receiver, secret } from './channel-scene.ts';
import { primary, secondary, vault, vault_address } from './scene.ts';

let scene: ChannelScene['scene'];
let parts: ChannelScene['parts'];
let hook: ChannelScene['hook'];
let trustedOrigins: ChannelScene['trustedOrigins'];
let call: ChannelScene['call'];
let happen: ChannelScene['happen'];
let aWebhook: ChannelScene['aWebhook'];
let pass: ChannelScene['pass'];
let bindingNow: ChannelScene['bindingNow'];

forEachTest((opened) => {
  ({ scene, parts, hook, trustedOrigins, call, happen, aWebhook, pass, bindingNow } = opened);
});

describe('deliveries', () => {
  test('behavior: an event is delivered in the trace of what made it, and does not carry it', async () => {
    const spans = await testTraces();
    await aWebhook();
    const made = await inSpan('follow log for alerts', {}, async () => {
      await happen();
      return currentTraceId();
    });
    await pass(3, parts.dispatcher());
    expect(hook.got).toHaveLength(1);
    expect(hook.got[0]?.body).not.toContain(made);
    expect(spans).toContainEqual(expect.objectContaining({ name: 'deliver alert.opened', traceId: made }));
  });

  test('behavior: a receiver killed for ten minutes misses nothing, in order, and recognises what is ours and what is a repeat', async () => {
    await aWebhook();
    let clock = 0;
    const handled = new Set<string>();
    const accepted = createReceiver({
      secret,
      now: () => clock,
      memory: {
        has: (id) => handled.has(id),
        last: () => undefined,
        add: ({ event_id }) => void handled.add(event_id),
      },
      handle: () => undefined,
      missed: async () => [],
    });
    const judge = async ({ at, headers, body }: Pick<Got, 'at' | 'headers' | 'body'>) => {
      clock = at;
      return accepted(headers, body).catch((error: Error) => error.name);
    };
    const dispatcher = parts.dispatcher();
    await happen();
    await pass(3, dispatcher);
    await hook.stop();
    for (let minute = 0; minute < 10; minute += 1) {
      await happen();
      await pass(60, dispatcher);
    }
    expect((await bindingNow())?.state).toBe('failing');
    expect((await bindingNow())?.waiting).toBe(10);
    await hook.start();
    await happen();
    await pass(70, dispatcher);
    expect(hook.got.map(({ event }) => event.sequence)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    const verdicts: string[] = [];
    for (const got of hook.got) verdicts.push(await judge(got));
    expect(verdicts).toEqual(Array(12).fill('new'));
    const [first] = hook.got as [Got];
    expect(await judge(first)).toBe('repeated');
    const unsigned = { ...first, headers: { ...first.headers, 'webhook-signature': undefined } };
    expect(await judge(unsigned)).toBe('WebhookRefused');
    expect(await judge({ ...first, body: first.body.replace('e1', 'e9') })).toBe('WebhookRefused');
    expect(await judge({ ...first, at: first.at + 600_000 })).toBe('WebhookRefused');
    expect(await bindingNow()).toMatchObject({ state: 'idle', waiting: 0, next_sequence: 13 });
  });

  test('behavior: a process killed between send and record sends again, the same event under the same id', async () => {
    await aWebhook();
    await happen();
    const killed: Send = async (...args) => {
      await parts.real(...args);
      throw new Error('killed');
    };
    await parts.dispatcher(killed).step();
    await scene.mongo.collection('leases').deleteMany({});
    await parts.dispatcher().step();
    expect(hook.got.map(({ headers, event }) => [headers['x-castellan-event-id'], event.sequence])).toEqual([
      ['e1', 1],
      ['e1', 1],
    ]);
    expect((await bindingNow())?.next_sequence).toBe(2);
  });

  test('behavior: waits 1, 2, 4, 8 and 16 s, then is a dead letter that is tried each minute', async () => {
    const channel_id = await aWebhook();
    hook.state.answer = 500;
    await happen();
    const dispatcher = parts.dispatcher();
    const start = scene.world.now;
    await dispatcher.step();
    await pass(160, dispatcher);
    const { deliveries } = await listDeliveries(parts.deps)({ channel_id, limit: 100 }, call());
    const tries = [...deliveries].reverse();
    expect(tries.map(({ t }) => (Date.parse(t) - start) / 1000)).toEqual([0, 1, 3, 7, 15, 31, 91, 151]);
    expect(tries.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('failed'), ...Array(3).fill('dead_letter')]);
    expect(tries[0]).toMatchObject({ attempt: 1, http_status: 500, reason: 'HTTP_500', sequence: 1 });
    hook.state.answer = 200;
    await redeliverChannel(parts.deps)({ ...vault, channel_id }, call());
    await dispatcher.step();
    expect((await bindingNow())?.state).toBe('idle');
  });

  test('behavior: one process delivers at a time', async () => {
    await aWebhook();
    await happen();
    await parts.dispatcher(async () => ({ ok: false, status: null, reason: 'X', durationMs: 0 })).step();
    scene.world.now += 5000;
    await parts.dispatcher().step();
    expect(hook.got).toEqual([]);
  });

  test('behavior: a channel that fails holds up no other', async () => {
    await aWebhook();
    const other = await receiver(scene);
    trustedOrigins.push(new URL(other.url).origin);
    const { channel_id } = await createChannel(parts.deps)(
      { provider: 'webhook', name: 'Other', config: { url: other.url } },
      call(),
    );
    await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info' }, call());
    hook.state.hang = true;
    await happen();
    await happen();
    await parts.dispatcher(parts.impatient).step();
    expect(other.got).toHaveLength(2);
    expect(hook.got).toHaveLength(1);
    await other.stop();
  });

  test('behavior: replay sends again from a sequence, with the ids they had, and never skips ahead', async () => {
    const channel_id = await aWebhook();
    const dispatcher = parts.dispatcher();
    for (let n = 0; n < 4; n += 1) await happen();
    await dispatcher.step();
    await replayChannel(parts.deps)({ ...vault, channel_id, from_sequence: 3 }, call());
    await dispatcher.step();
    expect(hook.got.map(({ event }) => event.event_id)).toEqual(['e1', 'e2', 'e3', 'e4', 'e3', 'e4']);
    expect(await replayChannel(parts.deps)({ ...vault, channel_id, from_sequence: 999 }, call())).toMatchObject({
      next_sequence: 5,
    });
  });

  test('behavior: sequences of a vault have no gaps, however many are added at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => happen()));
    await happen();
    const events = await scene.records.eventsFrom(vault.chain_id, vault_address.toLowerCase(), 1, 100);
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
  });

  test('behavior: a websocket channel delivers on the stream of the vault, a severity below its own is passed over', async () => {
    const { channel_id } = await createChannel(parts.deps)(
      { provider: 'websocket', name: 'Screen', config: {} },
      call(),
    );
    await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'critical' }, call());
    await happen('info');
    await happen('critical');
    await parts.dispatcher().step();
    expect((await scene.outbox.published()).map(({ data }) => data)).toEqual([
      expect.objectContaining({ kind: 'alert', notification: expect.objectContaining({ event_id: 'e2', channel_id }) }),
    ]);
  });

  test('behavior: a channel that is switched off waits, and goes on where it was', async () => {
    const channel_id = await aWebhook();
    await changeChannel(parts.deps)({ channel_id, version: 1, is_active: false }, call());
    await happen();
    const dispatcher = parts.dispatcher();
    await dispatcher.step();
    expect([hook.got.length, (await bindingNow())?.state]).toEqual([0, 'inactive']);
    await changeChannel(parts.deps)({ channel_id, version: 2, is_active: true }, call());
    await pass(5, dispatcher);
    expect(hook.got.map(({ event }) => event.sequence)).toEqual([1]);
  });
});

describe('quiet hours', () => {
  const slack = {
    provider: 'slack' as const,
    name: 'Night desk',
    config: { url: 'https://hooks.slack.com/services/T/B/x' },
  };
  /** From midnight, when the scene begins, to two in the morning. */
  const quiet_hours = { time_zone: 'UTC', from: '00:00', to: '02:00', breaks_through: 'critical' as const };
  const hours = 3_600_000;
  let got: AlertEvent[];
  const collect: Send = async (_channel, _config, event) => {
    got.push(event);
    return { ok: true, status: 200, reason: null, durationMs: 1 };
  };

  async function aQuietChannel(): Promise<string> {
    got = [];
    const { channel_id, version } = await createChannel(parts.deps)(slack, call());
    await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info' }, call());
    await changeChannel(parts.deps)({ channel_id, version, quiet_hours }, call());
    return channel_id;
  }

  test('behavior: what can wait comes as one digest afterwards, what breaks through at once, and a killed process loses neither', async () => {
    await aQuietChannel();
    await happen('info');
    await happen('critical');
    await happen('info');
    const dispatcher = parts.dispatcher(collect);
    await pass(5, dispatcher);
    expect(got.map(({ event_id }) => event_id)).toEqual(['e2']);
    expect(await bindingNow()).toMatchObject({ held_back: 2, waiting: 0 });
    scene.world.now += 2 * hours;
    await happen('info');
    const killed: Send = async (...args) => {
      await collect(...args);
      throw new Error('killed');
    };
    await scene.mongo.collection('leases').deleteMany({});
    await parts.dispatcher(killed).step();
    await scene.mongo.collection('leases').deleteMany({});
    await pass(3, parts.dispatcher(collect));
    const [, digest, again, last] = got as [AlertEvent, AlertEvent, AlertEvent, AlertEvent];
    expect(digest).toMatchObject({ event_type: 'alert.digest', sequence: null });
    expect(digest.data.held?.map(({ event_id }) => event_id)).toEqual(['e1', 'e3']);
    expect([again.event_id, last.event_id, got.length]).toEqual([digest.event_id, 'e4', 4]);
    expect(await bindingNow()).toMatchObject({ held_back: 0, next_sequence: 5 });
  });

  test('behavior: without quiet hours what was held back comes at once, and what is sent again by hand is not in it', async () => {
    const channel_id = await aQuietChannel();
    await happen('info');
    await happen('info');
    const dispatcher = parts.dispatcher(collect);
    await pass(3, dispatcher);
    await replayChannel(parts.deps)({ ...vault, channel_id, from_sequence: 2 }, call());
    await changeChannel(parts.deps)({ channel_id, version: 2, quiet_hours: null }, call());
    await pass(3, dispatcher);
    expect(got.map(({ event_type, data }) => data.held?.map(({ event_id }) => event_id) ?? event_type)).toEqual([
      ['e1'],
      'alert.opened',
    ]);
    const rows = await scene.mongo
      .collection('audit_log')
      .find({ action_type: 'notification_channel_quiet_hours_set' })
      .toArray();
    expect(rows).toHaveLength(2);
  });

  test('error: a channel that counts what it gets is never quiet', async () => {
    const channel_id = await aWebhook();
    await expect(changeChannel(parts.deps)({ channel_id, version: 1, quiet_hours }, call())).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });
});

describe('escalation', () => {
  const people = [
    { wallet_address: primary, name: 'Ada' },
    { wallet_address: secondary, name: 'Bo' },
  ];
  const rota = {
    time_zone: 'UTC',
    people,
    starts_on: '2026-01-01',
    hand_over: '00:00',
    overrides: [],
    escalation: { after_minutes: 15, min_severity: 'critical' as const },
  };
  const at = '2026-01-01T00:00:00.000Z';
  const alert: Alert = {
    alert_id: 'al_waiting',
    rule_id: 'vault_paused',
    severity: 'critical',
    status: 'active',
    ...vault,
    vault_name: 'USDC Core',
    subject: 'vault',
    title: 'Vault paused',
    message: 'Paused',
    facts: {},
    inhibited_by: null,
    owner: 'Primary manager',
    runbook_url: 'https://castellan.example/runbook',
    source: 'chain',
    opened_at: at,
    block_number: 1,
    acknowledged_by: null,
    acknowledged_at: null,
    note: null,
    resolved_at: null,
    resolved_by: null,
    is_replayed: false,
    version: 1,
  };

  async function anAlert(severity: Alert['severity'] = 'critical'): Promise<void> {
    const opened = { ...alert, severity };
    await scene.records.create(opened);
    const event = { event_id: 'al_waiting:opened', event_type: 'alert.opened' as const, ...vault };
    const data = { alert: opened, note: null };
    await inTransaction(scene.mongo, (session) =>
      scene.records.addEvent({ ...event, timestamp: at, data }, severity, session),
    );
  }
  let got: [channel: string, event: AlertEvent][];
  const collect: Send = async ({ channel_id }, _config, event) => {
    got.push([channel_id, event]);
    return { ok: true, status: 200, reason: null, durationMs: 1 };
  };
  const named = (of: string) =>
    got.filter(([id]) => id === of).map(([, { event_type, data }]) => [event_type, data.on_duty?.name]);

  test('behavior: what nobody acknowledges goes to another channel and the next person, once, with what becomes of it', async () => {
    got = [];
    await setDuty(parts.deps)({ ...vault, version: 0, rota }, call());
    const make = async (name: string, receives: 'all' | 'escalations') => {
      const { channel_id } = await createChannel(parts.deps)({ provider: 'websocket', name, config: {} }, call());
      await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info', receives }, call());
      return channel_id;
    };
    const [desk, night] = [await make('Desk', 'all'), await make('Night', 'escalations')];
    const dispatcher = parts.dispatcher(collect);
    await happen();
    await anAlert();
    await pass(1, dispatcher);
    scene.world.now += 14 * 60_000;
    await pass(1, dispatcher);
    expect(named(night)).toEqual([]);
    scene.world.now += 60_000;
    // Another process, which knows nothing of this one's.
    await scene.mongo.collection('leases').deleteMany({});
    const other = parts.dispatcher(collect);
    await pass(3, other);
    await acknowledgeAlert({ ...parts.deps, ...scene })({ id: alert.alert_id }, call());
    await pass(3, other);
    expect(named(desk)).toEqual([
      ['alert.opened', 'Ada'],
      ['alert.opened', 'Ada'],
      ['alert.escalated', 'Bo'],
      ['alert.acknowledged', undefined],
    ]);
    expect(named(night)).toEqual([
      ['alert.escalated', 'Bo'],
      ['alert.acknowledged', undefined],
    ]);
    expect(await scene.mongo.collection('audit_log').countDocuments({ action_type: 'alert_escalated' })).toBe(1);
  });

  test.each([
    ['on the channel for escalations, and waits on the other', 'escalations', true, [[], ['alert.escalated']]],
    ['on each channel where none is for escalations', 'all', true, [['alert.escalated'], ['alert.escalated']]],
    ['where the channel for escalations is switched off', 'escalations', false, [['alert.escalated'], []]],
  ] as const)('behavior: an escalation breaks through quiet hours %s', async (_, receives, is_active, sent) => {
    got = [];
    const config = { url: 'https://hooks.slack.com/services/T/B/x' };
    const quiet_hours = { time_zone: 'UTC', from: '00:00', to: '02:00', breaks_through: 'critical' as const };
    const make = async (name: string, what: 'all' | 'escalations', isOn: boolean) => {
      const { channel_id, version } = await createChannel(parts.deps)({ provider: 'slack', name, config }, call());
      await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info', receives: what }, call());
      await changeChannel(parts.deps)({ channel_id, version, quiet_hours, is_active: isOn }, call());
      return channel_id;
    };
    const channels = [await make('Desk', 'all', true), await make('Night', receives, is_active)];
    const escalation = { after_minutes: 15, min_severity: 'warning' as const };
    await setDuty(parts.deps)({ ...vault, version: 0, rota: { ...rota, escalation } }, call());
    await anAlert('warning');
    const dispatcher = parts.dispatcher(collect);
    await pass(1, dispatcher);
    scene.world.now += 15 * 60_000;
    await pass(3, dispatcher);
    expect(channels.map((id) => named(id).map(([type]) => type))).toEqual(sent);
  });

  test('behavior: an escalation is held back nowhere while the channel for it does not take what is sent', async () => {
    got = [];
    const config = { url: 'https://hooks.slack.com/services/T/B/x' };
    const quiet_hours = { time_zone: 'UTC', from: '00:00', to: '02:00', breaks_through: 'critical' as const };
    const desk = await createChannel(parts.deps)({ provider: 'slack', name: 'Desk', config }, call());
    const night = await createChannel(parts.deps)({ provider: 'slack', name: 'Night', config }, call());
    for (const [{ channel_id }, receives] of [
      [desk, 'all'],
      [night, 'escalations'],
    ] as const)
      await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info', receives }, call());
    await changeChannel(parts.deps)({ channel_id: desk.channel_id, version: desk.version, quiet_hours }, call());
    await setDuty(parts.deps)(
      { ...vault, version: 0, rota: { ...rota, escalation: { after_minutes: 15, min_severity: 'warning' } } },
      call(),
    );
    await anAlert('warning');
    const dispatcher = parts.dispatcher(collect);
    await pass(1, dispatcher);
    await scene.mongo
      .collection('channel_bindings')
      .updateOne(
        { channel_id: night.channel_id },
        { $set: { failures: 3, due_at: new Date(scene.world.now + 7_200_000) } },
      );
    scene.world.now += 15 * 60_000;
    await pass(3, dispatcher);
    expect(named(desk.channel_id).map(([type]) => type)).toEqual(['alert.escalated']);
  });

  test('behavior: what was acknowledged in time is not escalated', async () => {
    got = [];
    await setDuty(parts.deps)({ ...vault, version: 0, rota }, call());
    await anAlert();
    const dispatcher = parts.dispatcher(collect);
    await pass(1, dispatcher);
    await acknowledgeAlert({ ...parts.deps, ...scene })({ id: alert.alert_id }, call());
    scene.world.now += 3_600_000;
    await pass(2, dispatcher);
    expect(await scene.records.hasEvent(/:escalated$/, {})).toBe(false);
  });

  test('behavior: who is on duty is read of all own vaults at once, of none where a rota was taken away or is malformed', async () => {
    const now = (who = call()) => listDuty(parts.deps)({}, who);
    expect(await now()).toEqual({ vaults: [] });
    await setDuty(parts.deps)({ ...vault, version: 0, rota }, call());
    const rotas = scene.mongo.collection('duty_rotas');
    // Of a vault where nobody here has a role.
    const { _id, ...elsewhere } = (await rotas.findOne({})) as Record<string, unknown>;
    await rotas.insertOne({ ...elsewhere, vault: `0x${'9'.repeat(40)}` });
    const expected = { vaults: [{ chain_id: vault.chain_id, vault_address, on_duty: people[0], next: people[1] }] };
    expect(await now()).toEqual(expected);
    expect(await now(scene.call(primary, { ...vault, vault_address: secondary }))).toEqual({ vaults: [] });
    await rotas.updateOne({ _id: _id as never }, { $set: { 'rota.people': 'nobody' } });
    expect(await now()).toEqual({ vaults: [] });
    await rotas.updateOne({ _id: _id as never }, { $set: { rota: null } });
    expect(await now()).toEqual({ vaults: [] });
  });

  test('error: who has no role reads no rota, a viewer of none sets none, and an older version does not overwrite', async () => {
    await setDuty(parts.deps)({ ...vault, version: 0, rota }, call());
    expect(await getDuty(parts.deps)(vault, call())).toMatchObject({ version: 1, on_duty: people[0], next: people[1] });
    await expect(setDuty(parts.deps)({ ...vault, version: 0, rota: null }, call())).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
    });
    const stranger = call(`0x${'9'.repeat(40)}`);
    await expect(getDuty(parts.deps)(vault, stranger)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(setDuty(parts.deps)({ ...vault, version: 1, rota: null }, stranger)).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
  });
});

describe('an answer that misleads', () => {
  test.each([301, 302, 303, 307, 308])(
    'behavior: a redirect by %d is not followed, wherever it leads',
    async (status) => {
      const inside = await receiver(scene);
      // Not even to where the channel might have gone by itself.
      trustedOrigins.push(new URL(inside.url).origin);
      const channel_id = await aWebhook();
      hook.state.answer = status;
      hook.state.location = inside.url;
      await happen();
      await parts.dispatcher().step();
      expect([inside.got.length, hook.got.length]).toEqual([0, 1]);
      const { deliveries } = await listDeliveries(parts.deps)({ channel_id, limit: 1 }, call());
      expect(deliveries[0]).toMatchObject({ outcome: 'failed', reason: `HTTP_${status}` });
      await inside.stop();
    },
  );

  test('behavior: one that never comes, or never ends, is given up', async () => {
    const channel_id = await aWebhook();
    hook.state.endless = true;
    expect(await testChannel(parts.deps)({ channel_id }, call())).toMatchObject({
      outcome: 'failed',
      reason: 'BODY_TOO_LARGE',
    });
    hook.state.endless = false;
    hook.state.hang = true;
    const began = Date.now();
    const deps = { ...parts.deps, dispatcher: parts.dispatcher(parts.impatient) };
    expect(await testChannel(deps)({ channel_id }, call())).toMatchObject({
      outcome: 'failed',
      reason: 'TIMEOUT',
    });
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});

test('behavior: what people and chains write is no markup in Slack', () => {
  const alert = {
    severity: 'critical',
    title: '<!channel> & co',
    vault_name: '<https://evil|USDC>',
    message: 'm',
  } as never;
  const { text } = slackMessage({ event_type: 'alert.opened', data: { alert, note: '<@U1>' } } as never);
  expect(text).not.toMatch(/<[!@h]/);
});
