import '../../../test/browser.ts';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown, refusal } from '../../../test/shown.ts';
import { allocation, anExit, aStrategy, listOf, someFields, source } from '../../../test/strategies.ts';
import type { Role } from '../types.ts';
import { Editor } from './editor.tsx';
import { markAt } from './expression-field.tsx';

const vault_id = `31337:${anAddress(1)}`;
const hook = {
  id: 'hook-1',
  version: 1,
  name: 'Deposit',
  hook_type: 'DEPOSIT',
  is_active: true,
  addresses: [{ chain_id: 31337, address: anAddress(0x50) }],
};
const position = { offset: 0, line: 1, column: 1 };
const sound = { ok: true, errors: [], warnings: [], decision: null };
const fields = someFields({ vault_free_assets: '5000000', vault_tvl: '10000000', price: null });

beforeEach(() => localStorage.clear());

async function open(id: string | undefined, answers: Record<string, unknown> = {}, my_role: Role = 'primary_manager') {
  const api = fakeApi({
    getStrategy: async () => aStrategy(),
    listStrategies: listOf([]),
    engineFields: async () => fields,
    registryHooks: async () => ({ hooks: [hook], total: 1, has_more: false, next_cursor: null }),
    validateStrategy: async () => sound,
    ...answers,
  });
  const shown = aShown({ my_role, allocation });
  return renderPage(<Editor shown={shown} id={id} />, { api, address: anAddress(0x10), url: '/?edit=x' });
}
const rule = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Node 1, condition' });
const write = async (field: HTMLElement, text: string) => {
  await userEvent.clear(field);
  await userEvent.click(field);
  await userEvent.paste(text);
};
const save = (name: string) => userEvent.click(screen.getByRole('button', { name }));

describe('writing a rule', () => {
  test('error: what is wrong is marked where it stands, as one types', async () => {
    await open('idle-in');
    await write(await rule(), 'vault_tvl >\n and 1');
    expect(screen.getByText(/^Line 2, column 2: Expected a value, found "and"/)).toBeTruthy();
    expect(document.querySelector('mark')?.textContent).toBe('and');
    expect((await rule()).getAttribute('aria-invalid')).toBe('true');
  });

  test('behavior: a likely name is offered and taken', async () => {
    await open('idle-in');
    await write(await rule(), 'vault_free_asets > 1 USDC');
    await userEvent.click(screen.getByRole('button', { name: 'Use vault_free_assets' }));
    expect((await rule()).value).toBe('vault_free_assets > 1 USDC');
    expect((await rule()).getAttribute('aria-invalid')).toBe('false');
  });

  test('behavior: a variable is written at the caret, with its value now beside it', async () => {
    await open('idle-in');
    const field = await rule();
    await write(field, '1 < ');
    await userEvent.click(await screen.findByRole('button', { name: /^Insert ?vault_free_assets ?, now ?5 USDC$/ }));
    expect(field.value).toBe('1 < vault_free_assets');
    expect(screen.getByRole('button', { name: /^Insert ?price ?, now ?no value$/ })).toBeTruthy();
    expect(screen.getByRole('button', { name: /^Insert ?tick_year ?, now ?20\d\d$/ })).toBeTruthy();
  });

  test('behavior: a keyboard comes to the form without passing each variable', async () => {
    await open('idle-in');
    await rule();
    await userEvent.click(screen.getByRole('button', { name: 'Skip the variables' }));
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' }));
  });

  test('behavior: nodes are added, retyped and removed; the whole tree is saved', async () => {
    const updateStrategy = jest.fn(async (_input: unknown) => aStrategy());
    await open('idle-in', { updateStrategy });
    await rule();
    await userEvent.click(screen.getByRole('button', { name: 'Group' }));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Node 2 is' }), 'VOTE');
    await write(screen.getByRole('textbox', { name: 'Node 2.1, condition' }), 'tick_hour > 6');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Node 1 is' }), 'NOT');
    await save('Save the change');
    expect(updateStrategy.mock.calls[0]?.[0]).toMatchObject({
      params: { id: 'idle-in' },
      body: {
        version: 3,
        rules: {
          type: 'AND',
          children: [
            { type: 'NOT', child: { type: 'EXPR', expr: 'vault_free_assets > 1 USDC' } },
            { type: 'VOTE', threshold: 1, children: [{ type: 'EXPR', expr: 'tick_hour > 6' }] },
          ],
        },
      },
    });
  });

  test('default: the word at a place, on its line', () => {
    expect(markAt('a >\nbcd + 1', 4)).toEqual({ before: '', marked: 'bcd', after: ' + 1', from: 4, to: 7 });
    expect(markAt('a > 1_0.5 b', 4, 5)).toMatchObject({ marked: '1_0.5', to: 9 });
    expect(markAt('a >', 3)).toMatchObject({ before: 'a >', marked: ' ', after: '' });
  });
});

describe('a draft that is left', () => {
  const link = () => userEvent.click(screen.getByRole('link', { name: 'All strategies' }));
  const leftBehind = async (text: string) => {
    const { where, unmount } = await open('idle-in');
    await write(await rule(), text);
    await link();
    expect(where.search).toBe('');
    unmount();
  };

  test('behavior: it is back when the strategy is opened again, until it is dropped', async () => {
    await leftBehind('1 < 2');
    await open('idle-in');
    expect((await rule()).value).toBe('1 < 2');
    expect(screen.getByText('Your draft is back')).toBeTruthy();
    await save('Drop it and show what is saved');
    expect((await rule()).value).toBe('vault_free_assets > 1 USDC');
    expect(Object.keys(localStorage)).toEqual([]);
  });

  test('behavior: one that was never saved is back too, with its id', async () => {
    const page = await open(undefined);
    await write(screen.getByRole('textbox', { name: 'Name' }), 'Night watch');
    page.unmount();
    await open(undefined);
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Id' }).value).toMatch(/^night-watch-/);
    await save('Drop it and start over');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('');
    expect(screen.getByText('Begin with')).toBeTruthy();
  });

  test('behavior: over a version that others saved since it is only offered', async () => {
    await leftBehind('1 < 2');
    await open('idle-in', { getStrategy: async () => aStrategy({ version: 4 }) });
    expect((await rule()).value).toBe('vault_free_assets > 1 USDC');
    await save('Show my draft');
    expect((await rule()).value).toBe('1 < 2');
  });

  test('behavior: nothing is kept of what was put back, of what was saved, and of what others wrote into the browser', async () => {
    const { unmount } = await open('idle-in');
    const written = (await rule()).value;
    await write(await rule(), '1 < 2');
    const [place = ''] = Object.keys(localStorage);
    await write(await rule(), written);
    expect(Object.keys(localStorage)).toEqual([]);
    unmount();
    for (const text of ['{', 'null', '{"draft":{"rule":1},"version":3,"at":"2026-01-01T00:00:00Z"}']) {
      localStorage.setItem(place, text);
      const page = await open('idle-in');
      expect([(await rule()).value, screen.queryByText('Your draft is back')]).toEqual([written, null]);
      page.unmount();
    }
  });

  test('error: where nothing can be kept, leaving asks', async () => {
    const refused = jest.spyOn(Object.getPrototypeOf(localStorage), 'setItem').mockImplementation(() => {
      throw new Error('QuotaExceededError');
    });
    try {
      const { where } = await open('idle-in');
      await write(await rule(), '1 < 2');
      await link();
      expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy();
      await save('Stay');
      expect(where.search).toBe('?edit=x');
    } finally {
      refused.mockRestore();
    }
  });
});

test('behavior: steps are taken back and made again', async () => {
  await open('idle-in');
  await write(await rule(), '1 < 2');
  await userEvent.click(screen.getByRole('button', { name: 'Group' }));
  await save('Undo');
  expect(screen.queryByRole('combobox', { name: 'Node 2 is' })).toBeNull();
  await save('Undo');
  expect((await rule()).value).toBe('vault_free_assets > 1 USDC');
  await save('Redo');
  await save('Redo');
  expect(screen.getByRole('combobox', { name: 'Node 2 is' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Redo' }).hasAttribute('disabled')).toBe(true);
});

test('default: a new strategy begins with a template, which undo takes away', async () => {
  await open(undefined);
  await screen.findByRole('combobox', { name: 'Hook' });
  await userEvent.click(screen.getByRole('button', { name: 'Keep a source below a cap' }));
  expect((await rule()).value).toBe('Morpho Prime.amount > vault_tvl * 0.6');
  expect(screen.queryByText('Begin with')).toBeNull();
  await save('Undo');
  expect(screen.getByText('Begin with')).toBeTruthy();
});

describe('what it would do now', () => {
  const panel = () => screen.getByRole('heading', { name: 'If it ran now' }).parentElement as HTMLElement;

  test('default: node by node, with the size and its worth', async () => {
    await open('idle-in');
    expect(await screen.findByText('Would fire now')).toBeTruthy();
    expect(panel().textContent).toMatch(/Size: 2.5 USDC/);
    expect(panel().textContent).toMatch(/Holds: 5 USDC > 1 USDC/);
    expect(panel().textContent).toMatch(/vault_free_assets5 USDC/);
  });

  test('behavior: that it would fire is said of what was checked only', async () => {
    const errors = [
      { path: 'action_config.target_address', code: 'X', message: 'Not a source.', position, suggestion: null },
    ];
    await open('idle-in', { validateStrategy: async () => ({ ...sound, ok: false, errors }) });
    expect(await screen.findByText('Holds now; not checked yet')).toBeTruthy();
    expect(await screen.findByText('Not a source.')).toBeTruthy();
    expect(screen.queryByText('Would fire now')).toBeNull();
  });

  test('behavior: what is refused is not said to fire', async () => {
    await open('idle-in');
    expect(await screen.findByText('Would fire now')).toBeTruthy();
    await write(await rule(), 'vault_free_assets > 1');
    expect(screen.queryByText('Would fire now')).toBeNull();
    expect(panel().textContent).toContain('once the rule and the size can be read');
  });

  test('behavior: what is not known does not fire, and is named', async () => {
    await open('idle-in');
    await write(await rule(), 'price < 0.98');
    expect(await screen.findByText('Would not fire: a value is missing')).toBeTruthy();
    expect(panel().textContent).toContain('price has no value at this block.');
  });
});

describe('units and names', () => {
  const note = (words: RegExp) => screen.findByText(words);

  test('error: a number without a unit beside an amount is refused, and what was meant is offered', async () => {
    const updateStrategy = jest.fn(async (_input: unknown) => aStrategy());
    await open('idle-in', { updateStrategy });
    await write(await rule(), 'vault_free_assets > 1000');
    expect(await note(/^Line 1, column 21: 1000 has no unit. 1000 USDC\?$/)).toBeTruthy();
    expect(document.querySelector('mark')?.textContent).toBe('1000');
    await save('Save the change');
    expect(updateStrategy).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Use 1000 USDC' }));
    expect((await rule()).value).toBe('vault_free_assets > 1000 USDC');
    await save('Save the change');
    expect(updateStrategy.mock.calls[0]?.[0]).toMatchObject({ body: { bare_numbers: 'refused' } });
  });

  test('behavior: what is stored in base units and addresses is opened with units and names', async () => {
    const rules = {
      type: 'EXPR' as const,
      expr: `vault_free_assets > 2500000 or ys_${source.toLowerCase()}_apy > 0.05`,
    };
    const risk_params = { max_amount: '3000000', min_free_assets: null };
    const stored = aStrategy({ rules, risk_params, cooldown_ms: 21_600_000, written_in: 'base_units' });
    await open('idle-in', { getStrategy: async () => stored });
    const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Rule, condition' });
    expect(field.value).toBe('vault_free_assets > 2.5 USDC or Morpho Prime.apy > 5 %');
    const value = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name }).value;
    expect(['Most at once', 'Cooldown', 'Max slippage', 'Longest execution'].map(value)).toEqual([
      '3 USDC',
      '6 h',
      '50 bps',
      '1 min',
    ]);
    expect(screen.getByText('It was written in base units')).toBeTruthy();
  });

  test('behavior: a source is named in the list of variables, in the reasons, and to the server', async () => {
    const updateStrategy = jest.fn(async (_input: unknown) => aStrategy());
    const apy = { [`ys_${source.toLowerCase()}_apy`]: '0.061' };
    const engineFields = async () => someFields({ vault_free_assets: '5000000', ...apy });
    await open('idle-in', { updateStrategy, engineFields });
    const field = await rule();
    await write(field, '5 % < ');
    await userEvent.click(await screen.findByRole('button', { name: /^Insert ?Morpho Prime\.apy ?, now ?6\.10%$/ }));
    expect(field.value).toBe('5 % < Morpho Prime.apy');
    expect((await screen.findByText('5 % < 6.1 %')).textContent).toBeTruthy();
    await save('Save the change');
    expect(updateStrategy.mock.calls[0]?.[0]).toMatchObject({
      body: { names: { 'Morpho Prime': source.toLowerCase() } },
    });
  });

  test('behavior: what has no value is named as it is written', async () => {
    await open('idle-in');
    await write(await rule(), 'Morpho Prime.apy > 5 %');
    expect((await screen.findAllByText(/Morpho Prime\.apy has no value at this block/)).length).toBeGreaterThan(0);
    expect(document.body.textContent).not.toContain(`ys_${source.toLowerCase()}`);
  });

  test('error: an unknown name is refused with the likely one and its short address', async () => {
    await open('idle-in');
    await write(await rule(), 'Morpho Prme.apy > 5 %');
    const address = `${source.slice(0, 6)}…${source.slice(-4)}`.toLowerCase();
    expect(await note(new RegExp(`Did you mean Morpho Prime \\(${address}\\)`))).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Use Morpho Prime.apy' }));
    expect((await rule()).value).toBe('Morpho Prime.apy > 5 %');
  });

  test('error: a limit without a unit is refused, and what was probably meant is offered', async () => {
    const updateStrategy = jest.fn(async (_input: unknown) => aStrategy());
    await open('idle-in', { updateStrategy });
    await rule();
    await write(screen.getByRole('textbox', { name: 'Cooldown' }), '3600');
    await write(screen.getByRole('textbox', { name: 'Most at once' }), '1000');
    expect(await note(/^3600 has no unit. 3600 s\?$/)).toBeTruthy();
    expect(await note(/^1000 has no unit. 1000 USDC\?$/)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Use 3600 s' }));
    await userEvent.click(screen.getByRole('button', { name: 'Use 1000 USDC' }));
    const value = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name }).value;
    expect(['Cooldown', 'Most at once'].map(value)).toEqual(['3600 s', '1000 USDC']);
    expect(screen.queryByRole('button', { name: /^Use / })).toBeNull();
    await write(screen.getByRole('textbox', { name: 'Longest execution' }), '30 sec');
    await userEvent.click(await screen.findByRole('button', { name: 'Use 30 s' }));
    expect(value('Longest execution')).toBe('30 s');
    await save('Save the change');
    expect(updateStrategy.mock.calls[0]?.[0]).toMatchObject({
      body: { cooldown_ms: 3_600_000, risk_params: { max_amount: '1000000000', min_free_assets: null } },
    });
  });

  test('behavior: a threshold far from what there is now is warned about', async () => {
    await open('idle-in');
    await write(await rule(), 'vault_free_assets > 1_000_000 USDC');
    expect(await note(/is 5 USDC now; 1_000_000 USDC is 100_000 times as much\. Check the unit\.$/)).toBeTruthy();
    expect((await rule()).getAttribute('aria-invalid')).toBe('false');
  });
});

describe('saving', () => {
  test('behavior: a new one is sent whole; its id follows its name', async () => {
    const createStrategy = jest.fn(async (_input: unknown) => aStrategy());
    await open(undefined, { createStrategy });
    await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'Idle in');
    await write(await rule(), 'vault_free_assets > 1_000 USDC');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Yield source' }), source);
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Hook' }), anAddress(0x50));
    await write(screen.getByRole('textbox', { name: 'Size' }), 'vault_free_assets');
    await save('Save the strategy');
    expect(createStrategy.mock.calls[0]?.[0]).toMatchObject({
      body: {
        vault_id,
        id: `idle-in-${anAddress(1).slice(-4).toLowerCase()}`,
        name: 'Idle in',
        action_config: {
          action: 'DEPOSIT',
          size_expr: 'vault_free_assets',
          execution_name: 'Deposit',
          execution_address: anAddress(0x50),
          target_address: source,
          max_slippage_bps: 50,
        },
        cooldown_ms: 0,
      },
    });
  });

  test('behavior: nothing is sent while something is missing, and all of it is named', async () => {
    await open(undefined);
    expect(screen.queryByText('Give it a name.')).toBeNull();
    await save('Save the strategy');
    expect(screen.getByText('Give it a name.')).toBeTruthy();
    expect(screen.getByText('Choose the yield source.')).toBeTruthy();
    expect(screen.getByText('It is not saved yet')).toBeTruthy();
  });

  test('error: what only the server finds stands at its field', async () => {
    const errors = [
      { path: 'action_config.target_address', code: 'X', message: 'Not a source.', position, suggestion: null },
    ];
    await open('idle-in', { validateStrategy: async () => ({ ...sound, ok: false, errors }) });
    expect(await screen.findByText('Not a source.')).toBeTruthy();
  });

  test('behavior: a change by somebody else keeps the text, and is written over only when asked', async () => {
    const versions: unknown[] = [];
    const updateStrategy = async ({ body }: { body: { version: number } }) => {
      versions.push(body.version);
      if (body.version === 3) throw refusal('VERSION_CONFLICT', 409);
      return aStrategy({ version: 8 });
    };
    let reads = 0;
    const getStrategy = async () => {
      reads += 1;
      return aStrategy({ version: reads === 1 ? 3 : 7 });
    };
    await open('idle-in', { updateStrategy, getStrategy });
    await write(await rule(), 'vault_free_assets > 77 USDC');
    await save('Save the change');
    expect(await screen.findByText(/It is at version 7 now; you began with 3/)).toBeTruthy();
    expect((await rule()).value).toBe('vault_free_assets > 77 USDC');
    await save('Save mine over it');
    await waitFor(() => expect(versions).toEqual([3, 7]));
  });

  test('behavior: who only views reads it and has no button to save', async () => {
    await open('idle-in', {}, 'view_only');
    expect((await rule()).matches(':disabled')).toBe(true);
    expect(screen.queryByRole('button', { name: /Save|Archive|Start/ })).toBeNull();
  });

  test('behavior: archiving is asked about, and leads back to all strategies', async () => {
    let now = aStrategy();
    const setStrategyState = jest.fn(async (_input: unknown) => {
      now = aStrategy({ state: 'ARCHIVED', version: 4 });
      return now;
    });
    // The strategy is read anew before the rest of what the change makes old.
    const engineFields = async () => {
      // biome-ignore lint/plugin: an answer that comes after the others is what is tested
      if (now.state === 'ARCHIVED') await new Promise((resolve) => setTimeout(resolve, 50));
      return fields;
    };
    const { where } = await open('idle-in', { setStrategyState, engineFields, getStrategy: async () => now });
    await rule();
    await save('Archive');
    const dialog = await screen.findByRole('dialog', { name: 'Archive the strategy' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Archive' }));
    expect(setStrategyState).toHaveBeenCalledWith({
      params: { id: 'idle-in' },
      body: { target_state: 'ARCHIVED', version: 3 },
    });
    await waitFor(() => expect(where.search).toBe(''));
  });

  test('behavior: an emergency exit is not written here', async () => {
    await open('exit-1', { getStrategy: async () => anExit() });
    expect(await screen.findByText('This strategy is not written here')).toBeTruthy();
  });
});
