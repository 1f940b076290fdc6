import '../../test/browser.ts';
import { ListVaultChannels } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { refusal } from '../../test/shown.ts';
import { aBinding, aDelivery, channel, open, vault } from './alerts.fixture.tsx';
import type { Binding, Channel } from './queries.ts';

const on = { chain_id: vault.chain_id, vault_address: vault.vault_address };
const at = { chain_id: String(vault.chain_id), vault_address: vault.vault_address, channel_id: 'ch_1' };
const logOf = (...deliveries: unknown[]) => ({ deliveries, total: 40, has_more: true, next_cursor: 'c' });
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const fill = async (name: string, text: string) => {
  const field = within(screen.getByRole('dialog')).getByRole('textbox', { name });
  await userEvent.clear(field);
  if (text !== '') await userEvent.type(field, text);
};
const openBound = (
  parts: Partial<Binding> = {},
  answers: Parameters<typeof open>[0] = {},
  of: Partial<Channel> = {},
  role?: string,
) => {
  const bound = { ...channel, vaults: [on], ...of };
  const answer = { channels: [aBinding({ channel: bound, ...parts })] };
  expect(ListVaultChannels.result.parse(answer)).toEqual(answer);
  return open(
    { listChannels: async () => ({ channels: [bound] }), vaultChannels: async () => answer, ...answers },
    role,
  );
};

test('behavior: a channel is tested, bound, and its log is read', async () => {
  const bindChannel = jest.fn(async (_input: unknown) => ({}));
  const sent = { ...on, event_type: 'alert.opened', sequence: 4, attempt: 6 };
  const lost = aDelivery({ ...sent, outcome: 'dead_letter', http_status: 500, reason: 'HTTP_500' });
  await open({
    testChannel: async () => aDelivery({ outcome: 'failed', reason: 'TIMEOUT' }),
    listDeliveries: async () => logOf(lost, aDelivery({ delivery_id: 'dl_2' })),
    bindChannel,
  });
  await press('Send a test to Desk hook');
  expect(await screen.findByText('The test did not arrive: no answer in time (TIMEOUT).')).toBeTruthy();
  await press('Delivery log of Desk hook');
  const log = await screen.findByRole('list', { name: 'Deliveries of Desk hook' });
  const [first, second] = within(log).getAllByRole('listitem');
  expect(first?.textContent).toContain(
    'Alert opened · USDC Core · number 4 · try 6 · Did not arrive, tried each minute · the server had an error (HTTP_500)',
  );
  expect(second?.textContent).toMatch(/ · Test · try 1 · Arrived$/);
  expect(screen.getByText('The newest 2 of 40.')).toBeTruthy();
  const group = screen.getByRole('group', { name: 'Vaults' });
  await userEvent.click(within(group).getByRole('button', { name: vault.name, pressed: false }));
  expect(bindChannel).toHaveBeenCalledWith({ params: at, body: {} });
});

describe('a channel on a vault', () => {
  test('default: says that nothing waits and what came last', async () => {
    await openBound();
    const list = await screen.findByRole('list', { name: 'Vaults of Desk hook' });
    expect(await within(list).findByText('Up to date')).toBeTruthy();
    expect(list.textContent).toContain('Nothing waits.Last delivered 1 Jan 2026, 12:00 UTC');
    expect(screen.queryByRole('button', { name: /^Try now/ })).toBeNull();
  });

  test('behavior: what waits is said and can be tried now', async () => {
    const redeliverChannel = jest.fn(async (_input: unknown) => aBinding());
    const parts = { next_sequence: 6, waiting: 3, last_delivered_at: null, next_attempt_at: '2026-01-01T12:01:00Z' };
    await openBound({ state: 'failing', ...parts }, { redeliverChannel });
    const list = await screen.findByRole('list', { name: 'Vaults of Desk hook' });
    expect(await within(list).findByText('Failing')).toBeTruthy();
    expect(list.textContent).toContain(
      '3 events wait, from number 6 to 8 · Nothing was delivered yet · Next try 1 Jan 2026, 12:01 UTC',
    );
    await press('Try now: Desk hook on USDC Core');
    expect(redeliverChannel).toHaveBeenCalledWith({ params: at });
  });

  test('behavior: it is delivered again from a number between the first and the last event', async () => {
    const replayChannel = jest.fn(async (_input: unknown) => aBinding());
    await openBound({ next_sequence: 6, waiting: 3 }, { replayChannel });
    await press('Deliver again: Desk hook on USDC Core');
    const dialog = within(await screen.findByRole('dialog'));
    const again = dialog.getByRole('button', { name: 'Deliver again' });
    for (const wrong of ['0', '9', '', '1.5']) {
      await fill('From number', wrong);
      expect(dialog.getByText('A whole number, 1 to 8')).toBeTruthy();
      expect(again.hasAttribute('disabled')).toBe(true);
    }
    await fill('From number', '8');
    expect(dialog.getByText('2 events that wait are left out.')).toBeTruthy();
    await fill('From number', '2');
    expect(dialog.queryByText(/left out/)).toBeNull();
    await userEvent.click(again);
    expect(replayChannel).toHaveBeenCalledWith({ params: at, body: { from_sequence: 2 } });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: before the first event there is nothing to deliver again', async () => {
    await openBound({ next_sequence: 1, head_sequence: 0 });
    await screen.findByText('Up to date');
    expect(screen.queryByRole('button', { name: /^Deliver again/ })).toBeNull();
  });

  test('behavior: Slack can get fewer alerts; a webhook, which counts, cannot', async () => {
    const bindChannel = jest.fn(async (_input: unknown) => aBinding());
    const view = await openBound({}, { bindChannel }, { provider: 'slack' });
    const choice = await screen.findByRole('combobox', { name: 'Alerts of USDC Core for Desk hook' });
    await userEvent.selectOptions(choice, 'Critical only');
    expect(bindChannel).toHaveBeenCalledWith({ params: at, body: { min_severity: 'critical' } });
    view.unmount();
    await openBound();
    await screen.findByText('Up to date');
    expect(screen.queryByRole('combobox', { name: 'Alerts of USDC Core for Desk hook' })).toBeNull();
  });

  test('behavior: it is taken away by the button that bound it', async () => {
    const unbindChannel = jest.fn(async (_input: unknown) => null);
    await openBound({}, { unbindChannel });
    const group = await screen.findByRole('group', { name: 'Vaults' });
    await userEvent.click(within(group).getByRole('button', { name: vault.name, pressed: true }));
    expect(unbindChannel).toHaveBeenCalledWith({ params: at });
  });

  test('behavior: who only views the vault sees how far it is and can do nothing there', async () => {
    await openBound({ state: 'retrying', waiting: 1, next_sequence: 8 }, {}, { provider: 'slack' }, 'view_only');
    expect(await screen.findByText('Retrying')).toBeTruthy();
    expect(screen.getByText(/^1 event waits, from number 8 to 8/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^(Try now|Deliver again)/ })).toBeNull();
    expect(screen.queryByRole('combobox', { name: /^Alerts of/ })).toBeNull();
    expect(screen.queryByRole('group', { name: 'Vaults' })).toBeNull();
  });

  test('error: when it cannot be read, that is said with the vault', async () => {
    const vaultChannels = async () => {
      throw new Error('The bus is away.');
    };
    await openBound({}, { vaultChannels });
    expect(await screen.findByText('How far the channel is could not be read')).toBeTruthy();
  });
});

describe('a channel and many vaults', () => {
  const many = Array.from({ length: 20 }, (_, n) => ({
    ...vault,
    vault_address: anAddress(0x2000 + n),
    name: `Vault ${n + 1}`,
    my_role: 'primary_manager',
  }));
  const myVaults = async () => ({ vaults: many, total: many.length, has_more: false, next_cursor: null });

  test('behavior: how far it is is asked for the vault that is chosen and for no other', async () => {
    const vaults = many.map(({ chain_id, vault_address }) => ({ chain_id, vault_address }));
    const bound = { ...channel, vaults };
    const vaultChannels = jest.fn(async (_: unknown) => ({ channels: [aBinding({ channel: bound })] }));
    await open({ myVaults, vaultChannels, listChannels: async () => ({ channels: [bound] }) });
    const choice = await screen.findByRole('combobox', { name: 'How far Desk hook is with' });
    expect(vaultChannels).not.toHaveBeenCalled();
    await userEvent.selectOptions(choice, 'Vault 7');
    const list = await screen.findByRole('list', { name: 'Vaults of Desk hook' });
    expect(await within(list).findByText('Up to date')).toBeTruthy();
    expect(vaultChannels.mock.calls).toEqual([
      [{ params: { chain_id: String(vault.chain_id), vault_address: anAddress(0x2006) } }],
    ]);
  });

  test('behavior: a vault is found by its name or address, and only a few stand there at once', async () => {
    await open({ myVaults });
    const search = await screen.findByRole('textbox', { name: 'Search vaults for Desk hook' });
    const buttons = () => within(screen.getByRole('group', { name: 'Vaults' })).getAllByRole('button');
    expect(buttons()).toHaveLength(8);
    expect(screen.getByText('8 of 20 vaults found; it is on 0 of 20.')).toBeTruthy();
    await userEvent.type(search, 'vault 20');
    expect(buttons().map(({ textContent }) => textContent)).toEqual(['Vault 20']);
    await userEvent.clear(search);
    await userEvent.type(search, anAddress(0x2002).toLowerCase());
    expect(buttons().map(({ textContent }) => textContent)).toEqual(['Vault 3']);
  });

  test('behavior: it is put on all at once, once that is said again; where one is refused the rest can follow', async () => {
    let now: Channel = channel;
    let isRefusing = true;
    const bindChannel = jest.fn(async ({ params }: { params: { vault_address: string } }) => {
      if (isRefusing && now.vaults.length === 2) throw refusal('VAULT_NOT_FOUND', 404);
      now = { ...now, vaults: [...now.vaults, { chain_id: vault.chain_id, vault_address: params.vault_address }] };
      return {};
    });
    const vaultChannels = async () => ({ channels: [] });
    await open({ myVaults, bindChannel, vaultChannels, listChannels: async () => ({ channels: [now] }) });
    await press('Put Desk hook on all vaults');
    expect(bindChannel).not.toHaveBeenCalled();
    expect(screen.getByText('Yes, on 20 more vaults')).toBeTruthy();
    await press('Not now');
    const again = screen.getByRole('button', { name: 'Put Desk hook on all vaults' });
    await waitFor(() => expect(document.activeElement === again).toBe(true));
    await userEvent.keyboard('{Enter}');
    await press('Yes, on 20 more vaults: Desk hook');
    expect(await screen.findByText('It was not put on all of them')).toBeTruthy();
    isRefusing = false;
    await press('Yes, on 18 more vaults: Desk hook');
    await waitFor(() => expect(now.vaults).toHaveLength(20));
    await waitFor(() => expect(screen.queryByRole('button', { name: /^(Yes, on|Put Desk hook)/ })).toBeNull());
  });
});

describe('a channel', () => {
  test('behavior: is switched off with the version that was read, and says that it is off', async () => {
    let now: Channel = channel;
    const changeChannel = jest.fn(async (_input: unknown) => {
      now = { ...channel, is_active: false, version: 2 };
      return now;
    });
    await open({ changeChannel, listChannels: async () => ({ channels: [now] }) });
    await press('Switch off Desk hook');
    expect(changeChannel).toHaveBeenCalledWith({
      params: { channel_id: 'ch_1' },
      body: { version: 1, is_active: false },
    });
    expect(await screen.findByText('Off')).toBeTruthy();
    await press('Switch on Desk hook');
    expect(changeChannel).toHaveBeenLastCalledWith({
      params: { channel_id: 'ch_1' },
      body: { version: 2, is_active: true },
    });
  });

  test('behavior: while it is off, what waits cannot be tried', async () => {
    await openBound({ state: 'inactive', waiting: 2, next_sequence: 7 }, {}, { is_active: false });
    await screen.findByText(/^2 events wait/);
    expect(screen.queryByRole('button', { name: /^Try now/ })).toBeNull();
  });

  test('behavior: its URL and secret are typed anew or stay', async () => {
    const changeChannel = jest.fn(async (_input: unknown) => channel);
    await open({ changeChannel });
    await press('Change Desk hook');
    const save = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Save channel' });
    expect(save.hasAttribute('disabled')).toBe(true);
    await fill('New secret', 'too short');
    expect(screen.getByText('24 to 256 characters')).toBeTruthy();
    expect(save.hasAttribute('disabled')).toBe(true);
    await fill('New secret', 'a-secret-of-at-least-24-characters');
    await fill('New URL', ' https://example.com/new ');
    await userEvent.click(save);
    const config = { url: 'https://example.com/new', secret: 'a-secret-of-at-least-24-characters' };
    expect(changeChannel).toHaveBeenCalledWith({ params: { channel_id: 'ch_1' }, body: { version: 1, config } });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('error: changed by somebody else meanwhile, only what was typed is saved, once their change was seen', async () => {
    let version = 1;
    const quiet_hours = { from: '22:00', to: '07:00', time_zone: 'Europe/Zurich', breaks_through: 'critical' as const };
    const changeChannel = jest.fn(async ({ body }: { params: object; body: { version: number; name: string } }) => {
      if (body.version !== 2) {
        version = 2;
        throw refusal('VERSION_CONFLICT', 409);
      }
      return channel;
    });
    await open({
      changeChannel,
      listChannels: async () => ({ channels: [version === 1 ? channel : { ...channel, version, quiet_hours }] }),
    });
    await press('Change Desk hook');
    await fill('Name', 'Night hook');
    const save = within(screen.getByRole('dialog')).getByRole('button', { name: 'Save channel' });
    await userEvent.click(save);
    expect(await screen.findByText('Somebody else changed the channel meanwhile')).toBeTruthy();
    expect(screen.getByText(/^Theirs: .*Quiet 22:00 to 07:00/)).toBeTruthy();
    expect(save.hasAttribute('disabled')).toBe(true);
    await press('Keep what I typed, on top of theirs');
    await userEvent.click(save);
    expect(changeChannel).toHaveBeenLastCalledWith({
      params: { channel_id: 'ch_1' },
      body: { version: 2, name: 'Night hook' },
    });
  });

  test('behavior: only a name can be changed of a websocket, and no secret of Slack', async () => {
    const config = { url: null, to: null, has_secret: false };
    const websocket: Channel = { ...channel, provider: 'websocket', config };
    const view = await open({ listChannels: async () => ({ channels: [websocket] }) });
    await press('Change Desk hook');
    expect(within(screen.getByRole('dialog')).getAllByRole('textbox')).toHaveLength(1);
    view.unmount();
    await open({ listChannels: async () => ({ channels: [{ ...channel, provider: 'slack' as const }] }) });
    await press('Change Desk hook');
    expect(within(screen.getByRole('dialog')).queryByRole('textbox', { name: 'New secret' })).toBeNull();
    expect(within(screen.getByRole('dialog')).getByRole('textbox', { name: 'New URL' })).toBeTruthy();
  });

  test('behavior: is deleted only once that is said again', async () => {
    const deleteChannel = jest.fn(async (_input: unknown) => null);
    await open({ deleteChannel });
    await press('Delete Desk hook');
    await press('Keep it');
    expect(screen.queryByRole('dialog')).toBeNull();
    await press('Delete Desk hook');
    expect(deleteChannel).not.toHaveBeenCalled();
    await press('Delete the channel');
    expect(deleteChannel).toHaveBeenCalledWith({ params: { channel_id: 'ch_1' } });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: on a vault where its owner has no role any more, it says so', async () => {
    const vaults = [{ ...on, vault_address: channel.created_by }];
    await open({ listChannels: async () => ({ channels: [{ ...channel, vaults }] }) });
    expect(await screen.findByText('It is on one more vault, where you have no role.')).toBeTruthy();
  });
});

test('behavior: a new webhook shows its secret once', async () => {
  const createChannel = jest.fn(async (_input: unknown) => ({ ...channel, secret: 'shown-once' }));
  await open({ createChannel });
  await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Kind' }), 'webhook');
  await userEvent.type(screen.getByRole('textbox', { name: 'Name of the channel' }), 'Desk');
  await userEvent.type(screen.getByRole('textbox', { name: 'URL' }), 'https://example.com/in');
  await press('Make channel');
  const body = { provider: 'webhook', name: 'Desk', config: { url: 'https://example.com/in' } };
  expect(createChannel).toHaveBeenCalledWith({ body });
  expect(await screen.findByText('shown-once')).toBeTruthy();
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Copy secret' }));
  expect(await navigator.clipboard.readText()).toBe('shown-once');
});

test('behavior: each kind asks for what it needs, and sends no more', async () => {
  const createChannel = jest.fn(async (_input: unknown) => ({ ...channel, secret: null }));
  await open({ createChannel });
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name of the channel' }), 'Desk');
  await userEvent.type(screen.getByRole('textbox', { name: 'URL' }), 'https://hooks.slack.com/in');
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Kind' }), 'telegram');
  expect(screen.queryByRole('textbox', { name: 'URL' })).toBeNull();
  await userEvent.type(screen.getByRole('textbox', { name: 'Token of the bot' }), '123456789:AA');
  expect(screen.getByRole('button', { name: 'Make channel' })).toHaveProperty('disabled', true);
  await userEvent.type(screen.getByRole('textbox', { name: 'Chat' }), '-100');
  await press('Make channel');
  const config = { secret: '123456789:AA', to: '-100' };
  expect(createChannel).toHaveBeenCalledWith({ body: { provider: 'telegram', name: 'Desk', config } });
});

test('behavior: a channel on no vault says that it sends nothing', async () => {
  await open({});
  expect(await screen.findByText(/^It is on no vault/)).toBeTruthy();
});

test('behavior: one on a vault does not', async () => {
  await openBound();
  await screen.findByRole('list', { name: 'Vaults of Desk hook' });
  expect(screen.queryByText(/^It is on no vault/)).toBeNull();
});
