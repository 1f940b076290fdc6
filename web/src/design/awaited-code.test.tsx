import '../../test/browser.ts';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { type ComponentType, lazy, Suspense } from 'react';
import { Link, MemoryRouter, useLocation } from 'react-router';
import { AwaitedCode } from './awaited-code.tsx';
import { CODE_MS } from './late-code.ts';

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

test('behavior: a step inside the app to a part whose code never arrives is reported too, and the next part has its own time', async () => {
  const hung = () => lazy(() => new Promise<never>(() => undefined));
  const parts: Record<string, ComponentType> = { '/ready': () => <p>All of it</p>, '/one': hung(), '/other': hung() };
  const Page = () => {
    const { pathname } = useLocation();
    const Part = parts[pathname] ?? 'p';
    return (
      <section key={pathname}>
        <Suspense
          fallback={
            <AwaitedCode>
              <p>Loading</p>
            </AwaitedCode>
          }
        >
          <Part />
        </Suspense>
      </section>
    );
  };
  render(
    <MemoryRouter initialEntries={['/ready']}>
      <Link to="/one">One</Link>
      <Link to="/other">Other</Link>
      <Suspense fallback={null}>
        <Page />
      </Suspense>
    </MemoryRouter>,
  );
  expect(screen.getByText('All of it')).toBeTruthy();
  for (const name of ['One', 'Other']) {
    fireEvent.click(screen.getByRole('link', { name }));
    await pass(CODE_MS - 1);
    expect(screen.getByText('Loading')).toBeTruthy();
    await pass(1);
    expect(screen.getByRole('alert').textContent).toMatch(/^A part of the page did not load/);
  }
});
