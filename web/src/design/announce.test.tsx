import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, render } from '@testing-library/react';
import { Announcer, announce, announceDone } from './announce.tsx';

afterEach(() => {
  jest.useRealTimers();
});

test('behavior: the first is said at once, of those that follow quickly only the last, once it was quiet, and then it leaves', () => {
  jest.useFakeTimers();
  const { container } = render(<Announcer />);
  const region = container.querySelector('[aria-live="polite"]');
  expect(region?.textContent).toBe('');
  act(() => announce('Price updated: 1.01 USDC'));
  expect(region?.textContent).toBe('Price updated: 1.01 USDC');
  act(() => announce('Price updated: 1.02 USDC'));
  act(() => announce('Price updated: 1.03 USDC'));
  act(() => jest.advanceTimersByTime(29_000));
  expect(region?.textContent).toBe('Price updated: 1.01 USDC');
  act(() => jest.advanceTimersByTime(1_000));
  expect(region?.textContent).toBe('Price updated: 1.03 USDC');
  act(() => jest.advanceTimersByTime(30_000));
  expect(region?.textContent).toBe('');
});

test('behavior: what the reader did is said at once, whatever was said of news just before, and again when it is done again', () => {
  jest.useFakeTimers();
  const { container } = render(<Announcer />);
  const texts = () => [...container.querySelectorAll('[aria-live="polite"]')].map(({ textContent }) => textContent);
  act(() => announce('Price updated: 1.04 USDC'));
  act(() => announceDone('Second is now 1 of 3 in Inflow.'));
  expect(texts()).toEqual(['Price updated: 1.04 USDC', 'Second is now 1 of 3 in Inflow.']);
  act(() => announceDone('Second is now 2 of 3 in Inflow.'));
  expect(texts()[1]).toBe('Second is now 2 of 3 in Inflow.');
  act(() => announceDone('Second is now 2 of 3 in Inflow.'));
  // The text of the region has changed, so that it is read once more.
  expect(texts()[1]).not.toBe('Second is now 2 of 3 in Inflow.');
  expect(texts()[1]).toContain('Second is now 2 of 3 in Inflow.');
  act(() => jest.advanceTimersByTime(30_000));
  expect(texts()).toEqual(['', '']);
});
