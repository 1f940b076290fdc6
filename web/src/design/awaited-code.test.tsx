import '../../test/browser.ts';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
import { type ComponentType, lazy, Suspense } from 'react';
import { AwaitedCode, CODE_MS } from './awaited-code.tsx';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});
const pass = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));

test('default: code that never arrives is reported as a file that failed, and shown if it comes after all', async () => {
  const { promise, resolve } = Promise.withResolvers<{ default: ComponentType }>();
  const Page = lazy(() => promise);
  render(
    <Suspense
      fallback={
        <AwaitedCode>
          <p>Loading</p>
        </AwaitedCode>
      }
    >
      <Page />
    </Suspense>,
  );
  await pass(CODE_MS - 1);
  expect(screen.getByText('Loading')).toBeTruthy();
  await pass(1);
  expect(screen.queryByText('Loading')).toBeNull();
  expect(screen.getByRole('alert').textContent).toMatch(/^A part of the page did not load.*Try again$/);
  resolve({ default: () => <p>All of it</p> });
  await pass(0);
  expect(screen.getByText('All of it')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});
