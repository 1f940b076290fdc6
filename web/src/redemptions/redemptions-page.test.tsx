import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, type aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aRedemption, someRedemptions } from '../../test/lists.ts';
import { changeOf } from '../../test/prepared.ts';
import { aShown, refusal } from '../../test/shown.ts';
import type { Api } from '../client/api.ts';
import { RedemptionsPage } from './redemptions-page.tsx';

const ada = anAddress(0x31);
const bob = anAddress(0x32);
const cleo = anAddress(0x33);
/** Of 5,000 idle: two that are paid, one that wants its shares back, one that is blocked, and one that is too large beside them. */
const queue = [
  aRedemption(1, { wallet_address: bob }),
  aRedemption(2, { wallet_address: ada }),
  aRedemption(3, { wallet_address: cleo, state: 'cancelling', from_idle: null, missing: null, expected_at: null }),
  aRedemption(4, { state: 'blocked', from_idle: null, missing: null, expected_at: null }),
  aRedemption(5, { state: 'needs_withdrawal', assets: '4000000000', from_idle: '3000000000', missing: '0' }),
  aRedemption(6, { state: 'short', assets: '5000000001' }),
];

type Options = { vault?: Parameters<typeof aVault>[0]; api?: Partial<Record<keyof Api, unknown>>; url?: string };
const open = ({ vault = {}, api = {}, url = '/' }: Options = {}) =>
  renderPage(<RedemptionsPage shown={aShown({ my_role: 'secondary_manager', ...vault })} />, {
    api: fakeApi({ analyticsRedemptions: async () => someRedemptions(queue), ...api }),
    address: anAddress(0x11),
    url,
  });
const box = (wallet: string) => screen.getByRole<HTMLInputElement>('checkbox', { name: `Choose ${wallet}` });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

describe('the queue', () => {
  test('default: who waits, since when, how much, paid from what', async () => {
    const parts = [{ source_address: anAddress(0x40), assets: '600000000' }];
    const row = aRedemption(1, { state: 'needs_withdrawal', from_idle: '400000000', from_sources: parts });
    await open({ api: { analyticsRedemptions: async () => someRedemptions([row]) } });
    const [, shown] = within(await screen.findByRole('table', { name: 'Redemption queue' })).getAllByRole('row');
    expect(shown?.textContent).toMatch(/1 d ago.*1,000 USDC.*Needs a withdrawal400 USDC idle600 USDC from/);
    expect(shown?.textContent).toMatch(/1 h overdue/);
  });

  test('behavior: on a phone the wallet says when and in which place it is paid, as those columns are gone', async () => {
    await open();
    const table = await screen.findByRole('table', { name: 'Redemption queue' });
    const lines = within(table).getAllByText(/^Expected:/);
    expect(lines.slice(0, 3).map(({ textContent }) => textContent)).toEqual([
      'Expected: 1 h overdue, place 1',
      'Expected: 1 h overdue, place 2',
      'Expected: not known, place 3',
    ]);
    expect(lines[0]?.className).toContain('md:hidden');
  });

  test('error: a queue that is not read any more says since when it stands', async () => {
    let isGone = false;
    const analyticsRedemptions = async () => {
      if (isGone) throw refusal('INTERNAL', 500);
      return someRedemptions(queue);
    };
    const { queries } = await open({ api: { analyticsRedemptions } });
    await screen.findByRole('table', { name: 'Redemption queue' });
    isGone = true;
    await act(() => queries.invalidateQueries());
    expect(await screen.findByText(/^The redemption queue: last read/)).toBeTruthy();
    expect(screen.getByRole('table', { name: 'Redemption queue' })).toBeTruthy();
  });

  test('default: nobody waits', async () => {
    await open({ api: { analyticsRedemptions: async () => someRedemptions([]) } });
    expect(await screen.findByText('Requests to redeem appear here until they are paid or given back.')).toBeTruthy();
  });

  test.each<[string, Options]>([
    ['a viewer', { vault: { my_role: 'view_only' } }],
    ['anybody of an earlier time', { url: '/?at=2026-01-30T00:00:00Z' }],
  ])('behavior: %s chooses nothing', async (_who, options) => {
    await open(options);
    await screen.findByRole('table', { name: 'Redemption queue' });
    expect(screen.queryByRole('checkbox')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Fulfil chosen' })).toBeNull();
  });
});

describe('paying', () => {
  test('behavior: all that are payable in one call; the others cannot be chosen for it', async () => {
    const prepareFulfilRedemptions = jest.fn(async (_: unknown) => changeOf('fulfil_redemptions')[1][0]);
    await open({ api: { prepareFulfilRedemptions } });
    await screen.findByRole('table', { name: 'Redemption queue' });
    expect([box(bob).disabled, box(cleo).disabled, box(anAddress(0x54)).disabled]).toEqual([false, false, true]);
    expect(button('Fulfil chosen').disabled).toBe(true);
    await userEvent.click(button('Choose all that can be paid (2)'));
    expect([box(bob).checked, box(ada).checked, box(cleo).checked]).toEqual([true, true, false]);
    expect(screen.getByText('2 chosen, about 2,000 USDC')).toBeTruthy();
    await userEvent.click(button('Fulfil chosen'));
    expect(await screen.findByText(/^Pays .* to 2 wallets that wait for a redemption\.$/)).toBeTruthy();
    expect(prepareFulfilRedemptions.mock.calls[0]?.[0]).toEqual({
      body: { vault_address: anAddress(1), chain_id: 31337, controllers: [bob, ada] },
    });
  });

  test('behavior: who cannot be chosen has the reason with it; what is idle may not be known', async () => {
    await open();
    await screen.findByRole('table', { name: 'Redemption queue' });
    expect([box(anAddress(0x54)).title, box(anAddress(0x56)).title, box(bob).title]).toEqual([
      'The price is below what its wallet accepts',
      'Idle assets do not reach it',
      '',
    ]);
    cleanup();
    const unread = { ...someRedemptions([aRedemption(1, { state: 'unknown' })]), idle_assets: null };
    await open({ api: { analyticsRedemptions: async () => unread } });
    await screen.findByRole('table', { name: 'Redemption queue' });
    expect(box(anAddress(0x51)).title).toBe('It is not known yet what is idle');
  });

  test('behavior: only those that are shown are chosen at once while there are more', async () => {
    const more = { ...someRedemptions(queue), total: 40, has_more: true, next_cursor: 'next' };
    await open({ api: { analyticsRedemptions: async () => more } });
    await screen.findByRole('table', { name: 'Redemption queue' });
    expect(button('Choose all shown here that can be paid (2)')).toBeTruthy();
  });

  test('behavior: one behind the others may be paid first, as far as idle assets reach', async () => {
    await open();
    await screen.findByRole('table', { name: 'Redemption queue' });
    expect([box(anAddress(0x55)).disabled, box(anAddress(0x56)).disabled]).toEqual([false, true]);
    await userEvent.click(box(anAddress(0x55)));
    await userEvent.click(box(bob));
    expect(button('Fulfil chosen').disabled).toBe(false);
    await userEvent.click(box(ada));
    expect(screen.getByText('3 chosen, about 6,000 USDC; 5,000 USDC are idle')).toBeTruthy();
    expect(button('Fulfil chosen').disabled).toBe(true);
  });

  test('behavior: one that was chosen and is blocked since is left out, and can be taken out', async () => {
    const prepareFulfilRedemptions = jest.fn(async (_: unknown) => changeOf('fulfil_redemptions')[1][0]);
    let now = queue;
    const { queries } = await open({
      api: { prepareFulfilRedemptions, analyticsRedemptions: async () => someRedemptions(now) },
    });
    await screen.findByRole('table', { name: 'Redemption queue' });
    await userEvent.click(box(bob));
    await userEvent.click(box(ada));
    now = queue.map((row) => (row.wallet_address === ada ? { ...row, state: 'blocked' as const } : row));
    await act(() => queries.invalidateQueries());
    const words = '2 chosen, about 1,000 USDC; 1 cannot be paid now and is left out';
    expect(await screen.findByText(words)).toBeTruthy();
    await userEvent.click(button('Fulfil chosen'));
    await waitFor(() =>
      expect(prepareFulfilRedemptions.mock.calls).toMatchObject([[{ body: { controllers: [bob] } }]]),
    );
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await userEvent.click(box(ada));
    expect([box(ada).checked, box(ada).disabled]).toEqual([false, true]);
  });

  test('behavior: cancelled requests are given back by a call of their own', async () => {
    const prepareFulfilCancellations = jest.fn(async (_: unknown) => changeOf('fulfil_cancellations')[1][0]);
    await open({ api: { prepareFulfilCancellations } });
    await screen.findByRole('table', { name: 'Redemption queue' });
    await userEvent.click(box(cleo));
    expect([button('Fulfil chosen').disabled, button('Give shares back').disabled]).toEqual([true, false]);
    await userEvent.click(button('Give shares back'));
    expect(await screen.findByText('Gives 1 wallet the shares of cancelled requests back.')).toBeTruthy();
    expect(prepareFulfilCancellations.mock.calls[0]?.[0]).toMatchObject({ body: { controllers: [cleo] } });
  });
});
