import '../../../test/browser.ts';
import { formulasVersion } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Link } from 'react-router';
import { anOverview } from '../../../test/analytics.ts';
import { anAddress, aVault } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { refusal } from '../../../test/shown.ts';
import { PastStrip } from '../../period/past-strip.tsx';
import { Toolbar } from '../toolbar.tsx';
import type { Shown } from '../vault-gate.tsx';
import TimeMachine from './time-machine.tsx';

const vault = aVault({ created_at: '2025-11-20T00:00:00.000Z', chain_time: '2026-01-01T12:00:00.000Z' });
const shown = { vault, live: { mode: 'stream' } } as Shown;
const tx_hash = `0x${'ab'.repeat(32)}`;
const events = [
  { t: '2025-12-10T08:00:00.000Z', kind: 'deposit', event: 'Deposit', block: 10, tx_hash },
  { t: '2025-12-24T18:00:00.000Z', kind: 'setting', event: 'VaultFeeConfigUpdated', block: 20, tx_hash },
];
type Query = { at?: string; from?: string; to?: string; v?: string };
const answer = { chain_id: 31337, vault_address: vault.vault_address, block_number: 1, quality: {} };
const aState = (at: string, performance_fee_bps: number, observed: object | null) => ({
  ...answer,
  as_of: at,
  observed,
  is_paused: false,
  settings: {
    performance_fee_bps,
    entry_fee_bps: 0,
    fee_recipient: anAddress(5),
    min_update_interval_seconds: 60,
    max_staleness_seconds: 3_600,
    expiration_seconds: 86_400,
    deviation_threshold_bps: null,
    hooks_root: null,
  },
  roles: { primary_manager: anAddress(6), secondary_managers: [] },
});

const marks = jest.fn(async ({ query: { from = vault.created_at, to = vault.chain_time } }: { query: Query }) => ({
  ...answer,
  as_of: to,
  from,
  to,
  period: null,
  interval_seconds: 0,
  total: events.length,
  marks: events.filter(({ t }) => t > from && t <= to),
}));
const ledger = (breaches: object[]) => ({
  breaches,
  total: breaches.length,
  has_more: false,
  next_cursor: null as string | null,
});
const answers = {
  analyticsMarks: marks,
  mandateBreaches: async () => ledger([]),
  analyticsOverview: async ({ query: { at } }: { query: Query }) =>
    anOverview(at === undefined ? {} : { as_of: at, tvl_usd: 10_000_000 }),
  analyticsState: async ({ query: { at, v } }: { query: Query }) => {
    if (at === undefined) return aState(vault.chain_time, 1_000, { t: vault.chain_time, block: 9 });
    expect(v).toBe(formulasVersion);
    return aState(at, 500, null);
  },
  analyticsPps: () => Promise.reject(new TypeError('Failed to fetch')),
  analyticsRisk: () => Promise.reject(new TypeError('Failed to fetch')),
  analyticsAllocation: async () => ({ ...answer, sources: [], points: [] }),
  analyticsOperations: async ({ query: { at } }: { query: Query }) => ({
    ...answer,
    upkeep: {
      balance: at === undefined ? '100000000000000000000' : '125000000000000000000',
      runway_seconds: at === undefined ? null : 172_800,
    },
  }),
  mandate: async () => ({
    in_force: { version: 2, document: { title: 'Careful' }, in_force_from: '2025-12-26T00:00:00.000Z' },
    draft: null,
  }),
};
const api = fakeApi(answers);
const page = (
  <>
    <PastStrip />
    <TimeMachine shown={shown} />
  </>
);
const open = (query: string, over = api) => renderPage(page, { api: over, path: '/v', url: `/v${query}` });

describe('the time machine', () => {
  test('default: a day of the calendar says what happened; keys lead to it, and one press back to now', async () => {
    const user = userEvent.setup();
    const { where } = await open('?at=2025-12-24T12:00:00Z&unit=token');
    const day = await screen.findByRole('button', { name: 'Wednesday, 24 December 2025: 1 setting' });
    expect(day.getAttribute('aria-pressed')).toBe('true');
    day.focus();
    await user.keyboard('{ArrowUp}{ArrowUp}{ArrowRight}{Enter}');
    expect(new URLSearchParams(where.search).get('at')).toBe('2025-12-11T23:59:59.000Z');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Thursday, 11 December 2025');
    expect(screen.getByText('Nothing that is marked here happened on this day.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Event after' }));
    expect(new URLSearchParams(where.search).get('at')).toBe(events[1]?.t);
    await user.click(screen.getByRole('button', { name: /Back to now/ }));
    expect(where.search).toBe('?unit=token');
  });

  test('behavior: the slider goes by hours and days, says where it is, and its end is the present', async () => {
    const { where } = await open('');
    const slider = await screen.findByRole('slider');
    expect(slider.getAttribute('aria-valuetext')).toBe('Now');
    fireEvent.keyDown(slider, { key: 'PageDown' });
    expect(slider.getAttribute('aria-valuetext')).toBe('31 Dec 2025, 12:00 UTC');
    await waitFor(() => expect(new URLSearchParams(where.search).get('at')).toBe('2025-12-31T12:00:00.000Z'));
    fireEvent.change(slider, { target: { value: slider.getAttribute('max') } });
    await waitFor(() => expect(where.search).toBe(''));
  });

  test('behavior: who is led to the time machine or to its comparison is at what chooses the moment, again too', async () => {
    const user = userEvent.setup();
    await renderPage(
      <>
        <Link to="#time-machine">Moment</Link>
        <Link to="#compare-moment">Comparison</Link>
        <Toolbar shown={shown} />
      </>,
      { api, path: '/v' },
    );
    expect(screen.queryByRole('heading', { name: 'Time machine' })).toBeNull();
    await user.click(screen.getByRole('link', { name: 'Moment' }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('slider')));
    await user.click(screen.getByRole('button', { name: 'Time machine' }));
    expect(screen.queryByRole('slider')).toBeNull();
    await user.click(screen.getByRole('link', { name: 'Comparison' }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Compare with (UTC)')));
  });

  test('behavior: who is led to a comparison that stands is at what it compares with', async () => {
    await open('?at=2025-12-24T18:00:00Z&vs=now#compare-moment');
    const standing = await screen.findByText('Compared with now.');
    await waitFor(() => expect(document.activeElement).toBe(standing.parentElement));
  });

  test('behavior: two moments side by side show what differs, what could not be read, and that nothing was observed', async () => {
    await open('?at=2025-12-24T18:00:00Z&vs=now');
    const settings = await screen.findByRole('table', { name: 'Settings at both moments' });
    expect(settings.textContent).toContain('Performance fee10.00%5.00%−5.00\u00a0pp');
    expect(settings.textContent).toContain('MandateVersion 2, CarefulAn earlier version, or none');
    const figures = screen.getByRole('table', { name: 'Figures at both moments' });
    expect(figures.textContent).toMatch(/Upkeep balance100 UP125 UP\+25.00%Upkeep lasts—2 days/);
    expect(settings.textContent).not.toContain('Entry fee');
    expect(screen.getByRole('table', { name: 'Figures at both moments' }).textContent).toContain('Total value');
    expect(screen.getByText(/^24 Dec 2025, 18:00 UTC: Nothing had been observed yet/)).toBeTruthy();
    expect((await screen.findByRole('alert')).textContent).toContain('A part of this comparison could not be read');
    await userEvent.click(screen.getByRole('switch', { name: 'Also what is the same' }));
    expect(settings.textContent).toContain('Entry fee');
  });

  test('behavior: a day or an event of the calendar is what the next moment is compared with', async () => {
    const { where } = await open('?at=2025-12-24T12:00:00Z');
    const part = (name: string) => new URLSearchParams(where.search).get(name);
    await userEvent.click(await screen.findByRole('button', { name: 'Compare with 18:00, Vault fee config updated' }));
    expect([part('at'), part('vs')]).toEqual(['2025-12-24T12:00:00Z', events[1]?.t]);
    expect(screen.getByRole('heading', { name: /^What differs between 24 Dec .* 18:00 UTC and/ })).toBeTruthy();
    const day = screen.getByRole('button', { name: 'Compare with this day' });
    await userEvent.click(day);
    expect(part('vs')).toBe('2025-12-24T23:59:59.000Z');
    expect(day.getAttribute('aria-pressed')).toBe('true');
    await userEvent.click(screen.getByRole('button', { name: /^Wednesday, 24 December/ }));
    // The moment that is kept and the one that is shown are the same until another is chosen.
    expect(screen.getByText(/^24 Dec 2025, 23:59 UTC is kept/)).toBeTruthy();
    expect(screen.queryByRole('heading', { name: /^What differs between/ })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: /^Wednesday, 10 December/ }));
    expect(screen.getByRole('heading', { name: /^What differs between 24 Dec .* and 10 Dec/ })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'End the comparison' }));
    expect(part('vs')).toBeNull();
  });

  test('error: broken promises that could not be read are said to be missing; where there is no mandate none is', async () => {
    const without = (status: number) =>
      fakeApi({
        ...answers,
        mandateBreaches: async () => {
          throw refusal('NO', status);
        },
      });
    await open('', without(500));
    expect(await screen.findByText('Broken promises could not be read')).toBeTruthy();
    cleanup();
    await open('', without(404));
    await screen.findByRole('list', { name: 'Rows of marks, from above' });
    expect(screen.queryByText('Broken promises could not be read')).toBeNull();
  });

  test('behavior: a day with more kinds than it has room for keeps the broken promise, and says that there are more', async () => {
    const t = '2025-12-24T18:00:00.000Z';
    const kinds = ['deposit', 'redemption', 'guard', 'pause', 'fee', 'setting', 'role'];
    const over = fakeApi({
      ...answers,
      analyticsMarks: async (input: { query: Query }) => ({
        ...(await marks(input)),
        marks: kinds.map((kind) => ({ t, kind, event: kind, block: 20, tx_hash })),
      }),
      mandateBreaches: async () => ledger([{ promise_id: 'cap', started: { time: t } }]),
    });
    await open(`?at=${t}`, over);
    const day = await screen.findByRole('button', { name: /^Wednesday, 24 December 2025: 1 breach, 1 pause/ });
    const drawn = [...day.querySelectorAll('[data-kind]')].map((dot) => dot.getAttribute('data-kind'));
    expect(drawn).toEqual(['breach', 'pause', 'guard', 'role', 'more']);
  });

  test('behavior: a month with too many events says that the calendar has not all of them', async () => {
    const over = fakeApi({
      ...answers,
      analyticsMarks: async (input: { query: Query }) => ({
        ...(await marks(input)),
        interval_seconds: 10_800,
        total: 2_431,
      }),
    });
    await open('?at=2025-12-24T18:00:00Z', over);
    expect(await screen.findByText(/^This month has 2,431 events.* the last of each kind in every 3 h/)).toBeTruthy();
    expect(
      screen.getByText(/^The line has .* every 3 h; the calendar has more of them, month by month\.$/),
    ).toBeTruthy();
  });

  test('behavior: broken promises are read page by page, and the oldest of very many are said to be missing', async () => {
    const lastPage = jest.fn<(cursor: string | undefined) => string | null>(() => null);
    const over = fakeApi({
      ...answers,
      mandateBreaches: async ({ query: { cursor } }: { query: { cursor?: string } }) => {
        const of = [{ promise_id: cursor ?? 'newest', started: { time: '2025-12-24T18:00:00.000Z' } }];
        return { ...ledger(of), total: 10, next_cursor: cursor === undefined ? 'next' : lastPage(cursor) };
      },
    });
    await open('?at=2025-12-24T18:00:00Z', over);
    expect(await screen.findByText('Promise “next” broken')).toBeTruthy();
    expect(screen.queryByText(/^Only the latest broken promises/)).toBeNull();
    cleanup();
    lastPage.mockImplementation(() => 'next');
    await open('', over);
    expect(await screen.findByText(/the oldest 6 of the mandate are not\.$/)).toBeTruthy();
  });

  test('error: a moment to compare with that the vault has no state at', async () => {
    const { where } = await open('');
    const field = await screen.findByLabelText('Compare with (UTC)');
    const compare = screen.getByRole<HTMLButtonElement>('button', { name: 'Compare' });
    fireEvent.change(field, { target: { value: '2024-01-01T00:00' } });
    expect(screen.getByText(/^The vault was created on 20 Nov 2025/)).toBeTruthy();
    expect(compare.disabled).toBe(true);
    fireEvent.change(field, { target: { value: '2027-01-01T00:00' } });
    expect(screen.getByText('This is still to come: choose an earlier time.')).toBeTruthy();
    fireEvent.change(field, { target: { value: '2025-12-01T00:00' } });
    await userEvent.click(compare);
    expect(new URLSearchParams(where.search).get('vs')).toBe('2025-12-01T00:00:00.000Z');
  });

  test('error: a second moment that is no time is said', async () => {
    await open('?vs=yesterday');
    expect(await screen.findByText('This link names no second moment that can be read')).toBeTruthy();
  });
});
