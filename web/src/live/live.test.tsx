import '../../test/browser.ts';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import { anOverview } from '../../test/analytics.ts';
import { anAddress, aPublicVault, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aSettings } from '../../test/operate.ts';
import { anUpdate, aStream } from '../../test/stream.ts';
import { aPricing } from '../../test/validators.ts';
import { anAlert } from '../alerts/alerts.fixture.tsx';
import { useApp } from '../client/services.ts';
import { HEAL_MS, keys, mandateStatusQuery, myVaultsQuery, POLL_MS, usersQuery, vaultQuery } from '../data/queries.ts';
import { useAnalytics } from '../data/use-analytics.ts';
import { LiveModeContext, usePollMs, useVaultLive } from '../data/use-live.ts';
import { Announcer } from '../design/announce.tsx';
import AttentionBadge from '../home/attention-badge.tsx';
import { useViewer } from '../session/use-session.ts';
import { pricingQuery } from '../validators/network.ts';

const address = anAddress(1);

function Page() {
  const { api } = useApp();
  const live = useVaultLive('viewer', 31337, address);
  const vault = useQuery(vaultQuery(api, 'viewer', 31337, address));
  return (
    <p>
      {live.mode} {vault.data?.current_pps} {vault.data?.my_role} {vault.data?.managers.secondary[0]?.display_name}{' '}
      {vault.data?.managers.view_only_count}
    </p>
  );
}

const aTvl = () => ({
  as_of: '2026-01-01T00:00:00Z',
  interval_seconds: 60,
  quality: {},
  points: [1_000, 2_000].map((tvl_usd, index) => ({ t: `2025-12-31T2${index}:00:00Z`, tvl_usd, tvl_asset: '1' })),
});

/** The value of the vault as it is followed. */
function Values() {
  const { api } = useApp();
  const live = useVaultLive('viewer', 31337, address);
  useQuery(vaultQuery(api, 'viewer', 31337, address));
  const source = { vault: aVault({ vault_address: address }), live };
  const { data } = useAnalytics(source, 'analyticsTvl', { period: '30d' });
  useAnalytics(source, 'analyticsOverview');
  return <p>{`${data?.points.length} values, the last ${data?.points.at(-1)?.tvl_usd}`}</p>;
}

function People() {
  const { api } = useApp();
  const { data } = useInfiniteQuery(usersQuery(api, 'viewer', 31337, address));
  return <p>{data?.pages.length}</p>;
}

function Prices() {
  const { api } = useApp();
  const { data } = useQuery(pricingQuery(api, 31337, address));
  return <p>{`${data?.rounds.length} priced`}</p>;
}

function Promised() {
  const live = useVaultLive('viewer', 31337, address);
  return (
    <LiveModeContext value={live.mode}>
      <MandateState />
    </LiveModeContext>
  );
}

function MandateState() {
  const { api } = useApp();
  useQuery(vaultQuery(api, 'viewer', 31337, address));
  const { data } = useQuery(mandateStatusQuery(api, 'viewer', aVault({ vault_address: address }), usePollMs()));
  return <p>{data?.state}</p>;
}

function Settings() {
  const { api } = useApp();
  useVaultLive('viewer', 31337, address);
  useQuery(vaultQuery(api, 'viewer', 31337, address));
  const params = { chain_id: '31337', vault_address: address };
  useQuery({ queryKey: keys.settings('viewer', 31337, address), queryFn: () => api.vaultSettings({ params }) });
  return null;
}

/** A page of one vault, with what reads the own vaults as its switcher does. */
function OwnVaults() {
  const { api } = useApp();
  useQuery({ ...myVaultsQuery(api, useViewer()), refetchInterval: false });
  return <Page />;
}

const read = async () => aVault({ my_role: 'primary_manager', updated_at: '2026-01-01T00:00:00Z' });

afterEach(() => {
  jest.useRealTimers();
});

describe('live figures', () => {
  test('default: a push lands under the key the page reads, and the role of the own read stays; its price is announced', async () => {
    const detail = aVault({
      current_pps: '2000000',
      current_pps_display: '2.000000',
      updated_at: '2026-01-01T00:00:30Z',
    });
    const { followVault, follow } = aStream();
    const page = (
      <>
        <Page />
        <Announcer />
      </>
    );
    await renderPage(page, { api: fakeApi({ vault: read, followVault }) });
    await screen.findByText(/stream 1042317 primary_manager/);
    const { onEvent } = await follow;
    act(() => onEvent(anUpdate('pps', { detail })));
    await screen.findByText(/2000000 primary_manager/);
    await screen.findByText('Price updated: 2.000000 USDC');
  });

  test('behavior: a push keeps names and brings the number of viewers; it may be the reader, whose role is read again', async () => {
    const managers = { ...aVault().managers, view_only_count: 2 };
    const granted = aVault({ managers, updated_at: '2026-01-01T00:00:30Z' });
    const answers = [aVault({ my_role: null }), { ...granted, my_role: 'view_only' }];
    const { followVault, follow } = aStream();
    const vault = jest.fn(async () => answers.shift());
    await renderPage(<Page />, { api: fakeApi({ vault, followVault }) });
    await screen.findByText(/1042317 Mara 1$/);
    const { onEvent } = await follow;
    act(() => onEvent(anUpdate('vault', { detail: granted })));
    await screen.findByText(/1042317 view_only Mara 2$/);
    act(() => onEvent(anUpdate('vault', { detail: granted })));
    expect(vault).toHaveBeenCalledTimes(2);
  });

  test.each(['roles', 'reset'])('behavior: on %s the people and the vault are read again', async (kind) => {
    const vault = jest.fn(read);
    const users = jest.fn(async () => ({ users: [], total: 0, has_more: false, next_cursor: null }));
    const { followVault, follow } = aStream();
    await renderPage(
      <>
        <Page />
        <People />
      </>,
      { api: fakeApi({ vault, users, followVault }) },
    );
    await screen.findByText(/1042317/);
    const { onEvent, onReset } = await follow;
    act(() => (kind === 'roles' ? onEvent(anUpdate('roles')) : onReset?.()));
    await waitFor(() => expect([vault.mock.calls.length, users.mock.calls.length]).toEqual([2, 2]));
  });

  test.each(['transmission', 'reset'])('behavior: on %s it is read again who priced the vault', async (kind) => {
    const transmissions = jest.fn(async () => aPricing());
    const { followVault, follow } = aStream();
    await renderPage(
      <>
        <Page />
        <Prices />
      </>,
      { api: fakeApi({ vault: read, transmissions, followVault }) },
    );
    await screen.findByText('1 priced');
    const { onEvent, onReset } = await follow;
    act(() => (kind === 'reset' ? onReset?.() : onEvent(anUpdate('transmission'))));
    await waitFor(() => expect(transmissions).toHaveBeenCalledTimes(2));
  });

  const followed = async () => {
    jest.useFakeTimers();
    const analyticsTvl = jest.fn(async () => aTvl());
    const analyticsOverview = jest.fn(async () => anOverview());
    const { followVault, follow } = aStream();
    await renderPage(<Values />, { api: fakeApi({ vault: read, analyticsTvl, analyticsOverview, followVault }) });
    await act(() => jest.advanceTimersByTimeAsync(100));
    const { onEvent } = await follow;
    const push = (minute: number, parts: Parameters<typeof aVault>[0] = {}) => {
      const time = `2026-01-01T00:0${minute}:00Z`;
      act(() => onEvent(anUpdate('vault', { detail: aVault({ ...parts, chain_time: time, updated_at: time }) })));
    };
    const enter = () => act(() => onEvent(anUpdate('activity')));
    const pass = (seconds: number) => act(() => jest.advanceTimersByTimeAsync(seconds * 1_000));
    return { push, enter, pass, asked: () => [analyticsTvl.mock.calls.length, analyticsOverview.mock.calls.length] };
  };

  test('behavior: a pushed reading extends the values, and other figures are asked for when the books changed', async () => {
    const { push, pass, asked } = await followed();
    expect(screen.getByText('2 values, the last 2000')).toBeTruthy();
    push(5, { tvl_usd: 2_500 });
    await pass(60);
    expect(screen.getByText('3 values, the last 2500')).toBeTruthy();
    expect(asked()).toEqual([1, 1]);
    push(6, { tvl_usd: 2_500, total_supply: '7' });
    await pass(4);
    expect(asked()).toEqual([1, 2]);
  });

  test('behavior: a burst of readings asks for figures once, and activity without end every 15 s', async () => {
    const { push, enter, pass, asked } = await followed();
    push(1, { total_supply: '1' });
    push(2, { total_supply: '2' });
    await pass(4);
    expect(asked()).toEqual([1, 2]);
    enter();
    await pass(4);
    expect(asked()).toEqual([1, 2]);
    await pass(12);
    expect(asked()).toEqual([1, 3]);
  });

  test('behavior: while the stream is open the mandate is read when its figures may be others, and seldom besides', async () => {
    jest.useFakeTimers();
    const mandateStatus = jest.fn(async () => ({ state: 'held', promises: [] }));
    const { followVault, follow } = aStream();
    await renderPage(<Promised />, { api: fakeApi({ vault: read, mandateStatus, followVault }) });
    const pass = (seconds: number) => act(() => jest.advanceTimersByTimeAsync(seconds * 1_000));
    await pass(45);
    const { onEvent } = await follow;
    expect(mandateStatus).toHaveBeenCalledTimes(1);
    const time = '2026-01-01T00:05:00Z';
    act(() =>
      onEvent(anUpdate('vault', { detail: aVault({ total_supply: '7', chain_time: time, updated_at: time }) })),
    );
    await pass(4);
    expect(mandateStatus).toHaveBeenCalledTimes(2);
    act(() => onEvent(anUpdate('alert', { alert: anAlert({ rule_id: 'mandate_breached' }) })));
    await pass(1);
    expect(mandateStatus).toHaveBeenCalledTimes(3);
    await pass(61);
    expect(mandateStatus).toHaveBeenCalledTimes(4);
  });

  const proposed = { ...aVault().fee_config, effective_at: '2026-01-08T00:00:00Z' };
  const { upkeep_info } = aVault();
  test.each<[string, Parameters<typeof aVault>[0], number]>([
    ['proposed fees', { pending_fee_config: proposed }, 2],
    ['a withdrawal of upkeep', { withdrawal_status: { amount: '5', effective_at: '2026-01-08T00:00:00Z' } }, 2],
    ['paid upkeep', { upkeep_info: { ...upkeep_info, balance: '77' } }, 2],
    ['a vault out of upkeep', { activation: { ...aVault().activation, is_active: false } }, 2],
    ['the upkeep that lasts a second less', { upkeep_info: { ...upkeep_info, runway_seconds: 1 } }, 1],
  ])('behavior: the settings are read when a push shows others: %s', async (_what, parts, reads) => {
    jest.useFakeTimers();
    const vaultSettings = jest.fn(async () => aSettings());
    const { followVault, follow } = aStream();
    await renderPage(<Settings />, { api: fakeApi({ vault: read, vaultSettings, followVault }) });
    await act(() => jest.advanceTimersByTimeAsync(100));
    const { onEvent } = await follow;
    expect(vaultSettings).toHaveBeenCalledTimes(1);
    act(() => onEvent(anUpdate('vault', { detail: aVault({ ...parts, updated_at: '2026-01-01T00:05:00Z' }) })));
    await act(() => jest.advanceTimersByTimeAsync(1_000));
    expect(vaultSettings).toHaveBeenCalledTimes(reads);
  });

  test.each([
    [1, HEAL_MS],
    [2, POLL_MS],
  ])('behavior: of %i own vaults with one followed, the badge asks every %i ms', async (count, interval) => {
    const own = Array.from({ length: count }, (_, n) => ({ ...aPublicVault(), vault_address: anAddress(n + 1) }));
    const { followVault, follow } = aStream();
    const { queries } = await renderPage(
      <>
        <OwnVaults />
        <AttentionBadge />
      </>,
      {
        api: fakeApi({
          vault: read,
          followVault,
          myVaults: async () => ({ vaults: own, total: count }),
          listAlerts: async () => ({ alerts: [], counts: { by_status: { active: 0 } } }),
        }),
        address: anAddress(0x10),
      },
    );
    const intervals = () =>
      queries
        .getQueryCache()
        .findAll({ queryKey: ['alerts'] })
        .flatMap(({ observers }) => observers.map(({ options }) => options.refetchInterval));
    await screen.findByText(/stream 1042317/);
    await waitFor(() => expect(intervals()).toEqual([interval]));
    const { onInterrupted } = await follow;
    act(() => onInterrupted?.(new Error('gone')));
    await waitFor(() => expect(intervals()).toEqual([POLL_MS]));
  });

  test('behavior: while the stream is away the page polls', async () => {
    const { followVault, follow } = aStream();
    await renderPage(<Page />, { api: fakeApi({ vault: read, followVault }) });
    await screen.findByText(/stream 1042317/);
    const { onInterrupted } = await follow;
    act(() => onInterrupted?.(new Error('gone')));
    await screen.findByText(/poll 1042317/);
  });

  test('behavior: a stream refused for good leaves the page polling', async () => {
    const followVault = () => Promise.reject(new Error('no stream here'));
    await renderPage(<Page />, { api: fakeApi({ vault: read, followVault }) });
    await screen.findByText(/poll 1042317/);
  });
});
