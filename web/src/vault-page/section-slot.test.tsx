import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { usePrintKey } from '../vault/print-page.ts';
import { SectionSlot } from './section-slot.tsx';

afterEach(() => {
  jest.useRealTimers();
});

function Page() {
  usePrintKey();
  return (
    <main>
      <SectionSlot isEager={false} height={400} title="Risk">
        <p>Figures of risk</p>
      </SectionSlot>
    </main>
  );
}

test('default: a section far from the view waits', () => {
  render(<Page />);
  expect(screen.getByRole('status', { name: 'Loading Risk' })).toBeTruthy();
});

test('behavior: printing brings every section', () => {
  render(<Page />);
  act(() => void window.dispatchEvent(new Event('beforeprint')));
  expect(screen.getByText('Figures of risk')).toBeTruthy();
});

test('behavior: the key for printing loads all first, and prints once the page is quiet', async () => {
  jest.useFakeTimers();
  const print = jest.spyOn(window, 'print').mockImplementation(() => undefined);
  render(<Page />);
  const isTaken = !fireEvent.keyDown(window, { key: 'p', ctrlKey: true });
  expect(isTaken).toBe(true);
  expect(screen.getByText('Figures of risk')).toBeTruthy();
  expect(print).not.toHaveBeenCalled();
  await act(() => jest.advanceTimersByTimeAsync(2_000));
  expect(print).toHaveBeenCalledTimes(1);
});
