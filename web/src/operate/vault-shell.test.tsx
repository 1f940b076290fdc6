import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { renderPage } from '../../test/harness.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { VaultShell } from './vault-shell.tsx';

const dashboard = `/operate/devnet/${anAddress(1)}`;

test.each([true, false])('behavior: the drawer closes with the page it was opened on; typed: %s', async (isDirty) => {
  const page = (
    <>
      <LeaveGuard isDirty={isDirty} what="the rota" />
      <VaultShell />
    </>
  );
  const { where } = await renderPage(page, {
    path: '/operate/:chainName/:vaultAddress/*',
    url: `${dashboard}/duty`,
  });
  await userEvent.click(screen.getByRole('button', { name: 'Vault menu' }));
  await screen.findByRole('dialog', { name: 'Vault menu' });
  await userEvent.click(screen.getByRole('link', { name: 'Settings' }));
  if (isDirty) await userEvent.click(await screen.findByRole('button', { name: 'Leave and lose it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(where.pathname).toBe(`${dashboard}/settings`);
});
