import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { anAddress } from '../../test/builders.ts';
import { renderPage } from '../../test/harness.tsx';
import { sectionPath, usersPath } from '../navigation/paths.ts';
import { Rail } from './rail.tsx';

const vault = anAddress(1);

test.each([
  ['a section', sectionPath('operate', 'devnet', vault, 'users'), 'Dashboard'],
  ['the overview', sectionPath('operate', 'devnet', vault, 'overview'), 'Dashboard'],
  ['a page that has the name of a section', usersPath('devnet', vault), 'User management'],
])('behavior: on %s the menu marks where one is', async (_, url, current) => {
  await renderPage(<Rail />, { path: '/operate/:chainName/:vaultAddress/*', url });
  const menu = within(screen.getByRole('navigation', { name: 'This vault' }));
  expect(menu.getByRole('link', { current: 'page' }).textContent?.replace(/g \w$/, '')).toBe(current);
});
