import '../../test/browser.ts';
import { AlertRule as AlertRuleSchema, ListAlerts } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { Toasts } from '../design/toast.tsx';
import AttentionBadge from '../home/attention-badge.tsx';
import { AttentionList } from '../home/attention-list.tsx';
import { anAlert, answer, open, rule, self, vault } from './alerts.fixture.tsx';
import { AlertsPage } from './alerts-page.tsx';

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
    const alerts = Array.from({ length: 7 }, (_, n) => anAlert({ alert_id: `al_${n}` }));
    const listAlerts = jest.fn(async (_input: unknown) => answer(alerts));
    await open(
      { listAlerts },
      'primary_manager',
      <>
        <AttentionBadge />
        <AttentionList />
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

  test('behavior: of more than 99 the badge shows that there are more, and says how many', async () => {
    const listAlerts = async () => answer([anAlert()], 1_234);
    await renderPage(<AttentionBadge />, { api: fakeApi({ listAlerts }), address: self });
    expect((await screen.findByText('99+')).getAttribute('aria-hidden')).toBe('true');
    expect(screen.getByText('1,234 active alerts')).toBeTruthy();
  });

  test('behavior: acknowledged by a manager, and read again', async () => {
    const acknowledgeAlert = jest.fn(async (_input: unknown) => anAlert({ status: 'acknowledged' }));
    const listAlerts = jest.fn(async (_input: unknown) => answer([anAlert()]));
    await open({ acknowledgeAlert, listAlerts });
    await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge Vault paused' }));
    expect(acknowledgeAlert).toHaveBeenCalledWith({ params: { id: 'al_1' }, body: {} });
    await waitFor(() => expect(listAlerts.mock.calls.length).toBeGreaterThan(1));
  });

  test('behavior: what was done is said, and the focus goes to the next alert, after the last to the heading', async () => {
    let alerts = [anAlert(), anAlert({ alert_id: 'al_2', title: 'Price stale' })];
    const done = async () => {
      const [first] = alerts;
      alerts = alerts.slice(1);
      return first;
    };
    const page = (
      <>
        <AlertsPage />
        <Toasts />
      </>
    );
    const answers = { acknowledgeAlert: done, resolveAlert: done, listAlerts: async () => answer(alerts) };
    await open(answers, 'primary_manager', page);
    await userEvent.click(await screen.findByRole('button', { name: 'Acknowledge Vault paused' }));
    expect(await screen.findByText('Acknowledged: Vault paused')).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.textContent).toBe(`${vault.name}: Price stale`));
    await userEvent.click(screen.getByRole('button', { name: 'Resolve Price stale' }));
    expect(await screen.findByText('Resolved: Price stale')).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'List' })));
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
    expect(screen.queryByRole('button', { name: /Acknowledge|Resolve|Save|Switch off High|Make channel/ })).toBeNull();
    expect(screen.queryByRole('textbox', { name: /Note/ })).toBeNull();
    for (const field of screen.getAllByRole('textbox')) expect(field.hasAttribute('readonly')).toBe(true);
  });

  const { chain_id, vault_address } = vault;
  const onDuty = async () => ({
    vaults: [{ chain_id, vault_address, on_duty: { name: 'Ada', wallet_address: self }, next: null }],
  });

  test('behavior: each alert of a list of many vaults says who is on duty for its own', async () => {
    const elsewhere = anAlert({ alert_id: 'al_2', vault_address: anAddress(0x77) });
    const over = anAlert({ alert_id: 'al_3', status: 'resolved' });
    const listAlerts = async () => answer([anAlert(), elsewhere, over]);
    await open({ listAlerts, dutyNow: onDuty });
    await screen.findByText('On duty now: Ada');
    const rows = within(screen.getByRole('list', { name: 'Alerts' })).getAllByRole('listitem');
    expect(rows.map(({ textContent }) => textContent?.includes('On duty now: Ada'))).toEqual([true, false, false]);
  });

  test('behavior: what is listed stands in the address, which links write in any case', async () => {
    const listAlerts = jest.fn(async (_input: unknown) => answer([anAlert()]));
    const { where } = await open(
      { listAlerts, dutyNow: onDuty },
      undefined,
      undefined,
      `/?vault=${vault.chain_id}:${vault.vault_address.toLowerCase()}&status=open&severity=critical`,
    );
    await screen.findByRole('list', { name: 'Alerts' });
    expect(listAlerts).toHaveBeenCalledWith({
      query: {
        status: 'open',
        limit: '100',
        chain_id: String(vault.chain_id),
        vault_address: vault.vault_address.toLowerCase(),
        severity: 'critical',
      },
    });
    const chosen = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Of which vault' });
    await waitFor(() => expect(chosen.selectedOptions[0]?.textContent).toBe(vault.name));
    expect(await screen.findByText(`On duty now for ${vault.name}: Ada`)).toBeTruthy();
    await userEvent.selectOptions(chosen, 'Every vault');
    expect(screen.queryByText(/^On duty now for/)).toBeNull();
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Of which severity' }), 'Every severity');
    expect(where.search).toBe('?status=open');
    await waitFor(() => expect(listAlerts).toHaveBeenLastCalledWith({ query: { status: 'open', limit: '100' } }));
  });

  test('behavior: beyond the first hundred the list goes on, and is not read anew while somebody reads on', async () => {
    const first = { ...answer([anAlert()]), total: 2, has_more: true, next_cursor: 'c1' };
    const second = { ...answer([anAlert({ alert_id: 'al_2', title: 'Price stale' })]), total: 2 };
    const listAlerts = jest.fn(async ({ query }: { query: { status: string; limit: string; cursor?: string } }) =>
      query.cursor === undefined ? first : second,
    );
    const { queries } = await open({ listAlerts });
    expect(await screen.findByText('1 of 2 alerts')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('2 of 2 alerts')).toBeTruthy();
    const titles = within(screen.getByRole('list', { name: 'Alerts' })).getAllByRole('link', { name: /^USDC Core/ });
    expect(titles.map(({ textContent }) => textContent)).toEqual(['USDC Core: Vault paused', 'USDC Core: Price stale']);
    expect(listAlerts).toHaveBeenLastCalledWith({ query: { status: 'active', limit: '100', cursor: 'c1' } });
    const before = listAlerts.mock.calls.length;
    await act(() => queries.refetchQueries({ stale: true, queryKey: ['alerts', self.toLowerCase(), 'pages'] }));
    expect(listAlerts.mock.calls.length).toBe(before);
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
