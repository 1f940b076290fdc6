import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { useQuery } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown } from '../../test/shown.ts';
import { useLastingError } from '../data/lasting-error.ts';
import { useAnalytics } from '../data/use-analytics.ts';
import { ReadFailure } from '../receipts/read-failure.tsx';
import { UpdatedAgo } from './freshness.tsx';
import { OutageStrip } from './outage-strip.tsx';

const gone = () => new TypeError('Failed to fetch');
const shown = aShown({ vault_address: anAddress(1) });

/** A section with figures beside a passport whose stream is open. */
function Page() {
  const result = useAnalytics(shown, 'analyticsOverview');
  return (
    <>
      <OutageStrip />
      <UpdatedAgo updatedAt={Date.now()} live={shown.live} />
      <ReadFailure of={{ source: shown, id: 'analyticsOverview', query: {}, result }} what="The figures" />
      <p>{result.data === undefined ? 'no figures' : `${result.data.depositors} depositors`}</p>
    </>
  );
}

/** An API that answers, then is blocked, then answers again. */
function anApi() {
  let isBlocked = false;
  const analyticsOverview = jest.fn(async () => {
    if (isBlocked) throw gone();
    return { depositors: 27 };
  });
  return {
    api: fakeApi({ analyticsOverview }),
    block: (next: boolean) => {
      isBlocked = next;
    },
  };
}

describe('an outage', () => {
  test('default: with the API blocked and the stream open the page is not live, says since when it stands, and tries again', async () => {
    const { api, block } = anApi();
    const { queries } = await renderPage(<Page />, { api });
    await screen.findByText('27 depositors');
    expect(screen.getByText(/^Streaming · updated/)).toBeTruthy();
    expect(screen.queryByText('The server cannot be reached')).toBeNull();
    block(true);
    await act(() => queries.refetchQueries());
    expect(await screen.findByText('The server cannot be reached')).toBeTruthy();
    expect(screen.getByText(/^Some of this page was last read .*, at \d+ \w+ \d{4}, \d\d:\d\d UTC\./)).toBeTruthy();
    expect(screen.getByText(/^Some reads fail · updated/)).toBeTruthy();
    expect(screen.queryByText(/^Live/)).toBeNull();
    // What is grey says so at its place, too.
    expect(screen.getByText(/^The figures: last read/).textContent).toContain('not updated since.');
    expect(screen.getByText('27 depositors')).toBeTruthy();
    block(false);
    await userEvent.click(screen.getAllByRole('button', { name: 'Try again' })[0] as HTMLElement);
    await waitFor(() => expect(screen.queryByText('The server cannot be reached')).toBeNull());
    expect(screen.getByText(/^Streaming · updated/)).toBeTruthy();
    expect(screen.queryByText(/not updated since/)).toBeNull();
  });

  test('behavior: a page that never had an answer says that, with a retry', async () => {
    const { api, block } = anApi();
    block(true);
    await renderPage(<Page />, { api });
    expect(await screen.findByText('The figures could not be read')).toBeTruthy();
    expect(await screen.findByText(/^Not all of this page could be read yet\./)).toBeTruthy();
  });

  test('error: what the server refuses for good is no outage', async () => {
    const analyticsOverview = async () => {
      throw Object.assign(new Error('x'), { status: 404, code: 'VAULT_NOT_FOUND', detail: 'No vault.' });
    };
    await renderPage(<Page />, { api: fakeApi({ analyticsOverview }) });
    expect(await screen.findByText('The figures could not be read')).toBeTruthy();
    expect(screen.getByText(/^Streaming · updated/)).toBeTruthy();
  });
});

describe('a read without any answer', () => {
  function Reading({ read }: { read: () => Promise<string> }) {
    const query = useQuery({ queryKey: ['x'], queryFn: read, retry: 5, retryDelay: 50, refetchInterval: 30 });
    const error = useLastingError(query);
    return <p>{query.data ?? (error === null ? 'waits' : 'failed')}</p>;
  }

  test('behavior: has failed from its first failure on, however often it is asked for again', async () => {
    const seen: string[] = [];
    const { promise: isSeen, resolve: goOn } = Promise.withResolvers<void>();
    let asked = 0;
    let failed = 0;
    const read = async () => {
      asked += 1;
      if (asked === 8) return aVault().name;
      if (failed > 0) await isSeen;
      failed += 1;
      throw gone();
    };
    const { container } = await renderPage(<Reading read={read} />);
    const watcher = new MutationObserver(() => seen.push(container.textContent ?? ''));
    watcher.observe(container, { childList: true, characterData: true, subtree: true });
    await screen.findByText('failed');
    expect(failed).toBe(1);
    goOn();
    await screen.findByText('USDC Core');
    watcher.disconnect();
    expect(seen.filter((text) => text === 'waits')).toEqual([]);
  });
});
