import '../../../../test/browser.ts';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../../test/harness.tsx';
import { aShown } from '../../../../test/shown.ts';
import { allocation, aStrategy, listOf, someFields, source } from '../../../../test/strategies.ts';
import { Toasts } from '../../../design/toast.tsx';
import type { OpenStrategy, Role } from '../../types.ts';
import { Editor } from '../editor.tsx';
// The editor loads them when they are asked for; here they are there from the start.
import '../blocks/program-canvas.tsx';
import './text-view.tsx';

const expr = (text: string) => ({ type: 'EXPR' as const, expr: text });
const rules: OpenStrategy['rules'] = {
  type: 'AND',
  children: [expr('vault_free_assets > 1 USDC'), { type: 'NOT', child: expr('tick_hour > 6') }],
};

beforeEach(() => localStorage.clear());

async function open(my_role: Role = 'primary_manager', id: string | null = 'idle-in', version = 3) {
  const updateStrategy = jest.fn(async (_input: { body: Record<string, unknown> }) => aStrategy());
  const api = fakeApi({
    getStrategy: async () => aStrategy({ rules, version }),
    listStrategies: listOf([]),
    engineFields: async () => someFields({ vault_free_assets: '5000000', vault_tvl: '10000000' }),
    registryHooks: async () => ({ hooks: [], total: 0, has_more: false, next_cursor: null }),
    validateStrategy: async () => ({ ok: true, errors: [], warnings: [], decision: null }),
    updateStrategy,
  });
  const page = await renderPage(
    <>
      <Editor shown={aShown({ my_role, allocation })} id={id ?? undefined} />
      <Toasts />
    </>,
    { api, address: anAddress(0x10), url: '/?edit=x&as=text' },
  );
  await screen.findByRole('textbox', { name: 'Program' });
  return { ...page, updateStrategy };
}

const area = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Program' });
const write = (text: string) => fireEvent.change(area(), { target: { value: text } });
const edit = (before: string | RegExp, after: string) => write(area().value.replace(before, after));
/** Views are loaded when they are first asked for. */
const areaShown = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Program' });
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const formText = (name: string) => screen.getByRole<HTMLTextAreaElement>('textbox', { name }).value;
const firstUndo = () =>
  within(screen.getByRole('region', { name: 'Text of the strategy' })).getByRole('button', { name: 'Undo' });
const wrong = () => within(screen.getByRole('list', { name: 'What is wrong' })).getAllByRole('listitem');

const begun = `when all of:
  vault_free_assets > 1 USDC
  not:
    tick_hour > 6
evaluations in a row: 1

then DEPOSIT vault_free_assets / 2
into: Morpho Prime
hook: "Deposit" at ${anAddress(0x50)}

objective: balanced
max slippage: 50 bps
longest execution: 1 min
intents at once: 1
cooldown: 0 s
`;

describe('one program', () => {
  test('default: the whole strategy as one text, with a label, a description and the numbers of its lines', async () => {
    await open();
    expect(area().value).toBe(begun);
    expect(screen.getByRole('button', { name: 'Hide the text', expanded: true })).toBeTruthy();
    expect(document.getElementById(area().getAttribute('aria-describedby') ?? '')?.textContent).toMatch(/same program/);
    expect(area().getAttribute('aria-invalid')).toBe('false');
    expect(document.querySelector('pre')?.textContent?.split('\n')).toHaveLength(area().value.split('\n').length);
  });

  test('behavior: what is written in the text stands in the form, on the canvas, and is saved', async () => {
    const { updateStrategy } = await open();
    edit('  not:\n    tick_hour > 6\n', '  at least 2 of:\n    tick_hour > 6\n    tick_dow < 6\n    price > 1 USD\n');
    edit('cooldown: 0 s', 'cooldown: 6 h\nmost at once: 3 USDC');
    expect(formText('Node 2.3, condition')).toBe('price > 1 USD');
    expect([formText('Cooldown'), formText('Most at once')]).toEqual(['6 h', '3 USDC']);
    await press('Draw it on a canvas');
    expect(await screen.findByRole('treeitem', { name: /^Group 2: At least 2 of 3/ })).toBeTruthy();
    await press('Save the change');
    expect(updateStrategy.mock.calls[0]?.[0].body).toMatchObject({
      rules: { children: [{}, { type: 'VOTE', threshold: 2, children: [{}, {}, expr('price > 1 USD')] }] },
      action_config: { target_address: source, execution_address: anAddress(0x50) },
      risk_params: { max_amount: '3000000' },
      cooldown_ms: 21_600_000,
    });
  });

  test('behavior: what is written in the form stands in the text, where its own layout stays until then', async () => {
    await open();
    edit('\nevaluations', '\n\n\nevaluations');
    expect(area().value).toContain('\n\n\nevaluations');
    // Empty lines are no step.
    expect(firstUndo().hasAttribute('disabled')).toBe(true);
    fireEvent.change(screen.getByRole('textbox', { name: 'Node 1, condition' }), { target: { value: 'price > ' } });
    expect(area().value).toBe(begun.replace('vault_free_assets > 1 USDC', 'price >'));
  });

  test('behavior: a draft of the text is back when the strategy is opened again', async () => {
    const { unmount } = await open();
    edit('> 1 USDC', '> 7 USDC');
    unmount();
    await open();
    expect(area().value).toContain('vault_free_assets > 7 USDC');
    expect(await screen.findByText('Your draft is back')).toBeTruthy();
  });

  test('behavior: steps are taken back and made again', async () => {
    await open();
    edit('> 1 USDC', '> 7 USDC');
    edit('cooldown: 0 s', 'cooldown: 6 h');
    await userEvent.click(firstUndo());
    await userEvent.click(firstUndo());
    expect(area().value).toBe(begun);
    await press(/^Hide the text/);
    await press('Redo');
    expect(formText('Node 1, condition')).toBe('vault_free_assets > 7 USDC');
  });

  test('behavior: a new strategy shows what is still to be written', async () => {
    await open('primary_manager', null);
    expect(area().value).toMatch(/^when all of:\n {2}\?\n/);
    expect(area().value).toContain('\nthen DEPOSIT ?\ninto: ?\nhook: ? at ?\n');
    edit('into: ?', 'into: Morpho Prime');
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Yield source' }).value).toBe(source);
  });

  test('behavior: who only views reads it', async () => {
    await open('view_only');
    expect(area().readOnly).toBe(true);
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });

  test('behavior: the text is copied, and a variable is written at its caret', async () => {
    await open();
    const written = jest.fn(async (_text: string) => undefined);
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: written }, configurable: true });
    fireEvent.click(screen.getByRole('button', { name: 'Copy the text' }));
    await waitFor(() => expect(written).toHaveBeenCalledWith(begun));
    expect(await screen.findByText('The text was copied')).toBeTruthy();
    area().focus();
    const at = begun.indexOf('1 USDC');
    area().setSelectionRange(at, at + '1 USDC'.length);
    await press(/^Insert ?vault_tvl ?, now/);
    expect(formText('Node 1, condition')).toBe('vault_free_assets > vault_tvl');
  });
});

describe('what is wrong', () => {
  test('error: a fault of an expression stands with its line and column, which lead there, and what was meant is taken', async () => {
    await open();
    edit('tick_hour > 6', 'tick_huor > 6');
    expect(formText('Node 2.1, condition')).toBe('tick_huor > 6');
    expect(wrong().map((item) => item.textContent)).toEqual([
      expect.stringMatching(/^Line 4, column 5"tick_huor" is not a variable\. Did you mean tick_hour\?Use tick_hour$/),
    ]);
    expect(area().getAttribute('aria-invalid')).toBe('true');
    await press('Line 4, column 5');
    expect(document.activeElement).toBe(area());
    expect(area().value.slice(area().selectionStart, area().selectionEnd)).toBe('tick_huor');
    await userEvent.click(within(wrong()[0] as HTMLElement).getByRole('button', { name: 'Use tick_hour' }));
    expect(area().value).toBe(begun);
    expect(screen.queryByRole('list', { name: 'What is wrong' })).toBeNull();
  });

  test('error: a number without its unit stands in its line', async () => {
    await open();
    edit('cooldown: 0 s', 'cooldown: 90');
    expect(wrong()[0]?.textContent).toMatch(/^Line 15, column 1190 has no unit\. 90 s\?Use 90 s$/);
  });

  test('error: a text that cannot be read changes nothing, is kept while the views change, and is not saved', async () => {
    const { updateStrategy } = await open();
    edit('not:', 'no:');
    const typed = area().value;
    expect(wrong()[0]?.textContent).toMatch(/^Line 3, column 3/);
    expect(await screen.findByText(/^Not part of the program yet/)).toBeTruthy();
    expect(formText('Node 2.1, condition')).toBe('tick_hour > 6');
    await press('Save the change');
    expect(updateStrategy).not.toHaveBeenCalled();
    expect(await screen.findByText('It is not saved yet')).toBeTruthy();
    await press('Draw it on a canvas');
    expect(await screen.findByText('The text holds changes that are not part of the program')).toBeTruthy();
    await press('Go on with the text');
    expect((await areaShown()).value).toBe(typed);
    await press('Hide the text');
    await press('Drop these changes');
    await press('Write it as text');
    expect((await areaShown()).value).toBe(begun);
  });

  test('behavior: a text that cannot be read is taken back and made again', async () => {
    await open();
    edit('cooldown:', 'cool');
    const typed = area().value;
    await userEvent.click(firstUndo());
    expect(area().value).toBe(begun);
    await userEvent.click(
      within(screen.getByRole('region', { name: 'Text of the strategy' })).getByRole('button', { name: 'Redo' }),
    );
    expect(area().value).toBe(typed);
  });

  test('behavior: where the form was changed beside such a text, one of both is chosen', async () => {
    await open();
    edit('cooldown:', 'cool');
    fireEvent.change(screen.getByRole('textbox', { name: 'Cooldown' }), { target: { value: '6 h' } });
    expect(await screen.findByText('The program was changed beside this text')).toBeTruthy();
    expect(area().value).toContain('cool 0 s');
    expect(screen.getByRole('button', { name: 'Use this text' }).hasAttribute('disabled')).toBe(true);
    edit('cool 0 s', 'cooldown: 1 h');
    // It can be read again, and is still not written over the form without being asked.
    expect(formText('Cooldown')).toBe('6 h');
    await press('Use this text');
    expect(formText('Cooldown')).toBe('1 h');
    edit('cooldown:', 'cool');
    fireEvent.change(screen.getByRole('textbox', { name: 'Cooldown' }), { target: { value: '2 h' } });
    await press('Drop it and show the program');
    expect((await areaShown()).value).toBe(begun.replace('0 s', '2 h'));
  });

  test('behavior: a text that cannot be read is back with its fault after leaving, until it is dropped', async () => {
    const { where, unmount } = await open();
    edit('not:', 'no:');
    const typed = area().value;
    await userEvent.click(screen.getByRole('link', { name: 'All strategies' }));
    await waitFor(() => expect(where.search).toBe(''));
    expect(screen.queryByRole('dialog')).toBeNull();
    unmount();
    await open();
    expect(await screen.findByText('Your draft is back')).toBeTruthy();
    expect(area().value).toBe(typed);
    expect(wrong()[0]?.textContent).toMatch(/^Line 3, column 3/);
    // The program is the one that it was typed over, so that there is nothing to choose.
    expect(screen.queryByText('The program was changed beside this text')).toBeNull();
    expect(firstUndo().hasAttribute('disabled')).toBe(false);
    await press('Hide the text');
    expect(screen.getByText(/^It could not be read yet \(line 3, column 3: .*kept in this browser/)).toBeTruthy();
    await press('Drop these changes');
    expect(Object.keys(localStorage)).toEqual([]);
  });

  test('behavior: such a text over an earlier version comes back with the draft that is offered', async () => {
    const { unmount } = await open();
    edit('not:', 'no:');
    const typed = area().value;
    unmount();
    await open('primary_manager', 'idle-in', 4);
    expect(area().value).toBe(begun);
    await press('Show my draft');
    expect(area().value).toBe(typed);
    await userEvent.click(firstUndo());
    await waitFor(() => expect(area().value).toBe(begun));
  });

  test('error: where nothing can be kept, leaving with a text that cannot be read asks', async () => {
    const refused = jest.spyOn(Object.getPrototypeOf(localStorage), 'setItem').mockImplementation(() => {
      throw new Error('QuotaExceededError');
    });
    try {
      const { where } = await open();
      edit('cooldown:', 'cool');
      await userEvent.click(screen.getByRole('link', { name: 'All strategies' }));
      expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy();
      await press('Stay');
      expect(where.search).toContain('as=text');
    } finally {
      refused.mockRestore();
    }
  });
});
