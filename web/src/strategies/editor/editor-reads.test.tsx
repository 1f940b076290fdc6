import '../../../test/browser.ts';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown, refusal } from '../../../test/shown.ts';
import { allocation, aStrategy, listOf, someFields } from '../../../test/strategies.ts';
import { Toasts } from '../../design/toast.tsx';
import { Editor } from './editor.tsx';

const hookOf = (hook_type: string, number: number) => ({
  id: `hook-${number}`,
  version: 1,
  name: `Hook ${number}`,
  hook_type,
  is_active: true,
  addresses: [{ chain_id: 31337, address: anAddress(number) }],
});
const registry = (...hooks: unknown[]) => ({
  registryHooks: async () => ({ hooks, total: hooks.length, has_more: false, next_cursor: null }),
});
const failing = async () => {
  throw refusal('RPC_UNAVAILABLE', 503);
};

beforeEach(() => localStorage.clear());

async function open(id: string | undefined, answers: Record<string, unknown> = {}) {
  const api = fakeApi({
    getStrategy: async () => aStrategy(),
    listStrategies: listOf([]),
    engineFields: async () => someFields({ vault_free_assets: '5000000', vault_tvl: '10000000' }),
    validateStrategy: async () => ({ ok: true, errors: [], warnings: [], decision: null }),
    ...registry(hookOf('DEPOSIT', 0x50), hookOf('WITHDRAWAL', 0x51)),
    ...answers,
  });
  return renderPage(
    <>
      <Editor shown={aShown({ my_role: 'primary_manager', allocation })} id={id} />
      <Toasts />
    </>,
    { api, address: anAddress(0x10), url: '/?edit=x' },
  );
}
const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));
const condition = (number: number) =>
  screen.findByRole<HTMLTextAreaElement>('textbox', { name: `Node ${number}, condition` });
const hookChosen = () =>
  screen.getByRole<HTMLSelectElement>('combobox', { name: 'Hook' }).selectedOptions[0]?.textContent;

describe('the hook of a template', () => {
  test('default: the only one that fits is filled in', async () => {
    await open(undefined);
    await screen.findByRole('option', { name: 'Hook 80' });
    await press('Keep a source below a cap');
    expect(hookChosen()).toBe('Hook 81');
  });

  test.each([
    ['is read', 'resolve'],
    ['cannot be read', 'reject'],
  ] as const)('behavior: a template waits until the registry %s', async (_what, how) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    await open(undefined, { registryHooks: () => promise });
    const template = () => screen.getByRole('button', { name: 'Keep a source below a cap' });
    expect(template().hasAttribute('disabled')).toBe(true);
    if (how === 'resolve') resolve(await registry(hookOf('WITHDRAWAL', 0x51)).registryHooks());
    else reject(refusal('INTERNAL', 500));
    await waitFor(() => expect(template().hasAttribute('disabled')).toBe(false));
    await press('Keep a source below a cap');
    if (how === 'resolve') expect(hookChosen()).toBe('Hook 81');
    else expect(screen.getByRole('textbox', { name: 'Address of the hook' })).toBeTruthy();
  });

  test('behavior: where several fit, one has to be chosen', async () => {
    await open(undefined, registry(hookOf('WITHDRAWAL', 0x51), hookOf('WITHDRAWAL', 0x52)));
    await screen.findByRole('option', { name: 'Hook 81' });
    await press('Keep a source below a cap');
    expect(hookChosen()).toBe('Choose a hook');
  });
});

describe('the values of the vault', () => {
  test('error: that they could not be read is said, with a way to ask again', async () => {
    await open('idle-in', { engineFields: failing });
    const trouble = await screen.findByText('The values of the vault could not be read');
    const panel = screen.getByRole('heading', { name: 'If it ran now' }).parentElement as HTMLElement;
    expect(panel.contains(trouble)).toBe(true);
    expect(within(panel).getByRole('button', { name: 'Try again' })).toBeTruthy();
    expect(screen.queryByText(/on their way/)).toBeNull();
    expect(screen.getByText('Values could not be read; names can be used all the same.')).toBeTruthy();
  });
});

describe('names that are pressed', () => {
  test('behavior: a name goes into the rule as it is then, not as it was when the field got the focus', async () => {
    await open('idle-in');
    await userEvent.click(await condition(1));
    await press('Condition');
    expect(await condition(2)).toBeTruthy();
    await press(/^Insert ?vault_tvl/);
    expect((await condition(1)).value).toContain('vault_tvl');
    expect(screen.queryByRole('textbox', { name: 'Node 2, condition' })).not.toBeNull();
  });

  test('behavior: without a field to go to, it is said where to press first; what nothing is called is said too', async () => {
    await open('idle-in');
    await condition(1);
    await press(/^Insert ?vault_tvl/);
    expect(await screen.findByText(/^Press into the condition or size that it belongs to first/)).toBeTruthy();
    await userEvent.type(screen.getByRole('searchbox', { name: 'Find a variable' }), 'zzz');
    expect(await screen.findByText('No variable and no function is called that.')).toBeTruthy();
  });
});

test('error: what others saved and cannot be read is said, not waited for', async () => {
  let reads = 0;
  await open('idle-in', {
    getStrategy: async () => {
      reads += 1;
      if (reads > 1) throw refusal('RPC_UNAVAILABLE', 503);
      return aStrategy();
    },
    updateStrategy: async () => {
      throw refusal('VERSION_CONFLICT', 409);
    },
  });
  await condition(1);
  await press('Save the change');
  expect(await screen.findByText('What they saved could not be read')).toBeTruthy();
});
