import { describe, expect, test } from '@jest/globals';
import type { StoredBinding, StoredChannel } from '../src/alerts/channels/models/collections.ts';
import { listVaultChannels } from '../src/alerts/channels/use-cases/bindings.ts';
import { changeChannel, listChannels } from '../src/alerts/channels/use-cases/channels.ts';
import type { Dispatcher } from '../src/alerts/delivery/deliver-and-retry.ts';
import { type ChannelScene, forEachTest, receiver, sealed, secret } from './channel-scene.ts';
import { chain_id, primary, secondary, stranger, vault, vault_address } from './scene.ts';

/** Someone who can write to the store but holds no secret of ours: what is put there gives no access and stops nobody else. */

let scene: ChannelScene['scene'];
let parts: ChannelScene['parts'];
let hook: ChannelScene['hook'];
let call: ChannelScene['call'];
let trustedOrigins: ChannelScene['trustedOrigins'];
let happen: ChannelScene['happen'];
let aWebhook: ChannelScene['aWebhook'];
let pass: ChannelScene['pass'];

forEachTest((opened) => {
  ({ scene, parts, hook, call, trustedOrigins, happen, aWebhook, pass } = opened);
});

const at = new Date('2026-01-01T00:00:00.000Z');
const channel_id = 'ch_planted';
const owner = primary.toLowerCase();

/** A channel of the manager and its binding to the vault, as they are stored; name what is odd. */
async function planted(channel: object, binding: object = {}): Promise<void> {
  await parts.collections.channels.insertOne({
    channel_id,
    owner,
    provider: 'webhook',
    name: 'Planted',
    origin: null,
    is_active: true,
    created_at: at,
    updated_at: at,
    version: 1,
    ...channel,
  } as unknown as StoredChannel);
  await parts.collections.bindings.insertOne({
    channel_id,
    chain_id,
    vault: vault_address.toLowerCase(),
    vault_address,
    min_severity: 'info',
    bound_by: owner,
    bound_at: at,
    next_sequence: 1,
    due_at: at,
    failures: 0,
    revision: 0,
    last_delivered_at: null,
    ...binding,
  } as unknown as StoredBinding);
}

/** As this service seals it, which nobody else can. */
const ours = (url: string, label = `${channel_id} ${owner}`) => ({
  sealed: sealed.seal(JSON.stringify({ url, secret }), label),
});
/** The event reaches the channel that was always there. */
const expectDelivery = () => expect(hook.got.map(({ event }) => event.sequence)).toEqual([1]);

async function deliverBeside(): Promise<Dispatcher> {
  await aWebhook();
  await happen();
  const dispatcher = parts.dispatcher();
  await dispatcher.step();
  return dispatcher;
}

test.each([
  'http://127.0.0.1:9/',
  'http://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'https://10.0.0.1/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '',
])('error: a channel with the address "%s" is not called', async (url) => {
  await planted(ours(url));
  await deliverBeside();
  const [delivery] = await parts.collections.deliveries.find({ channel_id }).toArray();
  expect(delivery).toMatchObject({ outcome: 'failed', http_status: null, reason: 'ADDRESS_FORBIDDEN' });
  expectDelivery();
});

describe('error: a channel or binding of the wrong shape is left out, reported, and stops no other', () => {
  test.each<[string, object, object]>([
    ['sealed with another key', { sealed: `v1:${Buffer.alloc(64, 1).toString('base64')}` }, {}],
    ['with an empty seal', { sealed: 'v1:' }, {}],
    ['whose secret is no text', { sealed: { $ne: '' } }, {}],
    ['in plain text', { sealed: `plain:${JSON.stringify({ url: 'https://10.0.0.1/', secret })}` }, {}],
    ['without a configuration', { sealed: undefined }, {}],
    ['of an unknown kind', { provider: 'pigeon' }, {}],
    ['of no time', { created_at: 'yesterday' }, {}],
    ['bound without a severity', {}, { min_severity: { $gt: '' } }],
    ['bound at a sequence that is text', {}, { next_sequence: '__proto__' }],
    ['bound to a vault that is none', {}, { chain_id: 'x', vault_address: null }],
    ['bound to every vault at once', {}, { vault: { $gt: '' } }],
    ['bound by nobody', {}, { bound_by: 7 }],
  ])('%s', async (_what, channel, binding) => {
    await planted({ ...ours(hook.url), ...channel }, binding);
    await deliverBeside();
    expectDelivery();
    expect(parts.distrusted.length).toBeGreaterThan(0);
    const named = expect.arrayContaining([expect.objectContaining({ name: 'Desk' })]);
    expect((await listChannels(parts.deps)({}, call())).channels).toEqual(named);
    const { channels } = await listVaultChannels(parts.deps)(vault, call());
    expect(channels.map(({ channel: { name } }) => name)).toContain('Desk');
  });

  test('more of them than are served in one step do not take the place of others', async () => {
    const many = Array.from({ length: 501 }, (_, n) => ({ channel_id: `ch_${n}`, due_at: new Date(0) }));
    await parts.collections.bindings.insertMany(many as unknown as StoredBinding[]);
    await deliverBeside();
    await parts.dispatcher().step();
    expect(hook.got).toEqual([]);
    await scene.mongo.collection('leases').deleteMany({});
    await parts.dispatcher().step();
    expectDelivery();
  });
});

describe('error: alerts reach only channels of managers', () => {
  test('a binding for a wallet without a role delivers nothing, and is removed', async () => {
    const theirs = await receiver(scene);
    trustedOrigins.push(new URL(theirs.url).origin);
    const label = `${channel_id} ${stranger.toLowerCase()}`;
    await planted({ ...ours(theirs.url, label), owner: stranger.toLowerCase() }, { bound_by: stranger.toLowerCase() });
    const dispatcher = await deliverBeside();
    // That it has no role is final with the next block.
    scene.world.block += 1;
    await pass(5, dispatcher);
    expect(theirs.got).toEqual([]);
    expect(await parts.collections.bindings.countDocuments({ channel_id })).toBe(0);
    await theirs.stop();
  });

  test.each<[string, object, object]>([
    ['bound in the name of a manager', { owner: stranger.toLowerCase() }, {}],
    ['given to a manager', {}, {}],
    ['bound where its owner manages, with the events of another vault', {}, { vault_address: secondary }],
  ])('a channel of somebody else, %s', async (_what, channel, binding) => {
    const theirs = await receiver(scene);
    trustedOrigins.push(new URL(theirs.url).origin);
    await planted({ ...ours(theirs.url, `${channel_id} ${stranger.toLowerCase()}`), ...channel }, binding);
    await deliverBeside();
    expect(theirs.got).toEqual([]);
    expectDelivery();
    await theirs.stop();
  });
});

test('behavior: the owner of a channel that cannot be opened sets it anew, and gets what waited', async () => {
  await planted({ sealed: 'v1:' });
  await happen();
  await parts.dispatcher().step();
  await changeChannel(parts.deps)({ channel_id, version: 1, config: { url: hook.url, secret } }, call());
  scene.world.now += 61_000;
  await scene.mongo.collection('leases').deleteMany({});
  await parts.dispatcher().step();
  expectDelivery();
});
