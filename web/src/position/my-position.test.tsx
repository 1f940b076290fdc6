import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aRedemption } from '../../test/lists.ts';
import { aPositionOf } from '../../test/position.ts';
import { aShown } from '../../test/shown.ts';
import { MyPosition } from './my-position.tsx';

const wallet = anAddress(0x31);
const aPosition = (parts: Parameters<typeof aPositionOf>[1] = {}) => aPositionOf(wallet, parts);

const open = (position: ReturnType<typeof aPosition>, options: { address?: string; url?: string } = {}) => {
  const analyticsPosition = jest.fn(async (_: { query: Record<string, string> }) => position);
  const { address = wallet, url = '/?unit=token' } = options;
  const page = renderPage(<MyPosition shown={aShown()} />, { api: fakeApi({ analyticsPosition }), address, url });
  return page.then((rendered) => ({ ...rendered, analyticsPosition }));
};

describe('my position', () => {
  test('default: value, what was put in, profit and what could be paid now, of the wallet that is signed in', async () => {
    const { analyticsPosition } = await open(aPosition());
    for (const text of ['1,100 USDC', '1,000 cUSDC', '1,000 USDC', '+100 USDC', '+7.31%', '700 USDC', 'Nobody waits'])
      expect(await screen.findByText(text)).toBeTruthy();
    expect(analyticsPosition.mock.calls[0]?.[0].query).toEqual({ wallet });
  });

  test('behavior: the yearly rate has a receipt, and a reason where there is none, also from a server that does not have it', async () => {
    const reason = 'held for less than a day';
    const quality = {
      status: 'insufficient' as const,
      reason,
      from: null,
      to: null,
      actual_seconds: 60,
      sample_size: 1,
    };
    const young = await open(aPosition({ xirr: null, quality: { xirr: quality } }));
    expect(await screen.findByText(/less than a day/i)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Receipt of XIRR' })).toBeTruthy();
    expect(await screen.findByRole('button', { name: 'Deposit' })).toBeTruthy();
    young.unmount();
    await open(aPosition({ xirr: undefined }));
    expect(await screen.findByText('Not known yet')).toBeTruthy();
    expect(await screen.findByRole('button', { name: 'Deposit' })).toBeTruthy();
  });

  test('behavior: a request has its place and the time to expect; what is paid or cancelled is to be fetched', async () => {
    await open(
      aPosition({
        request: aRedemption(2, { waiting_seconds: 3_600 }),
        waiting: 5,
        claimable_assets: '250000000',
        returnable_shares: '40000000',
      }),
    );
    expect(await screen.findByRole('heading', { name: 'You wait for about 1,000 USDC' })).toBeTruthy();
    expect(screen.getByText(/^Place 2 of 5, asked 1 h ago\. Expected within 22 h\. /)).toBeTruthy();
    expect(screen.getByRole('heading', { name: '250 USDC to claim' })).toBeTruthy();
    expect(screen.getByRole('heading', { name: '40 cUSDC to take back' })).toBeTruthy();
  });

  test('default: one line for a wallet that has nothing', async () => {
    await open(
      aPosition({ shares: '0', free_shares: '0', assets: '0', put_in: '0', profit_assets: '0', first_seen: null }),
    );
    expect(await screen.findByText('Your wallet has nothing in USDC Core yet.')).toBeTruthy();
    expect(screen.queryByText('Profit')).toBeNull();
    expect(await screen.findByRole('button', { name: 'Deposit' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Request a redemption' })).toBeNull();
  });

  test('behavior: who is not signed in is asked to, and nothing is read', async () => {
    const analyticsPosition = jest.fn();
    await renderPage(<MyPosition shown={aShown()} />, { api: fakeApi({ analyticsPosition }) });
    expect(screen.getByText(/^Sign in with your wallet to see what you have here/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Connect and sign in' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Deposit' })).toBeNull();
    expect(analyticsPosition).not.toHaveBeenCalled();
  });

  test('behavior: a session that ends takes neither the position nor what is done with it off the page', async () => {
    const { session } = await open(aPosition());
    expect(await screen.findByRole('button', { name: 'Deposit' })).toBeTruthy();
    act(() => session.end('unauthorized'));
    expect(screen.getByRole('button', { name: 'Deposit' })).toBeTruthy();
    expect(screen.getByText('Your session ended. What you prepared stays.')).toBeTruthy();
  });

  test('behavior: nothing is asked of a past moment', async () => {
    const { analyticsPosition } = await open(aPosition(), { url: '/?at=2026-01-29T00:00:00Z' });
    await waitFor(() => expect(screen.queryByText('My position')).toBeNull());
    expect(analyticsPosition).not.toHaveBeenCalled();
  });
});
