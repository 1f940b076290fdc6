import '../../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aVault } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { allocation, source } from '../../../test/strategies.ts';
import type { Action } from '../types.ts';
import { ActionFields } from './action-fields.tsx';
import { newDraft } from './draft.ts';
import { fieldFaults } from './judge.ts';
import { vocabularyFor } from './vocabulary.ts';

const other = anAddress(0x31);
const vault = aVault({
  allocation: [...allocation, ...allocation.map((each) => ({ ...each, source_address: other, name: 'Second' }))],
});
const hookOf = (hook_type: string, index: number) => ({
  id: `hook-${index}`,
  version: 1,
  name: `Does a ${hook_type}`,
  hook_type,
  is_active: true,
  addresses: [{ chain_id: vault.chain_id, address: anAddress(index) }],
});
const hooks = ['DEPOSIT', 'WITHDRAWAL', 'REBALANCE'].map((type, index) => hookOf(type, 0x50 + index));
const draftOf = (action: Action, parts: object = {}) => {
  const draft = newDraft('REBALANCE');
  return { ...draft, action: { ...draft.action, action, ...parts } };
};
async function show(draft: ReturnType<typeof draftOf>) {
  const onChange = jest.fn();
  const api = fakeApi({ registryHooks: async () => ({ hooks, total: 3, has_more: false, next_cursor: null }) });
  await renderPage(<ActionFields vault={vault} draft={draft} faults={[]} warnings={[]} onChange={onChange} />, { api });
  return onChange;
}
const offered = (name: string) =>
  within(screen.getByRole('combobox', { name }))
    .getAllByRole('option')
    .map(({ textContent }) => textContent);

test('default: only what can be executed is offered, and an action that was saved before stays', async () => {
  await show(draftOf('REBALANCE'));
  expect(offered('Action')).toEqual(['Deposit', 'Withdrawal', 'Rebalance']);
});

test('behavior: the action of a draft that cannot be executed is readable, and no other of its kind is offered', async () => {
  await show(draftOf('BRIDGE'));
  expect(offered('Action')).toEqual(['Deposit', 'Withdrawal', 'Rebalance', 'Bridge']);
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Action' }).value).toBe('BRIDGE');
});

test('behavior: a rebalance names two sources and the hook that deposits; its size counts shares', async () => {
  const onChange = await show(draftOf('REBALANCE', { target_address: other }));
  await screen.findByRole('option', { name: 'Does a DEPOSIT' });
  expect(offered('Hook that deposits')).toEqual(['Choose a hook', 'Does a DEPOSIT', 'Another address']);
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Out of source' }), source);
  expect(onChange).toHaveBeenCalledWith({ action: expect.objectContaining({ from_address: source }) });
  expect(screen.getByText(/^In shares of the source it takes from/)).toBeTruthy();
});

test('error: a rebalance out of the source that it goes into', () => {
  const faultsOf = (from_address: string) =>
    fieldFaults(draftOf('REBALANCE', { target_address: source, from_address }), true, vocabularyFor(vault))
      .filter(({ path }) => path === 'action_config.from_address')
      .map(({ message }) => message);
  expect(faultsOf(other)).toEqual([]);
  expect(faultsOf(source.toLowerCase())).toEqual([
    'Choose the source it takes from: another than the one it gives to.',
  ]);
});
