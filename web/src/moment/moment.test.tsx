import '../../test/browser.ts';
import { formulasVersion } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { anOverview } from '../../test/analytics.ts';
import { aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { useAnalytics } from '../data/use-analytics.ts';
import { MomentBanner, PermalinkButton } from '../period/moment-banner.tsx';
import { PastStrip } from '../period/past-strip.tsx';

const vault = aVault();
const live = { mode: 'stream' } as const;
const at = '2025-12-24T18:00:00.000Z';

function Page() {
  const { data } = useAnalytics({ vault, live }, 'analyticsOverview');
  return (
    <>
      <PastStrip />
      <MomentBanner />
      <PermalinkButton chainTime={vault.chain_time} />
      <p>{data === undefined ? 'no answer' : `as of ${data.as_of}`}</p>
    </>
  );
}

describe('permalinks', () => {
  test('default: ?at= goes into every read, under a banner that leads back to now', async () => {
    const overview = jest.fn(async ({ query }: { query: { at?: string } }) =>
      anOverview({ as_of: query.at ?? '2026-01-01T00:00:00.000Z' }),
    );
    const { where } = await renderPage(<Page />, {
      api: fakeApi({ analyticsOverview: overview }),
      path: '/v',
      url: '/v?at=2025-12-24T18:00:00Z&period=7d#risk',
    });
    expect(await screen.findByText(`as of ${at}`)).toBeTruthy();
    expect(screen.getByText('You see the vault as it was at 24 Dec 2025, 18:00 UTC')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: /^Back to now/ }));
    expect(await screen.findByText('as of 2026-01-01T00:00:00.000Z')).toBeTruthy();
    expect(overview.mock.calls.map(([{ query }]) => query)).toEqual([{ at, v: formulasVersion }, {}]);
    expect(where).toMatchObject({ search: '?period=7d', hash: '#risk' });
  });

  test('behavior: a time that cannot be read is said, and the present is shown', async () => {
    const overview = jest.fn(async () => anOverview());
    await renderPage(<Page />, {
      api: fakeApi({ analyticsOverview: overview }),
      path: '/v',
      url: '/v?at=yesterday',
    });
    expect(screen.getByText('This link names no time that can be read')).toBeTruthy();
    await waitFor(() => expect(overview.mock.calls[0]).toMatchObject([{ query: {} }]));
  });

  test('behavior: the permalink names the chain time of what is shown', async () => {
    const user = userEvent.setup();
    await renderPage(<Page />, {
      api: fakeApi({ analyticsOverview: async () => anOverview() }),
      path: '/v',
      url: '/v',
    });
    await user.click(screen.getByRole('button', { name: 'Copy permalink' }));
    const copied = new URL(await navigator.clipboard.readText());
    expect(copied.searchParams.get('at')).toBe(vault.chain_time);
  });
});
