import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { anAddress, aPublicVault, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import type { MyVault } from '../data/queries.ts';
import { CopyRota } from './copy-rota.tsx';
import type { Rota } from './rota-draft.ts';

const ada = { wallet_address: anAddress(0x61), name: 'Ada' };
const rota: Rota = {
  time_zone: 'Europe/Zurich',
  people: [ada],
  starts_on: '2025-12-29',
  hand_over: '09:00',
  overrides: [],
  escalation: null,
};
const mine = (n: number, my_role: MyVault['my_role'] = 'secondary_manager'): MyVault => ({
  ...aPublicVault({ vault_address: anAddress(n), name: `Vault ${n}` }),
  my_role,
});
type Written = { params: { vault_address: string }; body: { version: number; rota: Rota } };

async function open(setDuty: (input: Written) => Promise<unknown>, vaults = [mine(1), mine(2), mine(3)]) {
  const { chain_id } = mine(1);
  const dutyNow = async () => ({
    vaults: [{ chain_id, vault_address: anAddress(3), on_duty: { ...ada, name: 'Cy' }, next: null }],
  });
  const duty = async ({ params }: Pick<Written, 'params'>) => ({
    version: params.vault_address === anAddress(3) ? 4 : 0,
  });
  return renderPage(<CopyRota vault={aVault({ vault_address: anAddress(1) })} rota={rota} />, {
    api: fakeApi({ myVaults: async () => ({ vaults, total: vaults.length }), dutyNow, duty, setDuty }),
  });
}

const choose = async (user: ReturnType<typeof userEvent.setup>, copy: string) => {
  await user.click(await screen.findByRole('button', { name: 'Copy to other vaults' }));
  await user.click(screen.getByRole('checkbox', { name: 'Vault 2' }));
  await user.click(await screen.findByRole('checkbox', { name: /^Vault 3 ?Replaces its rota; on duty now: Cy$/ }));
  await user.click(screen.getByRole('button', { name: copy }));
};

test('behavior: the rota goes to the chosen vaults, on top of the version that each has', async () => {
  const setDuty = jest.fn(async (_: Written) => ({}));
  await open(setDuty);
  await choose(userEvent.setup(), 'Copy to 2 vaults');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(setDuty.mock.calls.map(([{ params, body }]) => [params.vault_address, body])).toEqual([
    [anAddress(2), { version: 0, rota }],
    [anAddress(3), { version: 4, rota }],
  ]);
});

test('error: a vault that refuses it stays chosen, the one before it has it', async () => {
  const setDuty = async ({ params }: Written) => {
    if (params.vault_address === anAddress(3)) throw Object.assign(new Error('x'), { status: 409, detail: 'changed' });
    return {};
  };
  await open(setDuty);
  await choose(userEvent.setup(), 'Copy to 2 vaults');
  expect(await screen.findByText('The rota was not copied to the vaults still chosen')).toBeTruthy();
  expect(screen.getAllByRole<HTMLInputElement>('checkbox').map(({ checked }) => checked)).toEqual([false, true]);
});

test('behavior: without another vault that one manages there is nothing to copy to', async () => {
  const { queries } = await open(
    jest.fn(async () => ({})),
    [mine(1), mine(2, 'view_only')],
  );
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  expect(screen.queryByRole('button')).toBeNull();
});
