import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { renderPage } from '../../test/harness.tsx';
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
