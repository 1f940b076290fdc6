import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AlertEvent } from '@castellan/contracts';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createReceiver } from '../../../docs/examples/webhook-receiver.ts';
import {
  bindChannel,
  listVaultChannels,
  redeliverChannel,
  replayChannel,
  unbindChannel,
} from '../src/notifications/bindings.ts';
import { ChannelStore } from '../src/notifications/channel-store.ts';
import { openNotificationCollections } from '../src/notifications/collections.ts';
import { Dispatcher } from '../src/notifications/dispatcher.ts';
import { type Send, sendThrough, slackMessage } from '../src/notifications/providers.ts';
import { safePost } from '../src/notifications/safe-post.ts';
import { sealer } from '../src/notifications/sealed.ts';
import {
  changeChannel,
  createChannel,
  deleteChannel,
  listChannels,
  listDeliveries,
  testChannel,
} from '../src/notifications/use-cases.ts';
import { type AlertScene, openAlertScene } from './alerts-scene.ts';
import { primary, secondary, stranger, vault, vault_address } from './scene.ts';

let store: TestStore;
let scene: AlertScene;
let parts: Awaited<ReturnType<typeof open>>;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());

const key = Buffer.alloc(32, 7);

async function open() {
  const collections = openNotificationCollections(scene.mongo);
  for (const model of Object.values(scene.mongo.models)) await model.createIndexes();
  const channels = new ChannelStore(collections, sealer(key));
  const now = () => new Date(scene.world.now);
  const trustedHosts = ['127.0.0.1'];
  const real = sendThrough({ post: safePost({ trustedHosts, timeoutMs: 500 }), outbox: scene.outbox, now });
  const dispatcher = (send: Send = real) =>
    new Dispatcher({
      store: channels,
      records: scene.records,
      send,
      mongo: scene.mongo,
      metrics: scene.metrics,
      log: scene.log,
      now,
    });
  const deps = { ...scene, store: channels, dispatcher: dispatcher(), trustedHosts, now };
  return { collections, channels, dispatcher, real, deps };
}

let told = 0;
/** An event of the vault. */
const happen = (severity: 'critical' | 'info' = 'critical') => {
  told += 1;
  const event = {
    event_id: `e${told}`,
    event_type: 'alert.opened' as const,
    timestamp: '2026-01-01T00:00:00.000Z',
    ...vault,
    data: { alert: null, note: `n${told}` },
  };
  return scene.records.tell(event, severity);
};

type Got = { at: number; status: number; event: AlertEvent; headers: IncomingMessage['headers']; body: string };
/** A receiver that answers as told; undefined: it is not there. */
async function receiver() {
  const got: Got[] = [];
  const state = { answer: 200, location: undefined as string | undefined, hang: false, endless: false };
  let server: Server | undefined;
  let port = 0;
  const start = async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        got.push({
          at: scene.world.now,
          status: state.answer,
          event: JSON.parse(body),
          headers: request.headers,
          body,
        });
        if (state.hang) return;
        response.writeHead(state.answer, state.location ? { location: state.location } : {});
        if (!state.endless) return response.end('ok');
        const more = setInterval(() => response.write('x'.repeat(32_768)), 1);
        response.on('close', () => clearInterval(more));
      });
    });
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const stop = async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    server = undefined;
  };
  await start();
  return { got, state, start, stop, url: `http://127.0.0.1:${port}/hook` };
}
let hook: Awaited<ReturnType<typeof receiver>>;

beforeEach(async () => {
  scene = await openAlertScene(store);
  parts = await open();
  hook = await receiver();
  told = 0;
});
afterEach(async () => {
  await hook.stop();
  await scene.mongo.close();
});

const call = (wallet = primary) => scene.call(wallet);
const secret = 'a-secret-of-at-least-24-characters';
async function aWebhook(): Promise<string> {
  const { channel_id } = await createChannel(parts.deps)(
    { provider: 'webhook', name: 'Desk', config: { url: hook.url, secret } },
    call(),
  );
  await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info' }, call());
  return channel_id;
}
/** Lets seconds go by, looking after channels in each. */
async function pass(seconds: number, dispatcher: Dispatcher) {
  for (let n = 0; n < seconds; n += 1) {
    scene.world.now += 1000;
    await dispatcher.step();
  }
}
const bindingNow = async () => (await listVaultChannels(parts.deps)(vault, call())).channels[0];

describe('deliveries', () => {
  test('behavior: a receiver killed for ten minutes misses nothing, in order, and can tell ours from others and a repeat from news', async () => {
    await aWebhook();
    let clock = 0;
    const accepted = createReceiver({ secret, now: () => clock, remember: new Set() });
    const judge = ({ at, headers, body }: Pick<Got, 'at' | 'headers' | 'body'>) => {
      clock = at;
      return accepted(headers, body).verdict;
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
    expect(hook.got.map(judge)).toEqual(Array(12).fill('new'));
    const [first] = hook.got as [Got];
    expect(judge(first)).toBe('repeated');
    expect(judge({ ...first, headers: { ...first.headers, 'x-castellan-signature': undefined } })).toBe('refused');
    expect(judge({ ...first, body: first.body.replace('e1', 'e9') })).toBe('refused');
    expect(judge({ ...first, at: first.at + 600_000 })).toBe('refused');
    expect(await bindingNow()).toMatchObject({ state: 'idle', waiting: 0, next_sequence: 13 });
  }, 60_000);

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
    const other = await receiver();
    const { channel_id } = await createChannel(parts.deps)(
      { provider: 'webhook', name: 'Other', config: { url: other.url } },
      call(),
    );
    await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info' }, call());
    hook.state.hang = true;
    await happen();
    await happen();
    await parts.dispatcher().step();
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

  test('behavior: sequences of a vault have no gaps, however many tell at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => happen()));
    await happen();
    const events = await scene.records.eventsFrom(vault.chain_id, vault_address.toLowerCase(), 1, 100);
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
  });

  test('behavior: a websocket channel tells on the stream of the vault, a severity below its own is passed over', async () => {
    const { channel_id } = await createChannel(parts.deps)(
      { provider: 'websocket', name: 'Screen', config: {} },
      call(),
    );
    await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'critical' }, call());
    await happen('info');
    await happen('critical');
    await parts.dispatcher().step();
    expect(scene.published.map(({ data }) => data)).toEqual([
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

describe('an answer that misleads', () => {
  test('behavior: a redirect is not followed', async () => {
    const inside = await receiver();
    await aWebhook();
    hook.state.answer = 307;
    hook.state.location = inside.url;
    await happen();
    await parts.dispatcher().step();
    expect([inside.got.length, hook.got.length]).toEqual([0, 1]);
    await inside.stop();
  });

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
    expect(await testChannel(parts.deps)({ channel_id }, call())).toMatchObject({
      outcome: 'failed',
      reason: 'TIMEOUT',
    });
    expect(Date.now() - began).toBeLessThan(3000);
  });
});

describe('addresses', () => {
  const post = safePost({
    trustedHosts: [],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    timeoutMs: 1000,
  });

  test('behavior: a name that resolves into our network is refused before anything is sent', async () => {
    const { port } = new URL(hook.url);
    expect(await post(`https://public.example:${port}/`, '{}', {})).toMatchObject({
      ok: false,
      reason: 'ADDRESS_FORBIDDEN',
    });
    expect(hook.got).toEqual([]);
  });

  test('behavior: one bad address among good ones is enough', async () => {
    const mixed = safePost({
      trustedHosts: [],
      resolve: async () => [
        { address: '1.1.1.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
      timeoutMs: 1000,
    });
    expect(await mixed('https://public.example/', '{}', {})).toMatchObject({ reason: 'ADDRESS_FORBIDDEN' });
  });

  test('behavior: the connection goes to the address that was checked, and the name is asked once', async () => {
    const { port } = new URL(hook.url);
    let asked = 0;
    const rebinding = safePost({
      trustedHosts: [`trusted.example:${port}`],
      resolve: async () => {
        asked += 1;
        return [{ address: asked === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }];
      },
      timeoutMs: 1000,
    });
    expect(await rebinding(`http://trusted.example:${port}/`, '{}', {})).toMatchObject({ ok: true });
    expect([asked, hook.got.length]).toEqual([1, 1]);
  });

  test.each([
    'http://example.com/hook',
    'https://user:pass@example.com/hook',
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://0x7f.1/hook',
    'https://0177.0.0.1/hook',
    'https://127.1/hook',
    'https://0.0.0.0/hook',
    'https://0/hook',
    'https://１２７.0.0.1/hook',
    'https://10.0.0.1/hook',
    'https://[::]/hook',
    'https://[::1]/hook',
    'https://[::ffff:7f00:1]/hook',
    'https://[fd00:ec2::254]/latest',
    'https://[::ffff:169.254.169.254]/latest',
    'https://169.254.169.254/latest',
    'file:///etc/passwd',
    'gopher://example.com',
    'not a url at all',
  ])('error: %s is refused, when made and when sent to', async (url) => {
    // Made by someone whom no host is trusted for.
    const make = createChannel({ ...parts.deps, trustedHosts: [] });
    await expect(make({ provider: 'webhook', name: 'Desk', config: { url } }, call())).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
    expect(await post(url, '{}', {})).toMatchObject({ ok: false, reason: 'ADDRESS_FORBIDDEN' });
  });

  test('behavior: a host is trusted by its whole name and port, not by what looks like it', async () => {
    const trustedHosts = ['127.0.0.1:4000', 'hooks.internal'];
    const make = createChannel({ ...parts.deps, trustedHosts });
    const made = (url: string) =>
      make({ provider: 'webhook', name: 'Desk', config: { url } }, call()).then(
        () => 'made',
        ({ code }) => code,
      );
    expect(await made('http://127.0.0.1:4000/hook')).toBe('made');
    expect(await made('http://hooks.internal/hook')).toBe('made');
    for (const url of [
      'http://127.0.0.1:4001/hook',
      'http://127.0.0.1/hook',
      'http://127.0.0.1:4000@10.0.0.1/hook',
      'http://hooks.internal.evil.example/hook',
      'http://evil-hooks.internal/hook',
      'https://10.0.0.1/?127.0.0.1:4000',
      'http://10.0.0.1/#hooks.internal',
    ])
      expect([url, await made(url)]).toEqual([url, 'ADDRESS_FORBIDDEN']);
  });

  test('error: a channel is not led inside afterwards either', async () => {
    const { channel_id } = await createChannel(parts.deps)(
      { provider: 'webhook', name: 'Desk', config: { url: 'https://example.com/in' } },
      call(),
    );
    const change = { channel_id, version: 1, config: { url: 'https://169.254.169.254/latest' } };
    await expect(changeChannel(parts.deps)(change, call())).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  test('error: Slack is at Slack', async () => {
    const make = (url: string) =>
      createChannel(parts.deps)({ provider: 'slack', name: 'Desk', config: { url } }, call());
    await expect(make('https://example.com/services/T/B/x')).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    expect(await make('https://hooks.slack.com/services/T/B/x')).toMatchObject({
      config: { url: 'https://hooks.slack.com/…' },
    });
  });
});

describe('channels', () => {
  test('behavior: secrets are told once, kept sealed, and in no answer or log of deliveries', async () => {
    const url = 'https://example.com/in/very-secret-path?token=very-secret-token';
    const made = await createChannel(parts.deps)({ provider: 'webhook', name: 'Desk', config: { url } }, call());
    expect(made.secret).toMatch(/^[\w-]{43}$/);
    const { channel_id } = made;
    await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info' }, call());
    const seen = JSON.stringify([
      await listChannels(parts.deps)({}, call()),
      await listVaultChannels(parts.deps)(vault, call()),
      await scene.storedRows(),
      await parts.collections.channels.find({}).toArray(),
    ]);
    for (const text of ['very-secret', `${made.secret}`]) expect(seen).not.toContain(text);
    expect(seen).toContain('https://example.com/…');
  });

  test('error: others have no channel of mine, and a stranger cannot make one', async () => {
    const channel_id = await aWebhook();
    for (const attempt of [
      () => testChannel(parts.deps)({ channel_id }, call(secondary)),
      () => deleteChannel(parts.deps)({ channel_id }, call(secondary)),
      () => listDeliveries(parts.deps)({ channel_id, limit: 10 }, call(secondary)),
      () => changeChannel(parts.deps)({ channel_id, version: 1, name: 'Mine' }, call(secondary)),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'CHANNEL_NOT_FOUND' });
    const roleless = { ...call(stranger), callAction: (async () => ({ roles: [] })) as never };
    await expect(
      createChannel(parts.deps)({ provider: 'websocket', name: 'X', config: {} }, roleless),
    ).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(unbindChannel(parts.deps)({ ...vault, channel_id }, call(stranger))).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    await expect(
      bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info' }, call(stranger)),
    ).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });

  test('behavior: bound twice is bound once; unbound and deleted again change nothing', async () => {
    const channel_id = await aWebhook();
    expect(await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info' }, call())).toMatchObject({
      created: false,
    });
    await expect(
      bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'critical' }, call()),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await unbindChannel(parts.deps)({ ...vault, channel_id }, call())).toEqual({ removed: true });
    expect(await unbindChannel(parts.deps)({ ...vault, channel_id }, call())).toEqual({ removed: false });
    expect(await deleteChannel(parts.deps)({ channel_id }, call())).toEqual({ deleted: true });
    const rows = (await scene.storedRows()).map(({ action_type }) => action_type);
    expect(rows).toEqual(['notification_channel_bound', 'notification_channel_unbound']);
  });

  test('error: a stale version, and more channels than a wallet may have', async () => {
    const channel_id = await aWebhook();
    await changeChannel(parts.deps)({ channel_id, version: 1, name: 'New' }, call());
    await expect(changeChannel(parts.deps)({ channel_id, version: 1, name: 'Newer' }, call())).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
    });
    const make = () => createChannel(parts.deps)({ provider: 'websocket', name: 'X', config: {} }, call());
    for (let n = 1; n < 20; n += 1) await make();
    await expect(make()).rejects.toMatchObject({ code: 'TOO_MANY_CHANNELS' });
  });

  test('default: test-fire says what came of it, and is part of no sequence', async () => {
    const channel_id = await aWebhook();
    expect(await testChannel(parts.deps)({ channel_id }, call())).toMatchObject({
      outcome: 'delivered',
      http_status: 200,
      event_type: 'test',
      sequence: null,
    });
    expect(hook.got[0]?.headers['x-castellan-sequence']).toBeUndefined();
    await hook.stop();
    expect(await testChannel(parts.deps)({ channel_id }, call())).toMatchObject({
      outcome: 'failed',
      reason: 'ECONNREFUSED',
    });
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
