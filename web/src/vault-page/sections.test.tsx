import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Link } from 'react-router';
import { aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { PublicVaultPage } from './public-page.tsx';

const vault = aVault();
const page = `/managed-vaults/devnet/${vault.vault_address}`;
const silence = () => new Promise<void>(() => undefined);
/** Every read that a section of these tests makes; each stays without an answer. */
const asked = (reads: readonly string[]) => Object.fromEntries(reads.map((read) => [read, silence]));
const ofOverview = ['analyticsOverview', 'analyticsTvl', 'analyticsPps', 'analyticsRun', 'transmissions'];

const path = '/managed-vaults/:chainName/:vaultAddress/:section?';
const open = (url: string, reads: readonly string[]) =>
  renderPage(<PublicVaultPage />, {
    api: fakeApi({ vault: async () => vault, followVault: silence, ...asked(reads) }),
    path,
    url,
  });
/** An API of which only the vault is read. */
const unanswered = () =>
  new Proxy({}, { get: (_api, read) => (read === 'vault' ? async () => vault : silence) }) as ReturnType<
    typeof fakeApi
  >;

const list = () => within(screen.getByRole('navigation', { name: 'Sections of this vault' }));
const current = () => list().getByRole('link', { current: 'page' }).textContent;
const names = () =>
  list()
    .getAllByRole('link')
    .map(({ textContent }) => textContent);
const headings = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);

test('default: an address shows its section alone, asks for nothing else, and its title names it', async () => {
  await open(`${page}/managers`, ['merkleProofStatus']);
  expect(await screen.findByRole('heading', { level: 3, name: 'Primary manager' })).toBeTruthy();
  expect([headings(), current(), document.title]).toEqual([
    ['Managers'],
    'Managers',
    'Managers · USDC Core (cUSDC) · Castellan',
  ]);
});

test('behavior: the nine sections and the two beside them keep their order', async () => {
  await open(`${page}/managers`, ['merkleProofStatus']);
  await screen.findByRole('heading', { level: 1 });
  expect(names()).toEqual([
    'Overview',
    'Allocation',
    'PPS & Pricing',
    'Fees & Upkeep',
    'Managers',
    'Performance',
    'Risk',
    'Users',
    'Operations',
    'Strategies',
    'Feed',
  ]);
});

test('behavior: range, unit and moment go along to another section, the filter of a table does not', async () => {
  const { where } = await open(`${page}/managers?period=7d&unit=token&at=2025-12-31T00:00:00Z&tx=deposit`, [
    'merkleProofStatus',
    ...ofOverview,
  ]);
  await screen.findByRole('heading', { level: 1 });
  await userEvent.click(list().getByRole('link', { name: 'Overview' }));
  expect(where.pathname).toBe(page);
  expect(Object.fromEntries(new URLSearchParams(where.search))).toEqual({
    period: '7d',
    unit: 'token',
    at: '2025-12-31T00:00:00Z',
  });
});

test('behavior: a step to a part of a section leaves it to the part to bring itself into view', async () => {
  await renderPage(
    <>
      <Link to={`${page}/managers#part`}>A part</Link>
      <PublicVaultPage />
    </>,
    {
      api: fakeApi({ vault: async () => vault, followVault: silence, ...asked(['merkleProofStatus', ...ofOverview]) }),
      path,
      url: page,
    },
  );
  await screen.findByRole('heading', { level: 1 });
  document.documentElement.scrollTop = 800;
  await userEvent.click(screen.getByRole('link', { name: 'A part' }));
  await screen.findByRole('heading', { level: 2, name: 'Managers' });
  expect(document.documentElement.scrollTop).toBe(800);
});

test('behavior: a step keeps the frame, and the heading of the new section is read out from the top of the page', async () => {
  await open(page, ['merkleProofStatus', ...ofOverview]);
  const name = await screen.findByRole('heading', { level: 1 });
  const frame = screen.getByRole('navigation', { name: 'Sections of this vault' });
  document.documentElement.scrollTop = 800;
  await userEvent.click(screen.getByRole('link', { name: /Nothing is proposed/ }));
  const heading = await screen.findByRole('heading', { level: 2, name: 'Managers' });
  expect(document.activeElement).toBe(heading);
  expect(document.documentElement.scrollTop).toBe(0);
  expect([name.isConnected, frame.isConnected]).toEqual([true, true]);
});

test('behavior: who chooses from the list by keyboard stays in it', async () => {
  await open(page, ['merkleProofStatus', ...ofOverview]);
  await screen.findByRole('heading', { level: 1 });
  const choice = screen.getByRole('combobox', { name: 'Section' });
  act(() => choice.focus());
  await userEvent.selectOptions(choice, 'Managers');
  await screen.findByRole('heading', { level: 2, name: 'Managers' });
  expect(document.activeElement).toBe(choice);
});

test('behavior: the list of sections asks before it takes away what is typed in one', async () => {
  const form = (
    <>
      <LeaveGuard isDirty what="the scenarios" />
      <PublicVaultPage />
    </>
  );
  const { where } = await renderPage(form, { api: unanswered(), path, url: page });
  await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Section' }), 'Managers');
  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy();
  expect(where.pathname).toBe(page);
});

test('behavior: a section that was a hash of the one page leads to its own, with all of its query', async () => {
  const { where } = await open(`${page}?period=all&sort=name#managers`, ['merkleProofStatus']);
  await screen.findByRole('heading', { level: 2, name: 'Managers' });
  expect(where).toMatchObject({ pathname: `${page}/managers`, search: '?period=all&sort=name', hash: '' });
});

test('behavior: all sections are under each other for paper, each of them loaded', async () => {
  await renderPage(<PublicVaultPage />, { api: unanswered(), path, url: `${page}/print` });
  await screen.findByRole('heading', { level: 1 });
  expect(headings().slice(1)).toEqual(['All sections', ...names()]);
  await waitFor(() => {
    for (const name of names()) expect(screen.queryByRole('status', { name: `Loading ${name}` })).toBeNull();
  });
  expect(list().queryByRole('link', { current: 'page' })).toBeNull();
  // Who prints is offered the report of the last month that is over; another one can be chosen.
  const bar = within(await screen.findByRole('region', { name: 'Report of a month' }));
  const report = () => bar.getByRole('link', { name: 'Report' }).getAttribute('href');
  const address = `/api/v1/vaults/31337/${vault.vault_address}/report`;
  expect(report()).toBe(`${address}?period=2025-12&format=html`);
  await userEvent.selectOptions(bar.getByRole('combobox', { name: 'Month' }), 'Jan 2026, so far');
  expect(report()).toBe(`${address}?period=2026-01&format=html`);
  expect(bar.getAllByRole('option')).toHaveLength(4);
});

test('behavior: who is led to the report of a month can choose the month', async () => {
  await renderPage(<PublicVaultPage />, { api: unanswered(), path, url: `${page}/performance#report` });
  const bar = await screen.findByRole('region', { name: 'Report of a month' });
  await waitFor(() => expect(document.activeElement).toBe(within(bar).getByRole('combobox', { name: 'Month' })));
});

test('error: a section that there is not is no page', async () => {
  await open(`${page}/nothing`, []);
  await waitFor(() => expect(screen.getByRole('heading', { name: 'There is no page here' })).toBeTruthy());
});
