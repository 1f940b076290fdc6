import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { useWhileInView } from '../data/while-in-view.tsx';
import { usePrintKey } from '../vault/print-page.ts';
import { SectionSlot } from './section-slot.tsx';

const { IntersectionObserver: observerOfTests } = globalThis;

afterEach(() => {
  jest.useRealTimers();
  Object.assign(globalThis, { IntersectionObserver: observerOfTests });
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

/** Replaces IntersectionObserver. @returns sets whether all observed elements are near the view. */
function scrollingView() {
  const listeners = new Set<(entries: { isIntersecting: boolean }[]) => void>();
  class Observer {
    readonly listener: (entries: { isIntersecting: boolean }[]) => void;
    constructor(listener: (entries: { isIntersecting: boolean }[]) => void) {
      this.listener = listener;
    }
    observe() {
      listeners.add(this.listener);
    }
    disconnect() {
      listeners.delete(this.listener);
    }
  }
  Object.assign(globalThis, { IntersectionObserver: Observer });
  return (isIntersecting: boolean) => act(() => listeners.forEach((listener) => void listener([{ isIntersecting }])));
}

function figuresPage() {
  const read = jest.fn(async () => 'answer');
  const Figures = ({ price }: { price: number }) => {
    useQuery({ queryKey: ['figures'], queryFn: read, enabled: useWhileInView(), refetchInterval: 1_000 });
    return <p>{`Price ${price}`}</p>;
  };
  const queries = new QueryClient();
  const page = (price: number) => (
    <QueryClientProvider client={queries}>
      <SectionSlot isEager height={400} title="Risk">
        <Figures price={price} />
      </SectionSlot>
    </QueryClientProvider>
  );
  return { read, page };
}

test('behavior: far from the view a section neither asks nor changes; it does both once it is near again', async () => {
  jest.useFakeTimers();
  const setNear = scrollingView();
  const { read, page } = figuresPage();
  const { rerender } = render(page(1));
  await act(() => jest.advanceTimersByTimeAsync(1_500));
  expect(read).toHaveBeenCalledTimes(2);
  setNear(false);
  rerender(page(2));
  await act(() => jest.advanceTimersByTimeAsync(10_000));
  expect(read).toHaveBeenCalledTimes(2);
  expect(screen.getByText('Price 1')).toBeTruthy();
  setNear(true);
  await act(() => jest.advanceTimersByTimeAsync(0));
  expect(read).toHaveBeenCalledTimes(3);
  expect(screen.getByText('Price 2')).toBeTruthy();
});

test('behavior: what is printed is as new as the rest of the page, also far from the view', async () => {
  jest.useFakeTimers();
  const setNear = scrollingView();
  const { page } = figuresPage();
  const { rerender } = render(page(1));
  await act(() => jest.advanceTimersByTimeAsync(0));
  setNear(false);
  rerender(page(2));
  expect(screen.getByText('Price 1')).toBeTruthy();
  await act(async () => void window.dispatchEvent(new Event('beforeprint')));
  expect(screen.getByText('Price 2')).toBeTruthy();
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
