import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { More } from './more.tsx';

test('behavior: while more is read the button keeps the focus, and asks once', async () => {
  const fetchNextPage = jest.fn(async () => undefined);
  const list = {
    hasNextPage: true,
    isFetchingNextPage: false,
    isFetchNextPageError: false,
    error: null,
    fetchNextPage,
  };
  const shown = (isFetchingNextPage: boolean) => (
    <More list={{ ...list, isFetchingNextPage }} shown={25} total={60} what="runs" />
  );
  const { rerender } = render(shown(false));
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
  rerender(shown(true));
  const reading = screen.getByRole('button', { name: 'Reading' });
  expect([document.activeElement, reading.hasAttribute('disabled')]).toEqual([reading, false]);
  await userEvent.click(reading);
  expect(fetchNextPage).toHaveBeenCalledTimes(1);
});
