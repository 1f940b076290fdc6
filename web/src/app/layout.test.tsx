import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, fireEvent, screen } from '@testing-library/react';
import { lazy } from 'react';
import { Link, Route, Routes } from 'react-router';
import { renderPage } from '../../test/harness.tsx';
import { CODE_MS } from '../design/awaited-code.tsx';
import { toast } from '../design/toast.tsx';
import { Layout } from './layout.tsx';

const hung = () => lazy(() => new Promise<never>(() => undefined));
const One = hung();
const Other = hung();
const pass = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));

afterEach(() => {
  jest.useRealTimers();
});

test('error: a page whose code never arrives is said to be broken as one whose code failed, each by its own time', async () => {
  jest.useFakeTimers();
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
