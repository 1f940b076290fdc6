import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
import { type ComponentType, Suspense } from 'react';
import { pageOf } from './page-of.tsx';

const Vaults = () => <h1>Vaults</h1>;

const draw = (Page: ComponentType) =>
  render(
    <Suspense fallback={<p>Loading the page</p>}>
      <Page />
    </Suspense>,
  );

test('default: a page that was loaded before is drawn at once', async () => {
  const { Page, load } = pageOf(async () => Vaults);
  await load();
  draw(Page);
  expect(screen.getByRole('heading', { name: 'Vaults' })).toBeTruthy();
});

test('behavior: one that was not is waited for, and kept as it is once it is there', async () => {
  const { Page } = pageOf(async () => Vaults);
  const { rerender } = draw(Page);
  expect(screen.getByText('Loading the page')).toBeTruthy();
  await act(async () => undefined);
  const shown = screen.getByRole('heading', { name: 'Vaults' });
  rerender(
    <Suspense fallback={<p>Loading the page</p>}>
      <Page />
    </Suspense>,
  );
  expect(screen.getByRole('heading', { name: 'Vaults' })).toBe(shown);
});

test('error: a page that could not be loaded before is tried again when it is drawn', async () => {
  let tries = 0;
  const { Page, load } = pageOf(async () => {
    tries += 1;
    if (tries === 1) throw new Error('The network is away.');
    return Vaults;
  });
  await expect(load()).rejects.toThrow('The network is away.');
  draw(Page);
  expect(await screen.findByRole('heading', { name: 'Vaults' })).toBeTruthy();
});
