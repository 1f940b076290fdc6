import { describe, expect, test } from '@jest/globals';
import { listVaultChannels } from '../src/alerts/channels/use-cases/bindings.ts';
import { changeChannel, deleteChannel } from '../src/alerts/channels/use-cases/channels.ts';
import { noteEndedRoles } from '../src/alerts/channels/use-cases/ended-roles.ts';
import { testChannel } from '../src/alerts/delivery/use-cases/deliveries.ts';
import { type ChannelScene, forEachTest } from './channel-scene.ts';
import { primary, secondary, vault } from './scene.ts';

let scene: ChannelScene['scene'];
let parts: ChannelScene['parts'];
let hook: ChannelScene['hook'];
let call: ChannelScene['call'];
let happen: ChannelScene['happen'];
let aWebhook: ChannelScene['aWebhook'];
let pass: ChannelScene['pass'];

forEachTest((opened) => {
  ({ scene, parts, hook, call, happen, aWebhook, pass } = opened);
});

describe('a manager who was removed', () => {
  const rows = async () => (await scene.storedRows()).map(({ action_type, details }) => [action_type, details.reason]);

  test('behavior: gets nothing more, private notes included, and the channel is off the vault, in the audit log too', async () => {
    await aWebhook();
    const dispatcher = parts.dispatcher();
    await happen();
    await dispatcher.step();
    scene.world.manager = secondary;
    await happen();
    await pass(5, dispatcher);
    expect(hook.got.map(({ event }) => event.data.note)).toEqual(['n1']);
    const { channels } = await listVaultChannels(parts.deps)(vault, call(secondary));
    expect(channels).toMatchObject([{ state: 'inactive' }]);
    scene.world.block += 1;
    await pass(5, dispatcher);
    expect(hook.got).toHaveLength(1);
    expect(await parts.channels.onVault(vault)).toEqual([]);
    expect(await rows()).toEqual([
      ['notification_channel_bound', undefined],
      ['notification_channel_unbound', 'role_ended'],
    ]);
  });

  test('behavior: the end of the role takes the channel off before anything happens, once', async () => {
    const channel_id = await aWebhook();
    const deps = { ...parts.deps, callAction: scene.callAction };
    const dispatcher = parts.dispatcher();
    await noteEndedRoles(deps, vault);
    scene.world.block += 1;
    await pass(5, dispatcher);
    expect(await parts.channels.onVault(vault)).toHaveLength(1);
    scene.world.manager = secondary;
    await noteEndedRoles(deps, vault);
    await noteEndedRoles(deps, vault);
    scene.world.block += 1;
    await pass(5, dispatcher);
    expect(await parts.channels.onVault(vault)).toEqual([]);
    expect(await rows()).toHaveLength(2);
    expect(await parts.channels.get(channel_id)).not.toBeNull();
  });

  test('reorg: a removal that is undone withholds what happens meanwhile, and leaves the channel where it is', async () => {
    await aWebhook();
    const deps = { ...parts.deps, callAction: scene.callAction };
    const dispatcher = parts.dispatcher();
    scene.world.manager = secondary;
    await noteEndedRoles(deps, vault);
    await happen();
    await pass(5, dispatcher);
    expect(hook.got).toEqual([]);
    scene.world.manager = primary;
    await pass(5, dispatcher);
    expect(hook.got.map(({ event }) => event.sequence)).toEqual([1]);
    expect(await rows()).toHaveLength(1);
    // A removal at a later block is judged by its own depth.
    scene.world.block += 5;
    scene.world.manager = secondary;
    await happen();
    await pass(5, dispatcher);
    expect(await parts.channels.onVault(vault)).toHaveLength(1);
    expect(hook.got).toHaveLength(1);
  });

  test('error: while nobody can say who manages the vault nothing is sent, and nothing is lost', async () => {
    await aWebhook();
    const dispatcher = parts.dispatcher();
    scene.world.manager = undefined;
    await happen();
    await pass(10, dispatcher);
    expect(hook.got).toEqual([]);
    scene.world.manager = primary;
    await pass(5, dispatcher);
    expect(hook.got.map(({ event }) => event.sequence)).toEqual([1]);
  });

  test('error: can neither change nor try the channel, and can delete it', async () => {
    const channel_id = await aWebhook();
    scene.world.manager = secondary;
    const refused = { code: 'ROLE_REQUIRED' };
    const change = { channel_id, version: 1, config: { url: 'https://example.com/elsewhere' } };
    await expect(changeChannel(parts.deps)(change, call())).rejects.toMatchObject(refused);
    await expect(testChannel(parts.deps)({ channel_id }, call())).rejects.toMatchObject(refused);
    expect(hook.got).toEqual([]);
    expect(await deleteChannel(parts.deps)({ channel_id }, call())).toEqual({ deleted: true });
  });
});
