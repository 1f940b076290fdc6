import '../../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aVault } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { refusal } from '../../../test/shown.ts';
import { allocation, reward, source } from '../../../test/strategies.ts';
import { shortHex } from '../../format/address.ts';
import type { Action } from '../types.ts';
import { ActionFields, LimitFields } from './action-fields.tsx';
import { definitionOf, newDraft } from './draft.ts';
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
const hooks = ['DEPOSIT', 'WITHDRAWAL', 'REBALANCE', 'CLAIM', 'SWAP'].map((type, index) => hookOf(type, 0x50 + index));
const draftOf = (action: Action, parts: object = {}) => {
  const draft = newDraft('REBALANCE');
  return { ...draft, action: { ...draft.action, action, ...parts } };
};
const registryHooks = async () => ({ hooks, total: 5, has_more: false, next_cursor: null });
async function show(draft: ReturnType<typeof draftOf>, rewards = [reward], answers: object = { registryHooks }) {
  const onChange = jest.fn();
  const api = fakeApi(answers);
  const part = { vault, draft, rewards, onChange, faults: [], warnings: [] };
  await renderPage(
    <>
      <ActionFields {...part} />
      <LimitFields {...part} />
    </>,
    { api },
  );
  return onChange;
}
const offered = (name: string) =>
  within(screen.getByRole('combobox', { name }))
    .getAllByRole('option')
    .map(({ textContent }) => textContent);

describe('the hook', () => {
  test('behavior: while the registry is read nothing is asked for, and where it cannot be an address is written', async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing = new Promise((_, reject) => {
      fail = reject;
    });
    await show(draftOf('DEPOSIT'), [], { registryHooks: () => failing });
    expect(screen.getByRole('status', { name: 'Loading the hooks' })).toBeTruthy();
    expect(screen.queryByRole('textbox', { name: 'Address of the hook' })).toBeNull();
    await act(async () => fail(refusal('INTERNAL', 500)));
    expect(await screen.findByText('The registry of hooks could not be read')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
    expect(screen.getByRole('textbox', { name: 'Address of the hook' })).toBeTruthy();
  });

  test('behavior: an empty registry says why an address has to be written', async () => {
    const none = async () => ({ hooks: [], total: 0, has_more: false, next_cursor: null });
    await show(draftOf('DEPOSIT'), [], { registryHooks: none });
    expect(await screen.findByText('The registry has no hook on this chain yet.')).toBeTruthy();
  });

  test.each([
    ['the only one that fits comes with another action', { execution_address: anAddress(0x50) }, 'WITHDRAWAL', 0x51],
    ['one that still fits stays', { execution_address: anAddress(0x50) }, 'REBALANCE', 0x50],
    ['an address that somebody wrote stays', { execution_address: anAddress(0x99) }, 'WITHDRAWAL', 0x99],
  ] as const)('behavior: %s', async (_, executed, next, number) => {
    const onChange = await show(draftOf('DEPOSIT', executed));
    await screen.findByRole('option', { name: 'Does a DEPOSIT' });
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Action' }), next);
    expect(onChange).toHaveBeenLastCalledWith({
      action: expect.objectContaining({ action: next, execution_address: anAddress(number) }),
    });
  });
});

test('behavior: a source that the vault has no more is named, not shown as if none were chosen', async () => {
  const gone = anAddress(0x77);
  await show(draftOf('DEPOSIT', { target_address: gone }));
  const chosen = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Yield source' });
  expect([chosen.value, chosen.selectedOptions[0]?.textContent]).toEqual([
    gone,
    `Not a source any more: ${shortHex(gone)}`,
  ]);
});

test('default: only what can be executed is offered, and an action that was saved before stays', async () => {
  await show(draftOf('REBALANCE'), []);
  expect(offered('Action')).toEqual(['Deposit', 'Withdrawal', 'Rebalance']);
});

test('behavior: the action of a draft that cannot be executed is readable, and no other of its kind is offered', async () => {
  await show(draftOf('BRIDGE'), []);
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

test('default: rewards are claimed and swapped where there are any, and swapped where there is a pool', async () => {
  await show(draftOf('DEPOSIT'));
  expect(offered('Action')).toEqual(['Deposit', 'Withdrawal', 'Rebalance', 'Claim', 'Swap']);
});

test('behavior: without a pool there is nothing to swap', async () => {
  await show(draftOf('DEPOSIT'), [{ ...reward, pool: null }]);
  expect(offered('Action')).toEqual(['Deposit', 'Withdrawal', 'Rebalance', 'Claim']);
});

test('behavior: an action about something else begins with nothing chosen', async () => {
  const onChange = await show(draftOf('DEPOSIT', { target_address: source, size_expr: 'vault_free_assets' }));
  const choose = (action: string) => userEvent.selectOptions(screen.getByRole('combobox', { name: 'Action' }), action);
  await choose('WITHDRAWAL');
  expect(onChange).toHaveBeenLastCalledWith({
    action: expect.objectContaining({ action: 'WITHDRAWAL', target_address: source, size_expr: 'vault_free_assets' }),
  });
  await choose('SWAP');
  expect(onChange).toHaveBeenLastCalledWith({
    action: expect.objectContaining({ action: 'SWAP', target_address: '', from_address: null, size_expr: '' }),
  });
});

test('default: a claim names a reward, its hook, and no size: all that can be claimed', async () => {
  const onChange = await show(draftOf('CLAIM'));
  await screen.findByRole('option', { name: 'Does a CLAIM' });
  expect(offered('Reward')).toEqual(['Choose a reward', 'PRIME of Morpho Prime']);
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Reward' }), 'PRIME of Morpho Prime');
  expect(onChange).toHaveBeenCalledWith({
    action: expect.objectContaining({ target_address: reward.distributor, from_address: null }),
  });
  expect(screen.getByText('All that can be claimed is claimed.')).toBeTruthy();
  for (const name of ['Size', 'Most at once']) expect(screen.queryByRole('textbox', { name })).toBeNull();
});

test('default: a swap names token and pool by the reward, and its size counts base units of the token', async () => {
  const onChange = await show(draftOf('SWAP'), [reward, { ...reward, distributor: anAddress(0x70), pool: null }]);
  // What has no pool is not swapped.
  expect(offered('Reward')).toEqual(['Choose a reward', 'PRIME of Morpho Prime']);
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Reward' }), 'PRIME of Morpho Prime');
  expect(onChange).toHaveBeenCalledWith({
    action: expect.objectContaining({ target_address: reward.pool, from_address: reward.token }),
  });
  expect(screen.getByText(/^In base units of the reward/)).toBeTruthy();
  expect(screen.getByRole('textbox', { name: 'Most at once' })).toBeTruthy();
});

test('behavior: a reward that is no more named stays readable', async () => {
  await show(draftOf('CLAIM', { target_address: other }));
  expect(offered('Reward')).toEqual([`Unknown: ${shortHex(other)}`, 'PRIME of Morpho Prime']);
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Reward' }).value).toBe(other);
});

test('behavior: what the API gets of a claim is all that can be claimed and no limit, of a swap its token', () => {
  const claim = { ...draftOf('CLAIM', { target_address: reward.distributor, size_expr: '5' }), max_amount: '7 units' };
  expect(definitionOf(claim, vocabularyFor(vault))).toMatchObject({
    action_config: { size_expr: `merkl_${reward.distributor.toLowerCase()}_amount`, from_address: null },
    risk_params: { max_amount: null },
  });
  const swap = draftOf('SWAP', { target_address: reward.pool, from_address: reward.token });
  expect(definitionOf(swap, vocabularyFor(vault)).action_config.from_address).toBe(reward.token);
});

test('error: a claim without a reward', () => {
  const faults = fieldFaults(draftOf('CLAIM'), true, vocabularyFor(vault));
  expect(faults).toContainEqual({ path: 'action_config.target_address', message: 'Choose the reward.' });
});
