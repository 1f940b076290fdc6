import '../../test/browser.ts';
import { operateRoutes, SummarizeVaults } from '@castellan/contracts';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { anAlert } from '../alerts/alerts.fixture.tsx';
import type { MyVault } from '../data/queries.ts';
import { NONE } from '../format/figures.ts';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { recordOf } from './desk-export.ts';
import { DeskPage } from './desk-page.tsx';
import type { Summary } from './rows.ts';

const chain_time = '2026-01-01T01:00:00Z';
const aVault = (n: number, parts: Partial<MyVault> = {}): MyVault => ({
  ...aPublicVault({ vault_address: anAddress(n) }),
  name: `Vault ${n}`,
  tvl_usd: n * 100,
  chain_time,
  last_oracle_update_timestamp: '2026-01-01T00:00:00Z',
  remaining_staleness_time: 3_600,
  pending_manager_change: null,
  proposals: [],
  my_role: 'secondary_manager',
  ...parts,
});
const aSummary = (vault_address: string, parts: Partial<Summary> = {}): Summary => ({
  chain_id: 31337,
  vault_address,
  as_of: chain_time,
  block_number: 9,
  quality: {},
  run: { demand: '1000000', paid_now: '1000000', shortfall: '0' },
  redemptions: { pending: 0, pending_assets: '0', oldest_seconds: null },
  day: { tvl_change: 0, tvl_change_usd: 0, holders: 0, role_changes: 0, setting_changes: 0 },
  returns_30d: [0, 0.01],
  ...parts,
});
const summaries =
  (parts: (address: string) => Partial<Summary> = () => ({}), unread: readonly string[] = []) =>
  async ({ query }: { query: { vaults: string } }) => {
    const addresses = query.vaults.split(',').map((vault) => vault.split(':')[1] ?? '');
    return SummarizeVaults.result.parse({
      vaults: addresses.filter((each) => !unread.includes(each)).map((each) => aSummary(each, parts(each))),
      unread: unread.map((vault_address) => ({ chain_id: 31337, vault_address, code: 'NOT_READY' })),
    });
  };
const noAlerts = { by_status: { active: 0, acknowledged: 0 }, by_vault: [] };
const open = (
  vaults: readonly MyVault[],
  answers: Parameters<typeof fakeApi>[0] = {},
  url = '/',
  beside: ReactNode = null,
) =>
  renderPage(
    <>
      {beside}
      <DeskPage />
    </>,
    {
      api: fakeApi({
        myVaults: async () => ({ vaults, total: vaults.length }),
        listAlerts: async () => ({ alerts: [], counts: noAlerts }),
        analyticsSummaries: summaries(),
        ...answers,
      }),
      address: anAddress(0x10),
      path: '*',
      url,
    },
  );
const names = async () => {
  const rows = (await screen.findByRole('table', { name: 'Your vaults' })).querySelectorAll('tbody tr');
  return [...rows].map((row) => row.querySelector('a')?.textContent);
};
const rowOf = async (name: string) => {
  const row = (await screen.findByRole('link', { name })).closest('tr');
  return within(row as HTMLElement);
};

const viewsKey = (wallet = anAddress(0x10)) => `castellan_desk_views:${wallet.toLowerCase()}`;
const stored = () => JSON.parse(localStorage.getItem(viewsKey()) ?? 'null') as unknown;

beforeEach(() => localStorage.clear());

test('behavior: once the session has ended nothing is asked any more, and what was read stays', async () => {
  const answers = {
    myVaults: jest.fn(async () => ({ vaults: [aVault(1)], total: 1 })),
    listAlerts: jest.fn(async () => ({ alerts: [], counts: noAlerts })),
    analyticsSummaries: jest.fn(summaries()),
  };
  const { session, queries } = await open([], answers);
  await rowOf('Vault 1');
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  const asked = () => Object.values(answers).map(({ mock }) => mock.calls.length);
  const before = asked();
  act(() => session.end('unauthorized'));
  await act(() => queries.invalidateQueries());
  expect(asked()).toEqual(before);
  expect(await names()).toEqual(['Vault 1']);
});

test('behavior: liquidity, redemptions and changes are no older than 15 s', async () => {
  const { queries } = await open([aVault(1)]);
  await rowOf('Vault 1');
  const [query] = queries.getQueryCache().findAll({ queryKey: ['summaries'] });
  const interval = query?.observers[0]?.options.refetchInterval;
  expect(Number(interval) + operateRoutes.analyticsSummaries.staleMs).toBeLessThanOrEqual(15_000);
});

describe("operator's table", () => {
  test('default: the largest first, each figure with the way to the section that proves it', async () => {
    const fees = { kind: 'fees', effective_at: '2026-01-01T03:00:00Z' } as const;
    const counts = {
      ...noAlerts,
      by_vault: [{ chain_id: 31337, vault_address: anAddress(2), critical: 1, warning: 1, info: 0 }],
    };
    await open([aVault(1), aVault(2, { proposals: [fees] })], {
      listAlerts: async () => ({
        alerts: [anAlert({ vault_address: anAddress(2), rule_id: 'mandate_breached' })],
        counts,
      }),
      analyticsSummaries: summaries((address) =>
        address === anAddress(2)
          ? {
              run: { demand: '1000000', paid_now: '400000', shortfall: '250000' },
              redemptions: { pending: 2, pending_assets: '3000000', oldest_seconds: 7_200 },
              day: { tvl_change: 0, tvl_change_usd: 0.05, holders: -1, role_changes: 0, setting_changes: 1 },
            }
          : {},
      ),
    });
    expect(await names()).toEqual(['Vault 2', 'Vault 1']);
    const row = await rowOf('Vault 2');
    const section = (name: string) => `/operate/devnet/${anAddress(2)}/dashboard/${name}`;
    for (const [text, href] of [
      [/^1 h/, section('pricing')],
      [/^40%0.25 USDC short$/, section('risk')],
      [/^2 · 3 USDCfor up to 2 h$/, section('operations')],
      [/^New feesin /, section('fees')],
      [/^21 critical · promise broken$/, `/operate/alerts?vault=31337:${anAddress(2)}&status=open`],
      [/^\+5.00%−1 holders$/, `/operate/devnet/${anAddress(2)}`],
      [/^11 setting$/, `/operate/devnet/${anAddress(2)}/audit?view=log&from=2025-12-31`],
    ] as const)
      expect(
        (await row.findByRole('link', { name: (_, element) => text.test(element.textContent ?? '') })).getAttribute(
          'href',
        ),
      ).toBe(href);
    expect(row.getByRole('img').getAttribute('aria-label')).toBe('Price after fees over 30 days: +1.00%');
  });

  test('behavior: the menu of a row leads to the form of what the reader may do, and who only reads has none', async () => {
    const roles = ['primary_manager', 'secondary_manager', 'view_only'] as const;
    const { where } = await open(roles.map((my_role, n) => aVault(n + 1, { my_role })));
    await names();
    const user = userEvent.setup();
    const items = async (name: string) => {
      await user.click(screen.getByRole('button', { name: `Actions on ${name}` }));
      // Each with its keys, which are no part of its name.
      return (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent?.replace(/d \w$/, ''));
    };
    expect(await items('Vault 2')).not.toContain('Add a manager');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    expect(await items('Vault 1')).toContain('Add a manager');
    expect(screen.queryByRole('button', { name: 'Actions on Vault 3', hidden: true })).toBeNull();
    await user.click(screen.getByRole('menuitem', { name: 'Propose a fee' }));
    await waitFor(() => expect(where.pathname).toBe(`/operate/devnet/${anAddress(1)}/settings`));
    expect(where.hash).toBe('#propose-fees');
  });

  test('behavior: the keys that the menu of a row names do it on the row that has the focus', async () => {
    const { where } = await open([aVault(1), aVault(2)], {}, '/operate', <Shortcuts />);
    await names();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Actions on Vault 1' }));
    const item = await screen.findByRole('menuitem', { name: 'Top up the upkeep' });
    expect(document.getElementById(item.getAttribute('aria-describedby') ?? '')?.textContent).toBe('d u');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Actions on Vault 1'));
    await user.keyboard('du');
    await waitFor(() =>
      expect([where.pathname, where.hash]).toEqual([`/operate/devnet/${anAddress(1)}/settings`, '#deposit-upkeep']),
    );
  });

  test.each([
    [1280, ['Top 3 paid now', 'Price, 30 days'], ['Since yesterday', 'Changes, 1 day']],
    [1440, ['Price, 30 days', 'Since yesterday', 'Changes, 1 day'], []],
    [390, ['Value', 'Price age', 'Alerts'], ['APY, 7 days']],
  ])('behavior: a screen of %i px has room for its columns, and the menu of a row on each', async (px, some, none) => {
    const before = window.matchMedia;
    window.matchMedia = ((query: string) => ({
      matches: px >= 16 * Number(/min-width: (\d+)rem/.exec(query)?.[1]),
    })) as unknown as typeof before;
    await open([aVault(1)]);
    await names();
    await userEvent.click(screen.getByRole('button', { name: 'Columns' }));
    window.matchMedia = before;
    const isTicked = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name }).checked;
    expect([some.map(isTicked), none.map(isTicked)]).toEqual([some.map(() => true), none.map(() => false)]);
    const cell = screen.getByRole('button', { name: 'Actions on Vault 1' }).closest('td');
    expect(cell?.className).not.toContain('hidden');
  });

  test('behavior: a read is of fifty vaults, and so is a page', async () => {
    const asked: number[] = [];
    const vaults = Array.from({ length: 120 }, (_, n) => aVault(n + 1, { vault_address: anAddress(0x1000 + n) }));
    const { where } = await open(vaults, {
      analyticsSummaries: (input: { query: { vaults: string } }) => {
        asked.push(input.query.vaults.split(',').length);
        return summaries()(input);
      },
    });
    expect((await names()).length).toBe(50);
    expect(asked).toEqual([50, 50, 20]);
    await userEvent.click(screen.getByRole('button', { name: 'Next' }));
    expect((await names())[0]).toBe('Vault 70');
    expect(where.search).toBe('?page=2');
  });

  test('behavior: a search, a narrowing and a sort stand in the address, and are kept as a view', async () => {
    const { where } = await open([aVault(1), aVault(2, { operational_state: 'paused' }), aVault(3)]);
    const user = userEvent.setup();
    await names();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Show' }), 'Not live');
    expect(await names()).toEqual(['Vault 2']);
    await user.click(screen.getByRole('button', { name: 'Save view' }));
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Stopped');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.selectOptions(await screen.findByRole('combobox', { name: 'View' }), 'Usual view');
    expect([(await names()).length, where.search]).toEqual([3, '']);
    await user.selectOptions(screen.getByRole('combobox', { name: 'View' }), 'Stopped');
    expect([await names(), where.search]).toEqual([['Vault 2'], '?show=state']);
    await user.click(screen.getByRole('button', { name: 'Delete the view Stopped' }));
    expect(stored()).toEqual([{ name: 'Stopped', search: 'show=state' }]);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Keep it' }));
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Delete the view Stopped' }));
    await user.keyboard('{Enter}');
    await user.click(screen.getByRole('button', { name: 'Delete the view Stopped for good' }));
    expect(stored()).toEqual([]);
    expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'View' }));
  });

  test('behavior: what is changed of an open view is kept under its name by one press', async () => {
    localStorage.setItem(viewsKey(), JSON.stringify([{ name: 'Stopped', search: 'show=state' }]));
    await open([aVault(1), aVault(2)], {}, '/?show=state');
    const user = userEvent.setup();
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Show' }), 'With proposals');
    expect(screen.getByRole('combobox', { name: 'View' }).textContent).toContain('Stopped, changed');
    await user.click(screen.getByRole('button', { name: 'Update the view Stopped' }));
    expect(stored()).toEqual([{ name: 'Stopped', search: 'show=proposals' }]);
    expect(screen.queryByRole('button', { name: /^Update the view/ })).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'View' }));
  });

  test('behavior: views are of one wallet; the first that comes takes over those that all shared', async () => {
    const views = JSON.stringify([{ name: 'Stopped', search: 'show=state' }]);
    localStorage.setItem(viewsKey(anAddress(0x11)), views);
    const { unmount } = await open([aVault(1)]);
    expect((await screen.findByRole('combobox', { name: 'View' })).textContent).toBe('Usual view');
    unmount();
    localStorage.setItem('castellan_desk_views', views);
    await open([aVault(1)]);
    expect((await screen.findByRole('combobox', { name: 'View' })).textContent).toContain('Stopped');
    expect([localStorage.getItem('castellan_desk_views'), stored()]).toEqual([null, JSON.parse(views)]);
  });

  test('behavior: by upkeep the one that is below the cost of a price comes first, one without upkeep last', async () => {
    const upkeep = { ...aPublicVault().upkeep_info, runway_seconds: 100 };
    const short = { ...upkeep, runway_seconds: null, threshold: { required_balance: '2', shortfall: '1' } };
    const vaults = [
      aVault(1, { upkeep_info: { ...upkeep, enabled: false } }),
      aVault(2, { upkeep_info: upkeep }),
      aVault(3, { upkeep_info: short }),
    ];
    await open(vaults, {}, '/?sort=runway');
    expect(await names()).toEqual(['Vault 3', 'Vault 2', 'Vault 1']);
  });

  test('behavior: by its changes the vault with the most comes first, and a viewer gets the timeline as their proof', async () => {
    const day = { tvl_change: 0, tvl_change_usd: 0, holders: 0, role_changes: 0, setting_changes: 0 };
    const analyticsSummaries = summaries((address) => {
      if (address === anAddress(1)) return { day: { ...day, setting_changes: 3 } };
      return { day: { ...day, role_changes: address === anAddress(2) ? 1 : 0 } };
    });
    const vaults = [aVault(1, { my_role: 'view_only' }), aVault(2), aVault(3)];
    await open(vaults, { analyticsSummaries }, '/?sort=-changes');
    await waitFor(async () => expect(await names()).toEqual(['Vault 1', 'Vault 2', 'Vault 3']));
    const link = (await rowOf('Vault 1')).getByRole('link', {
      name: (_, element) => element.textContent === '33 settings',
    });
    expect(link.getAttribute('href')).toBe(`/operate/devnet/${anAddress(1)}/audit`);
  });

  test('behavior: the file has the chosen rows, all that are found without a choice', async () => {
    await open([aVault(1), aVault(2), aVault(3)], {}, '/?q=vault');
    await names();
    expect(screen.getByRole('button', { name: 'Export 3 found vaults as CSV' })).toBeTruthy();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Choose Vault 2' }));
    expect(screen.getByRole('button', { name: 'Export 1 chosen vault as JSON' })).toBeTruthy();
  });

  test('behavior: what was not read is null in the file, and so is what has no value', () => {
    const vault = aVault(1, { tvl_usd: null });
    const row = { id: 'x', vault, slug: 'devnet', chainName: 'Devnet', isPromiseBroken: null };
    expect(recordOf({ ...row, summary: 'failed', alerts: 'failed' })).toMatchObject({
      tvl_usd: null,
      pending_redemptions: null,
      alerts_critical: null,
      promise_broken: null,
      priced_at: '2026-01-01T00:00:00Z',
    });
  });

  test.each([
    [true, 'yes'],
    [false, 'no'],
    [null, null],
  ])('behavior: a promise of which %s is known is %s in the file', (isPromiseBroken, promise_broken) => {
    const alerts = { critical: 0, warning: 0, info: 0 };
    const row = { id: 'x', vault: aVault(1), slug: 'devnet', chainName: 'Devnet', summary: 'failed', alerts } as const;
    expect(recordOf({ ...row, isPromiseBroken })).toMatchObject({ promise_broken });
  });

  test('behavior: a broken promise stays marked once somebody acknowledged its alert', async () => {
    const by_status = { active: 0, acknowledged: 600 };
    const breach = anAlert({ vault_address: anAddress(2), rule_id: 'mandate_breached', status: 'acknowledged' });
    const listAlerts = jest.fn(async ({ query }: { query: { status: string; limit: string; rule_id?: string } }) =>
      query.status === 'open'
        ? { alerts: [breach], counts: { by_status, by_vault: [] }, has_more: true }
        : { alerts: [], counts: { by_status, by_vault: [] }, has_more: false },
    );
    await open([aVault(1), aVault(2)], { listAlerts });
    const row = await rowOf('Vault 2');
    expect(await row.findByText('promise broken')).toBeTruthy();
    expect(listAlerts).toHaveBeenCalledWith({
      query: { status: 'open', rule_id: 'mandate_breached', limit: '500' },
    });
  });

  test.each([
    ['alone', 0, '1 acknowledged'],
    ['beside an active one', 1, '11 acknowledged'],
  ])(
    'behavior: what is acknowledged and still holds is shown %s, and its vault is not hidden',
    async (_, info, text) => {
      const counts = {
        by_status: { active: info, acknowledged: 1 },
        by_vault: [{ chain_id: 31337, vault_address: anAddress(2), critical: 0, warning: 0, info, acknowledged: 1 }],
      };
      const alerts = Array.from({ length: info }, () => anAlert({ vault_address: anAddress(2), severity: 'info' }));
      await open([aVault(1), aVault(2)], { listAlerts: async () => ({ alerts, counts }) }, '/?show=alerts');
      await waitFor(async () => expect(await names()).toEqual(['Vault 2']));
      const row = await rowOf('Vault 2');
      const link = row.getByRole('link', { name: (_name, element) => element.textContent === text });
      expect(link.getAttribute('href')).toBe(`/operate/alerts?vault=31337:${anAddress(2)}&status=open`);
    },
  );

  test('behavior: where the active alerts are all open ones, nothing more is asked for', async () => {
    const counts = {
      by_status: { active: 1, acknowledged: 0 },
      by_vault: [{ chain_id: 31337, vault_address: anAddress(2), critical: 1, warning: 0, info: 0 }],
    };
    const alerts = [anAlert({ vault_address: anAddress(2), rule_id: 'mandate_breached' })];
    const asked = new Set<string>();
    const listAlerts = async ({ query }: { query: { status: string } }) => {
      asked.add(query.status);
      return { alerts, counts };
    };
    await open([aVault(1), aVault(2)], { listAlerts });
    expect(await (await rowOf('Vault 2')).findByText(/promise broken/)).toBeTruthy();
    expect([...asked]).toEqual(['active']);
  });

  test('error: a vault whose figures cannot be read says so, shows no 0 and is not hidden by a narrowing', async () => {
    await open([aVault(1), aVault(2)], { analyticsSummaries: summaries(() => ({}), [anAddress(2)]) }, '/?show=queue');
    expect(await screen.findByText('Figures of 1 vault could not be read')).toBeTruthy();
    expect(await names()).toEqual(['Vault 2']);
    expect((await rowOf('Vault 2')).getAllByText('not read')).toHaveLength(5);
  });

  test.each([
    ['liquidity', { upkeep_info: aPublicVault().upkeep_info }],
    ['upkeep', { upkeep_info: { ...aPublicVault().upkeep_info, runway_seconds: 30 * 86_400 } }],
  ])('error: a vault whose %s is not known is not hidden by that narrowing', async (show, known) => {
    const run = { demand: '1000000', paid_now: null, shortfall: null };
    const analyticsSummaries = summaries((address) => (address === anAddress(2) ? { run } : {}));
    await open([aVault(1, known), aVault(2)], { analyticsSummaries }, `/?show=${show}`);
    await waitFor(async () => expect(await names()).toEqual(['Vault 2']));
  });

  test('error: an amount whose decimals were not read is not shown in base units', async () => {
    const { underlying_asset_decimals: _decimals, ...vault } = aVault(1, { total_assets: '1000000' });
    await open([vault]);
    const row = await rowOf('Vault 1');
    expect(row.queryByText(/1,000,000/)).toBeNull();
    expect(row.getByTitle('$100.00').nextElementSibling?.textContent).toBe(NONE);
  });

  test('error: figures that are not updated any more stand, and say since when', async () => {
    let isAway = false;
    const analyticsSummaries = async (input: { query: { vaults: string } }) => {
      if (isAway) throw Object.assign(new Error('x'), { status: 503, detail: 'away' });
      return summaries()(input);
    };
    const { queries } = await open([aVault(1)], { analyticsSummaries });
    const row = await rowOf('Vault 1');
    await row.findByRole('img');
    isAway = true;
    await queries.refetchQueries({ queryKey: ['summaries'] });
    expect(await screen.findByText(/^Liquidity, redemptions and changes of a day/)).toBeTruthy();
    expect(row.queryByText('not read')).toBeNull();
  });

  test('error: alerts that cannot be read are not called none', async () => {
    const listAlerts = async () => {
      throw Object.assign(new Error('x'), { status: 503, detail: 'away' });
    };
    await open([aVault(1)], { listAlerts });
    const row = await rowOf('Vault 1');
    await waitFor(() => expect(row.getByText('not read')).toBeTruthy());
  });

  test('behavior: without a role on any vault the page says how one comes', async () => {
    await open([]);
    expect(await screen.findByText('No role on any vault')).toBeTruthy();
  });
});
