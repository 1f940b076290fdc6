import '../../test/browser.ts';
import { afterEach, expect, test } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { type ReactNode, useRef } from 'react';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { openOverlay } from '../navigation/overlay.ts';
import { Rail } from '../operate/rail.tsx';
import { Shortcuts } from '../palette/shortcuts.tsx';
import AccountPopover from '../wallet/account-popover.tsx';
import { LeaveGuard } from './leave-guard.tsx';

const here = aPublicVault({ name: 'Core' });
const there = aPublicVault({ vault_address: anAddress(2), name: 'Growth' });
const url = `/operate/devnet/${here.vault_address}/settings`;

const open = (way: ReactNode, isDirty: boolean) =>
  renderPage(
    <>
      <LeaveGuard isDirty={isDirty} what="the rota" />
      {way}
    </>,
    {
      api: fakeApi({
        publicVaults: async () => [here, there],
        myVaults: async () => ({
          vaults: [here, there].map((vault) => ({ ...vault, my_role: 'view_only' })),
          total: 2,
        }),
        listAlerts: async () => ({ alerts: [], counts: { by_status: { active: 0 }, by_vault: [] } }),
      }),
      address: anAddress(0x10),
      path: '/:area?/:chainName?/:vaultAddress?/*',
      url,
    },
  );

function Account() {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button ref={button} type="button">
        Account
      </button>
      <AccountPopover of={button} isOpen onOpenChange={() => undefined} />
    </>
  );
}

type Way = [string, ReactNode, () => Promise<unknown>, string];
const ways: Way[] = [
  ['keys to a list', <Shortcuts key="1" />, () => userEvent.keyboard('gv'), '/'],
  [
    'keys to a page of the vault',
    <Shortcuts key="2" />,
    () => userEvent.keyboard('gp'),
    `/operate/devnet/${here.vault_address}/pause`,
  ],
  [
    'the palette',
    <Shortcuts key="3" />,
    async () => {
      await userEvent.keyboard('{Control>}k{/Control}');
      await userEvent.click(await screen.findByRole('menuitem', { name: /^Compare vaults/ }));
    },
    '/compare',
  ],
  [
    'another vault in the menu',
    <Rail key="4" />,
    async () => userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Vault' }), 'Growth · Devnet'),
    `/operate/devnet/${there.vault_address}/settings`,
  ],
  [
    'the menu of the account',
    <Account key="5" />,
    async () => userEvent.click(await screen.findByRole('menuitem', { name: 'Sessions and tokens' })),
    '/operate/sessions',
  ],
];

afterEach(() => openOverlay('none'));

test.each(ways)('behavior: %s asks before it takes what was typed away', async (_, way, go, to) => {
  const { where } = await open(way, true);
  await go();
  expect((await screen.findByRole('dialog', { name: 'Leave without saving?' })).textContent).toContain('the rota');
  expect(where.pathname).toBe(url);
  await userEvent.click(screen.getByRole('button', { name: 'Leave and lose it' }));
  await waitFor(() => expect(where.pathname).toBe(to));
});

test.each(ways)('behavior: %s leads on at once where nothing was typed', async (_, way, go, to) => {
  const { where } = await open(way, false);
  await go();
  await waitFor(() => expect(where.pathname).toBe(to));
  expect(screen.queryByRole('dialog', { name: 'Leave without saving?' })).toBeNull();
});

test('behavior: who stays goes on where they were, and is asked again', async () => {
  const { where } = await open(<Shortcuts />, true);
  for (const _ of ['once', 'again']) {
    await userEvent.keyboard('gv');
    await userEvent.click(await screen.findByRole('button', { name: 'Stay' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
  expect(where.pathname).toBe(url);
});

test('behavior: the page that is open already takes nothing away', async () => {
  await open(<Shortcuts />, true);
  await act(() => userEvent.keyboard('gs'));
  expect(screen.queryByRole('dialog')).toBeNull();
});
