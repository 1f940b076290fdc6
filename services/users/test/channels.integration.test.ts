import type { Call } from '@castellan/service-kit';
import { describe, expect, test } from '@jest/globals';
import { bindChannel, listVaultChannels, unbindChannel } from '../src/alerts/channels/use-cases/bindings.ts';
import {
  changeChannel,
  createChannel,
  deleteChannel,
  listChannels,
} from '../src/alerts/channels/use-cases/channels.ts';
import { safePost } from '../src/alerts/delivery/safe-post.ts';
import { listDeliveries, testChannel } from '../src/alerts/delivery/use-cases/deliveries.ts';
import { type ChannelScene, forEachTest } from './channel-scene.ts';
import { secondary, stranger, vault } from './scene.ts';

let scene: ChannelScene['scene'];
let parts: ChannelScene['parts'];
let hook: ChannelScene['hook'];
let call: ChannelScene['call'];
let aWebhook: ChannelScene['aWebhook'];

forEachTest((opened) => {
  ({ scene, parts, hook, call, aWebhook } = opened);
});

describe('addresses', () => {
  const post = safePost({
    trustedOrigins: [],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    timeoutMs: 30_000,
  });

  test('behavior: a name that resolves into our network is refused before anything is sent', async () => {
    const { port, pathname } = new URL(hook.url);
    expect(await post(`https://public.example:${port}${pathname}`, '{}', {})).toMatchObject({
      ok: false,
      reason: 'ADDRESS_FORBIDDEN',
    });
    expect(hook.got).toEqual([]);
  });

  test('behavior: one bad address among good ones is enough', async () => {
    const mixed = safePost({
      trustedOrigins: [],
      resolve: async () => [
        { address: '1.1.1.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
      timeoutMs: 30_000,
    });
    expect(await mixed('https://public.example/', '{}', {})).toMatchObject({ reason: 'ADDRESS_FORBIDDEN' });
  });

  test('behavior: the connection goes to the address that was checked, and the name is asked once', async () => {
    const { port, pathname } = new URL(hook.url);
    let asked = 0;
    const rebinding = safePost({
      trustedOrigins: [`http://trusted.example:${port}`],
      resolve: async () => {
        asked += 1;
        return [{ address: asked === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }];
      },
      timeoutMs: 30_000,
    });
    expect(await rebinding(`http://trusted.example:${port}${pathname}`, '{}', {})).toMatchObject({ ok: true });
    expect([asked, hook.got.length]).toEqual([1, 1]);
  });

  test('behavior: a name that was public at one delivery and leads into our network at the next is refused then', async () => {
    const { port, pathname } = new URL(hook.url);
    const answers = ['1.1.1.1', '127.0.0.1'];
    const rebinding = safePost({
      trustedOrigins: [],
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
      // Nobody waits for the public address: what matters is that it was not refused.
      timeoutMs: 100,
    });
    const url = `https://public.example:${port}${pathname}`;
    expect(await rebinding(url, '{}', {})).toMatchObject({ ok: false, reason: expect.not.stringMatching('FORBIDDEN') });
    expect(await rebinding(url, '{}', {})).toMatchObject({ ok: false, reason: 'ADDRESS_FORBIDDEN' });
    expect([answers, hook.got]).toEqual([[], []]);
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
    const make = createChannel({ ...parts.deps, trustedOrigins: [] });
    await expect(make({ provider: 'webhook', name: 'Desk', config: { url } }, call())).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
    expect(await post(url, '{}', {})).toMatchObject({ ok: false, reason: 'ADDRESS_FORBIDDEN' });
  });

  test('behavior: an origin is trusted by its scheme, whole name and port, not by what looks like it', async () => {
    const trustedOrigins = ['http://127.0.0.1:4000', 'http://hooks.internal'];
    const make = createChannel({ ...parts.deps, trustedOrigins });
    const made = (url: string) =>
      make({ provider: 'webhook', name: 'Desk', config: { url } }, call()).then(
        () => 'made',
        ({ code }) => code,
      );
    expect(await made('http://127.0.0.1:4000/hook')).toBe('made');
    expect(await made('http://hooks.internal/hook')).toBe('made');
    for (const url of [
      'https://127.0.0.1:4000/hook',
      'http://localhost:4000/hook',
      'http://127.0.0.1:4001/hook',
      'http://hooks.internal:8080/hook',
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
  test('behavior: secrets are returned once, kept sealed, and in no answer or log of deliveries', async () => {
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

  test('behavior: what was kept in plain text before a key was required is sealed at the start', async () => {
    const channel_id = await aWebhook();
    const { channels } = parts.collections;
    const stored = () => channels.findOne({ channel_id });
    const before = await stored();
    const config = parts.channels.configOf(before as NonNullable<typeof before>);
    await channels.updateOne({ channel_id }, { $set: { sealed: `plain:${JSON.stringify(config)}` } });
    await parts.channels.sealPlain();
    const after = await stored();
    expect(after?.sealed).toMatch(/^v1:/);
    expect(parts.channels.configOf(after as NonNullable<typeof after>)).toEqual(config);
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

  test('error: of a contract wallet, who is proven on another chain has none of its channels, and makes none', async () => {
    const on = (chain_id: number): Call => {
      const { caller, ...rest } = call();
      return { ...rest, caller: caller && { ...caller, chain_id } };
    };
    const { chain_id } = vault;
    const idsOf = async (who: Call) =>
      (await listChannels(parts.deps)({}, who)).channels.map(({ channel_id }) => channel_id);
    const aChannel = { provider: 'webhook' as const, name: 'Desk', config: { url: hook.url } };
    // One of before chains were kept, bound to a vault of this chain; one bound to none; one made on this chain.
    const older = await aWebhook();
    const { channel_id: loose } = await createChannel(parts.deps)(aChannel, call());
    const { channel_id: own } = await createChannel(parts.deps)(aChannel, on(chain_id));
    expect((await idsOf(on(chain_id))).sort()).toEqual([older, own].sort());
    expect((await idsOf(call())).sort()).toEqual([older, loose, own].sort());
    expect(await idsOf(on(8453))).toEqual([]);
    for (const channel_id of [older, loose, own])
      await expect(
        changeChannel(parts.deps)({ channel_id, version: 1, name: 'Taken' }, on(8453)),
      ).rejects.toMatchObject({ code: 'CHANNEL_NOT_FOUND' });
    await expect(createChannel(parts.deps)(aChannel, on(8453))).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    expect(
      await changeChannel(parts.deps)({ channel_id: own, version: 1, name: 'Renamed' }, on(chain_id)),
    ).toMatchObject({
      name: 'Renamed',
    });
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
