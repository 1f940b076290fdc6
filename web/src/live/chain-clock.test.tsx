import '../../test/browser.ts';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
import { useRemaining } from './chain-clock.ts';

function Countdown({ seconds, chainTime }: { seconds: number; chainTime: string }) {
  return <output>{Math.round(useRemaining(seconds, chainTime))}</output>;
}
const shown = () => Number(screen.getByRole('status').textContent);
const pass = (ms: number) => act(() => jest.advanceTimersByTime(ms));

beforeEach(() => {
  // The device believes it is ten years later than the chain.
  jest.useFakeTimers({ now: new Date('2036-01-01T00:00:00Z') });
});
afterEach(() => {
  jest.useRealTimers();
});

test('default: counts down by the chain, whatever the device believes the date is', () => {
  render(<Countdown seconds={90} chainTime="2026-01-01T00:00:00Z" />);
  expect(shown()).toBe(90);
  pass(5_000);
  expect(shown()).toBe(85);
});

test('behavior: the same chain time read again does not start the count anew', () => {
  const { rerender } = render(<Countdown seconds={90} chainTime="2026-01-01T00:00:00Z" />);
  pass(10_000);
  rerender(<Countdown seconds={90} chainTime="2026-01-01T00:00:00Z" />);
  expect(shown()).toBe(80);
});

test('behavior: a newer block sets the count', () => {
  const { rerender } = render(<Countdown seconds={90} chainTime="2026-01-01T00:00:00Z" />);
  pass(10_000);
  rerender(<Countdown seconds={78} chainTime="2026-01-01T00:00:12Z" />);
  expect(shown()).toBe(78);
});

test('behavior: ends at zero', () => {
  render(<Countdown seconds={3} chainTime="2026-01-01T00:00:00Z" />);
  pass(60_000);
  expect(shown()).toBe(0);
});
