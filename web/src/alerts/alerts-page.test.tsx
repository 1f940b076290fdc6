import '../../test/browser.ts';
import { AlertRule as AlertRuleSchema, ListAlerts } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aPublicVault, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import AttentionBadge from '../home/attention-badge.tsx';
import { AttentionList } from '../home/attention-list.tsx';
import { AlertsPage } from './alerts-page.tsx';
import type { Alert, AlertRule, Channel } from './queries.ts';

const self = anAddress(0x10);
const vault = aPublicVault();
const anAlert = (parts: Partial<Alert> = {}): Alert => ({
  alert_id: 'al_1',
  rule_id: 'vault_paused',
  severity: 'critical',
  status: 'active',
  chain_id: vault.chain_id,
  vault_address: vault.vault_address,
  vault_name: vault.name,
  subject: 'vault',
  title: 'Vault paused',
  message: 'Paused since noon.',
  facts: {},
  inhibited_by: null,
  owner: 'Night desk',
  runbook_url: 'docs/runbooks/alerts.md#vault_paused',
  source: 'pause_monitor',
  opened_at: '2026-01-01T00:00:00Z',
  block_number: 1,
  acknowledged_by: null,
  acknowledged_at: null,
  note: null,
  resolved_at: null,
  resolved_by: null,
  is_replayed: false,
  version: 1,
  ...parts,
});
const settings = {
  enabled: true,
  thresholds: { pending_requests: 10 },
  for_seconds: 60,
  clear_seconds: 300,
  owner: 'Desk',
};
const rule: AlertRule = {
  rule_id: 'redemption_queue',
  title: 'High redemption queue',
  description: 'More wait than should.',
  severity: 'warning',
  runbook_url: 'docs/runbooks/alerts.md#redemption_queue',
  inhibited_by: [],
  settings,
  defaults: settings,
  version: 3,
  updated_by: null,
  updated_at: null,
};
const channel: Channel = {
  channel_id: 'ch_1',
  provider: 'webhook',
  name: 'Desk hook',
  config: { url: 'https://example.com/…', has_secret: true },
  is_active: true,
  created_by: self,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  version: 1,
  vaults: [],
};
const answer = (alerts: Alert[], active = alerts.length) => ({
  alerts,
  total: alerts.length,
  has_more: false,
  next_cursor: null,
  counts: {
    by_status: { active, acknowledged: 2, resolved: 30, muted: 4 },
    by_severity: { critical: active, warning: 0, info: 0 },
    total: active + 36,
  },
});
const mine = (my_role: string) => async () => ({
  vaults: [{ ...vault, my_role }],
  total: 1,
  has_more: false,
  next_cursor: null,
});
const open = (answers: Parameters<typeof fakeApi>[0] = {}, role = 'primary_manager', page = <AlertsPage />) =>
  renderPage(page, {
    api: fakeApi({
      listAlerts: async () => answer([anAlert()]),
      myVaults: mine(role),
      alertRules: async () => ({ rules: [rule] }),
      listChannels: async () => ({ channels: [channel] }),
      ...answers,
    }),
    address: self,
  });

describe('alerts', () => {
  test('default: counts, and each alert with its vault, reason, owner and runbook', async () => {
    expect(ListAlerts.result.parse(answer([anAlert()])).alerts).toHaveLength(1);
    expect(AlertRuleSchema.parse(rule).version).toBe(3);
    await open();
    const list = await screen.findByRole('list', { name: 'Alerts' });
    expect(list.textContent).toContain(`${vault.name}: Vault paused`);
    expect(list.textContent).toContain('Night desk');
    const runbook = within(list).getByRole('link', { name: 'Runbook of Vault paused' });
    expect(runbook.getAttribute('href')).toBe('/runbooks/alerts.html#vault_paused');
    expect(screen.getByText('1 critical, 0 warning, 0 info')).toBeTruthy();
  });

  test('behavior: the badge, the page and the list of what needs attention say one number out of one answer', async () => {
    const listAlerts = jest.fn(async (_input: unknown) => answer([anAlert()], 7));
    const mineToo = { ...vault, my_role: 'primary_manager' as const };
    await open(
      { listAlerts, vault: async () => aVault() },
      'primary_manager',
      <>
        <AttentionBadge />
        <AttentionList vaults={[mineToo]} />
        <AlertsPage />
      </>,
    );
    expect(await screen.findByRole('heading', { name: 'Needs attention (7)' })).toBeTruthy();
    expect(screen.getByText('active alerts').parentElement?.textContent).toBe('7 active alerts');
    const figure = screen.getByText('7 critical, 0 warning, 0 info').closest('div');
    expect(figure?.textContent).toContain('7');
    expect(listAlerts.mock.calls).toEqual([[{ query: { status: 'active', limit: '100' } }]]);
  });

  test('behavior: whatever the page lists, it counts what the badge counts', async () => {
    const listAlerts = async ({ query }: { query: { status: string } }) =>
      query.status === 'active' ? answer([anAlert()], 7) : answer([anAlert({ status: 'resolved', note: 'Over.' })], 3);
    await open({ listAlerts });
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Status' }), 'resolved');
    await screen.findByText('“Over.”');
    expect(screen.getByText('7 critical, 0 warning, 0 info')).toBeTruthy();
  });

  test('behavior: no alert, no badge; one is one', async () => {
    const listAlerts = async () => answer([anAlert()]);
    await renderPage(<AttentionBadge />, { api: fakeApi({ listAlerts }), address: self });
    expect((await screen.findByText('active alert')).parentElement?.textContent).toBe('1 active alert');
    cleanup();
    const { queries } = await renderPage(<AttentionBadge />, {
      api: fakeApi({ listAlerts: async () => answer([], 0) }),
      address: self,
    });
    await waitFor(() => expect(queries.isFetching()).toBe(0));
    expect(screen.queryByText(/active alert/)).toBeNull();
  });

  test('behavior: acknowledged by a manager, and read again', async () => {
    const acknowledgeAlert = jest.fn(async (_input: unknown) => anAlert({ status: 'acknowledged' }));
    const listAlerts = jest.fn(async (_input: unknown) => answer([anAlert()]));
    await open({ acknowledgeAlert, listAlerts });
    await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge Vault paused' }));
    expect(acknowledgeAlert).toHaveBeenCalledWith({ params: { id: 'al_1' }, body: {} });
    await waitFor(() => expect(listAlerts.mock.calls.length).toBeGreaterThan(1));
  });

  test('behavior: a note goes with acknowledging, and can be changed by who is on it', async () => {
    const acknowledged = anAlert({
      status: 'acknowledged',
      acknowledged_by: self,
      acknowledged_at: '2026-01-01T01:00:00Z',
      note: 'On it.',
      version: 2,
    });
    let now = anAlert();
    const acknowledgeAlert = jest.fn(async (_input: unknown) => {
      now = acknowledged;
      return acknowledged;
    });
    await open({ acknowledgeAlert, listAlerts: async () => answer([now]) });
    await userEvent.type(await screen.findByRole('textbox', { name: 'Note on Vault paused' }), ' On it. ');
    await userEvent.click(screen.getByRole('button', { name: 'Acknowledge Vault paused' }));
    expect(acknowledgeAlert).toHaveBeenCalledWith({ params: { id: 'al_1' }, body: { note: 'On it.' } });
    expect(await screen.findByText('“On it.”')).toBeTruthy();
    const list = screen.getByRole('list', { name: 'Alerts' });
    expect(list.textContent).toContain('Owner: Night desk');
    expect(list.textContent).toMatch(new RegExp(`Acknowledged .* by .*${self}`));
    const save = screen.getByRole('button', { name: 'Save note on Vault paused' });
    expect(save.hasAttribute('disabled')).toBe(true);
    await userEvent.type(screen.getByRole('textbox', { name: 'Note on Vault paused' }), 'Fixed soon.');
    await userEvent.click(save);
    expect(acknowledgeAlert).toHaveBeenLastCalledWith({ params: { id: 'al_1' }, body: { note: 'Fixed soon.' } });
  });

  test('behavior: resolved by hand with a note', async () => {
    const resolveAlert = jest.fn(async (_input: unknown) => anAlert({ status: 'resolved' }));
    await open({ resolveAlert });
    await userEvent.type(await screen.findByRole('textbox', { name: 'Note on Vault paused' }), 'Drill.');
    await userEvent.click(screen.getByRole('button', { name: 'Resolve Vault paused' }));
    expect(resolveAlert).toHaveBeenCalledWith({ params: { id: 'al_1' }, body: { note: 'Drill.' } });
  });

  test('behavior: who only views sees everything and can do nothing', async () => {
    await open({}, 'view_only');
    await screen.findByRole('list', { name: 'Alerts' });
    await screen.findByRole('list', { name: 'Rules' });
    expect(screen.queryByRole('button', { name: /Acknowledge|Resolve|Save|Switch off|Make channel/ })).toBeNull();
    expect(screen.queryByRole('textbox', { name: /Note/ })).toBeNull();
    for (const field of screen.getAllByRole('textbox')) expect(field.hasAttribute('readonly')).toBe(true);
  });

  test('behavior: a muted alert says what mutes it', async () => {
    const inhibited_by = {
      rule_id: 'vault_paused' as const,
      effect: 'mute' as const,
      reason: 'The vault is paused.',
      since: '2026-01-01T00:00:00Z',
    };
    const listAlerts = jest.fn(async (_input: unknown) => answer([anAlert({ inhibited_by })]));
    await open({ listAlerts });
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Status' }), 'muted');
    await waitFor(() => expect(listAlerts).toHaveBeenLastCalledWith({ query: { status: 'muted', limit: '100' } }));
    expect(await screen.findByText('The vault is paused.')).toBeTruthy();
  });
});

test('behavior: a threshold is tried on the history before it is saved, with the version that was read', async () => {
  const backtestAlertRule = jest.fn(async (_input: unknown) => ({
    rule_id: rule.rule_id,
    from: '2026-01-01T00:00:00Z',
    to: '2026-04-01T00:00:00Z',
    settings,
    fired: 3,
    notified: 2,
    open_seconds: 7200,
    longest_seconds: 3600,
    episodes: [],
    truncated: false,
    facts: 10,
    history_since: null,
  }));
  const setAlertRule = jest.fn(async (_input: unknown) => ({ ...rule, version: 4 }));
  await open({ backtestAlertRule, setAlertRule });
  const field = await screen.findByRole('textbox', { name: 'pending requests' });
  await userEvent.clear(field);
  await userEvent.type(field, '5');
  await userEvent.click(screen.getByRole('button', { name: 'Try on 90 days: High redemption queue' }));
  expect(await screen.findByText(/It would have fired 3 times/)).toBeTruthy();
  const on = { chain_id: vault.chain_id, vault_address: vault.vault_address };
  const thresholds = { pending_requests: 5 };
  expect(backtestAlertRule).toHaveBeenCalledWith({
    params: { rule_id: 'redemption_queue' },
    body: { ...on, settings: { thresholds } },
  });
  await userEvent.click(screen.getByRole('button', { name: 'Save High redemption queue' }));
  expect(setAlertRule).toHaveBeenCalledWith({
    params: { rule_id: 'redemption_queue' },
    body: { ...on, version: 3, thresholds },
  });
});

test('behavior: the owner and the delays of a rule are shown and set; what cannot be is refused before it is sent', async () => {
  const setAlertRule = jest.fn(async (_input: unknown) => ({ ...rule, version: 4 }));
  const inhibited_by = [{ rule_id: 'vault_paused' as const, effect: 'mute' as const, reason: 'While it is paused.' }];
  const shown = { ...rule, inhibited_by, updated_by: self, updated_at: '2026-01-01T00:00:00Z' };
  await open({ setAlertRule, alertRules: async () => ({ rules: [shown] }) });
  const list = await screen.findByRole('list', { name: 'Rules' });
  expect(list.textContent).toContain('Muted: While it is paused.');
  expect(list.textContent).toMatch(new RegExp(`Set .* by .*${self}`));
  expect(
    within(list)
      .getByRole('link', { name: /^Runbook/ })
      .getAttribute('href'),
  ).toBe('/runbooks/alerts.html#redemption_queue');
  const fill = async (name: string, text: string) => {
    const field = within(list).getByRole('textbox', { name });
    await userEvent.clear(field);
    await userEvent.type(field, text);
  };
  await fill('opens after, seconds', '90000');
  expect(within(list).getByText('Whole seconds, a day at most')).toBeTruthy();
  expect(within(list).getByRole('button', { name: /^Save/ }).hasAttribute('disabled')).toBe(true);
  await fill('opens after, seconds', '120');
  await fill('resolves after, seconds', '0');
  await fill('owner', ' Night desk ');
  await userEvent.click(within(list).getByRole('button', { name: /^Save/ }));
  expect(setAlertRule).toHaveBeenCalledWith({
    params: { rule_id: 'redemption_queue' },
    body: {
      chain_id: vault.chain_id,
      vault_address: vault.vault_address,
      version: 3,
      for_seconds: 120,
      clear_seconds: 0,
      owner: 'Night desk',
    },
  });
});

test('behavior: a channel is tested, bound, and its log is read', async () => {
  const delivery = {
    delivery_id: 'dl_1',
    channel_id: 'ch_1',
    chain_id: null,
    vault_address: null,
    sequence: 4,
    event_id: 'e',
    event_type: 'alert.opened',
    attempt: 6,
    t: '2026-01-01T00:00:00Z',
    outcome: 'dead_letter' as const,
    http_status: 500,
    reason: 'HTTP_500',
    duration_ms: 3,
  };
  const bindChannel = jest.fn(async (_input: unknown) => ({}));
  await open({
    testChannel: async () => ({ ...delivery, outcome: 'failed', reason: 'TIMEOUT' }),
    listDeliveries: async () => ({ deliveries: [delivery], total: 1, has_more: false, next_cursor: null }),
    bindChannel,
  });
  const list = await screen.findByRole('list', { name: 'Channels' });
  await userEvent.click(await within(list).findByRole('button', { name: 'Send a test to Desk hook' }));
  expect(await screen.findByText('The test did not arrive: TIMEOUT.')).toBeTruthy();
  await userEvent.click(within(list).getByRole('button', { name: 'Delivery log' }));
  expect(await screen.findByText(/number 4 · try 6 · dead letter · HTTP_500/)).toBeTruthy();
  await userEvent.click(within(list).getByRole('button', { name: vault.name }));
  await waitFor(() => expect(bindChannel).toHaveBeenCalled());
});
