import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { TopBar } from './top-bar.tsx';

test('default: every section is reached at every width', async () => {
  await renderPage(<TopBar />);
  const links = within(screen.getByRole('navigation', { name: 'Sections' })).getAllByRole('link');
  expect(links.map(({ textContent }) => textContent)).toEqual(['Vaults', 'Compare', 'Validators', 'Operate']);
  for (const link of links) expect(link.className).not.toMatch(/(^|\s)(hidden|sr-only)(\s|$)/);
});

test('default: the keys that do the same are named to assistive technology', async () => {
  await renderPage(<TopBar />);
  const keysOf = (name: RegExp) => screen.getByRole('button', { name }).getAttribute('aria-keyshortcuts');
  expect([keysOf(/^Find pages, vaults and actions/), keysOf(/^Theme: /)]).toEqual(['Control+K', 't']);
});

test.each([
  ['/operate', true, ['Operate']],
  ['/operate/devnet/0x1/risk', true, ['Operate']],
  ['/operate/alerts', true, ['Alerts']],
  ['/operate/alerts', false, ['Operate']],
  ['/compare', true, ['Compare']],
])('behavior: on %s one section is marked, signed in: %s', async (url, isSignedIn, marked) => {
  await renderPage(<TopBar />, {
    path: '*',
    url,
    api: fakeApi({
      listAlerts: async () => ({ alerts: [], counts: { by_status: { active: 0 }, by_vault: [] } }),
    } as never),
    ...(isSignedIn ? { address: anAddress(1) } : {}),
  });
  const links = within(screen.getByRole('navigation', { name: 'Sections' })).getAllByRole('link', { current: 'page' });
  expect(links.map(({ textContent }) => textContent)).toEqual(marked);
});
