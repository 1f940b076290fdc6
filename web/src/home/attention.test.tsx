import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import type { Alert } from '../alerts/queries.ts';
import type { MyVault } from '../data/queries.ts';
import { AttentionList, ManagerChanges } from './attention-list.tsx';

const mine: MyVault = { ...aPublicVault(), my_role: 'secondary_manager' };
const address = anAddress(0x10);
const anAlert = (alert_id: string, severity: Alert['severity'], title: string) =>
  ({ alert_id, severity, title, message: 'm', ...mine, vault_name: mine.name, status: 'active' }) as unknown as Alert;
const answer =
  (alerts: readonly Alert[], active = alerts.length) =>
  async () => ({
    alerts,
    counts: {
      by_status: { active, acknowledged: 0, resolved: 0, muted: 0 },
      by_severity: { critical: 0, warning: active, info: 0 },
    },
  });
const open = (answers: Parameters<typeof fakeApi>[0], vaults: readonly MyVault[] = []) =>
  renderPage(
    <>
      <ManagerChanges vaults={vaults} />
      <AttentionList />
    </>,
    { api: fakeApi({ listAlerts: answer([]), ...answers }), address },
  );

describe('what needs attention', () => {
  test('default: the active alerts, the worst first, each with the way to its vault', async () => {
    const alerts = [anAlert('1', 'info', 'Fee change pending'), anAlert('2', 'critical', 'Vault paused')];
    await open({ listAlerts: answer(alerts) });
    const list = await screen.findByRole('list', { name: 'Needs attention (2)' });
    const links = within(list).getAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual([
      `${mine.name}: Vault paused`,
      `${mine.name}: Fee change pending`,
    ]);
    expect(links[0]?.getAttribute('href')).toBe(`/operate/devnet/${mine.vault_address}`);
    expect(screen.getByRole('link', { name: 'All alerts' }).getAttribute('href')).toBe('/operate/alerts');
  });

  test('behavior: more than fit are counted all the same', async () => {
    const alerts = Array.from({ length: 10 }, (_, n) => anAlert(`${n}`, 'warning', `Alert ${n}`));
    await open({ listAlerts: answer(alerts, 130) });
    const list = await screen.findByRole('list', { name: 'Needs attention (130)' });
    expect(within(list).getAllByRole('link')).toHaveLength(8);
    expect(screen.getByText('And 122 more among all alerts.')).toBeTruthy();
  });

  test('behavior: a critical alert older than the newest hundred comes first all the same', async () => {
    const newest = Array.from({ length: 100 }, (_, n) => anAlert(`${n}`, 'warning', `Alert ${n}`));
    const counts = {
      by_status: { active: 101, acknowledged: 0, resolved: 0, muted: 0 },
      by_severity: { critical: 1, warning: 100, info: 0 },
    };
    const listAlerts = async ({ query }: { query: { severity?: string } }) =>
      query.severity === 'critical'
        ? { alerts: [anAlert('old', 'critical', 'Vault paused')], counts }
        : { alerts: newest, counts };
    await open({ listAlerts });
    const list = await screen.findByRole('list', { name: 'Needs attention (101)' });
    await waitFor(() => expect(within(list).getAllByRole('link')[0]?.textContent).toBe(`${mine.name}: Vault paused`));
    expect(within(list).getAllByRole('link')).toHaveLength(8);
  });

  test('behavior: no active alert is said', async () => {
    await open({});
    expect(await screen.findByText('No active alert.')).toBeTruthy();
  });

  test('behavior: what is acknowledged and still holds is no all-clear', async () => {
    const counts = { by_status: { active: 0, acknowledged: 2, resolved: 0, muted: 0 } };
    await open({ listAlerts: async () => ({ alerts: [], counts }) });
    const link = await screen.findByRole('link', { name: '2 acknowledged' });
    expect(link.getAttribute('href')).toBe('/operate/alerts?status=acknowledged');
    expect(screen.queryByText('No active alert.')).toBeNull();
  });

  test('error: alerts that cannot be read are not called none', async () => {
    const listAlerts = async () => {
      throw Object.assign(new Error('x'), { status: 503, detail: 'away' });
    };
    await open({ listAlerts });
    expect(await screen.findByText('The alerts could not be read')).toBeTruthy();
    expect(screen.queryByText('No active alert.')).toBeNull();
    expect(screen.getByRole('heading', { name: 'Needs attention' })).toBeTruthy();
  });

  test('behavior: a pending change of the manager is said loudest, and counted once: as the alert it is', async () => {
    const pending_manager_change = {
      proposed_manager: anAddress(0x66),
      proposer: anAddress(0x67),
      effective_at: '2026-01-06T00:00:00Z',
    };
    const vault = { ...mine, chain_time: '2026-01-01T00:00:00Z', pending_manager_change };
    const alerts = [anAlert('1', 'critical', 'Change of the primary manager pending')];
    await open({ listAlerts: answer(alerts) }, [mine, vault]);
    expect((await screen.findByRole('alert')).textContent).toContain('USDC Core: a new primary manager is proposed');
    expect(await screen.findByRole('heading', { name: 'Needs attention (1)' })).toBeTruthy();
  });
});
