import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, render } from '@testing-library/react';
import { Announcer, announce } from './announce.tsx';

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
