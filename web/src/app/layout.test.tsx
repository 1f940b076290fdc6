import '../../test/browser.ts';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { act, fireEvent, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Link, Route, Routes } from 'react-router';
import { renderPage } from '../../test/harness.tsx';
import { CODE_MS } from '../design/late-code.ts';
import { toast } from '../design/toast.tsx';
import { Layout } from './layout.tsx';
import { pageOf } from './page-of.tsx';

const hung = () => pageOf(() => new Promise<never>(() => undefined)).Page;
const pass = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('error: a page whose code never arrives is said to be broken as one whose code failed, each by its own time', async () => {
  const One = hung();
  const Other = hung();
  await renderPage(
    <Routes>
      <Route element={<Layout />}>
        <Route path="/one" element={<One />} />
        <Route path="/other" element={<Other />} />
      </Route>
    </Routes>,
    { path: '*', url: '/one' },
  );
  act(() => toast({ tone: 'info', title: 'Go on', action: <Link to="/other">Another page</Link> }));
  await pass(CODE_MS - 1);
  expect(screen.getByText('Loading the page')).toBeTruthy();
  fireEvent.click(screen.getByRole('link', { name: 'Another page' }));
  await pass(1);
  expect(screen.getByText('Loading the page')).toBeTruthy();
  await pass(CODE_MS);
  expect(screen.getByRole('heading', { name: 'This page broke' })).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toMatch(/^Check your connection, then load the page again/);
  expect(screen.getByRole('button', { name: 'Load it again' })).toBeTruthy();
});

test('error: so it is where another page is shown while the code is awaited; one that arrived meanwhile is shown when asked for again', async () => {
  const { promise, resolve } = Promise.withResolvers<() => ReactNode>();
  const Late = pageOf(() => promise).Page;
  const Other = hung();
  await renderPage(
    <>
      <Link to="/here">Here</Link>
      <Link to="/late">Late</Link>
      <Link to="/other">Other</Link>
      <Routes>
        <Route element={<Layout />}>
          <Route path="/here" element={<h1>The page before</h1>} />
          <Route path="/late" element={<Late />} />
          <Route path="/other" element={<Other />} />
        </Route>
      </Routes>
    </>,
    { path: '*', url: '/here' },
  );
  const follow = (name: string) => fireEvent.click(screen.getByRole('link', { name }));
  const heading = () => screen.getByRole('heading', { level: 1 }).textContent;
  follow('Late');
  await pass(CODE_MS - 1);
  expect(heading()).toBe('The page before');
  await pass(1);
  expect(heading()).toBe('This page broke');
  follow('Other');
  await pass(CODE_MS - 1);
  expect(screen.getByText('Loading the page')).toBeTruthy();
  await pass(1);
  expect(heading()).toBe('This page broke');
  resolve(() => <h1>The late page</h1>);
  await pass(0);
  follow('Late');
  await pass(0);
  expect(heading()).toBe('The late page');
});
