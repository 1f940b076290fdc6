import '../../../../test/browser.ts';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { act, createEvent, fireEvent, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../../test/harness.tsx';
import { aShown } from '../../../../test/shown.ts';
import { allocation, aStrategy, listOf, someFields } from '../../../../test/strategies.ts';
import { Toasts } from '../../../design/toast.tsx';
import type { OpenStrategy, Role } from '../../types.ts';
import { Editor } from '../editor.tsx';
// The editor loads it when it is asked for; here it is there from the start.
import './program-canvas.tsx';

const expr = (text: string) => ({ type: 'EXPR' as const, expr: text });
const rules: OpenStrategy['rules'] = {
  type: 'AND',
  children: [
    expr('vault_free_assets > 1 USDC'),
    { type: 'OR', children: [expr('tick_hour > 6'), expr('tick_dow < 6')] },
    { type: 'NOT', child: expr('vault_tvl > 9 USDC') },
    { type: 'VOTE', threshold: 2, children: [expr('tick_day > 1'), expr('tick_day < 9')] },
  ],
};

beforeEach(() => localStorage.clear());

async function open(my_role: Role = 'primary_manager') {
  const updateStrategy = jest.fn(async (_input: { body: { rules: unknown } }) => aStrategy());
  const api = fakeApi({
    getStrategy: async () => aStrategy({ rules }),
    listStrategies: listOf([]),
    engineFields: async () => someFields({ vault_free_assets: '5000000', vault_tvl: '10000000' }),
    registryHooks: async () => ({ hooks: [], total: 0, has_more: false, next_cursor: null }),
    validateStrategy: async () => ({ ok: true, errors: [], warnings: [], decision: null }),
    updateStrategy,
  });
  const shown = aShown({ my_role, allocation });
  await renderPage(
    <>
      <Editor shown={shown} id="idle-in" />
      <Toasts />
    </>,
    { api, address: anAddress(0x10), url: '/?edit=x&as=canvas' },
  );
  await screen.findByRole('tree', { name: 'Blocks of the strategy' });
  const saved = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Save the change' }));
    return updateStrategy.mock.calls.at(-1)?.[0].body.rules;
  };
  return { saved };
}

const tree = () => screen.getByRole('tree');
/** What the blocks are called, in their order, without how they judge the vault. */
const labels = () =>
  within(tree())
    .getAllByRole('treeitem')
    .map((item) => item.getAttribute('aria-label')?.replace(/, (holds|does not hold|not known) now/, ''));
const item = (name: RegExp) => within(tree()).getByRole('treeitem', { name });
const focused = () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName;
const press = (keys: string) => userEvent.keyboard(keys);
const focus = (name: RegExp) => userEvent.click(item(name));
const formNode = (name: string) => screen.getByRole<HTMLTextAreaElement>('textbox', { name });

const begun = [
  'Action: Deposit, vault_free_assets / 2',
  'Yield source: Morpho Prime',
  'When: All of',
  'Condition 1: vault_free_assets > 1 USDC',
  'Group 2: Any of',
  'Condition 2.1: tick_hour > 6',
  'Condition 2.2: tick_dow < 6',
  'Group 3: Not',
  'Condition 3.1: vault_tvl > 9 USDC',
  'Group 4: At least 2 of 2',
  'Condition 4.1: tick_day > 1',
  'Condition 4.2: tick_day < 9',
];

describe('one program', () => {
  test('default: the action, its source and every node are blocks, with how they judge the vault now', async () => {
    const { saved } = await open();
    expect(labels()).toEqual(begun);
    expect(await screen.findByRole('treeitem', { name: /^Condition 1: .*, holds now$/ })).toBeTruthy();
    expect(item(/^Group 3: Not, does not hold now$/)).toBeTruthy();
    expect(await saved()).toEqual(rules);
  });

  test('default: the button that shows the canvas says that it is open', async () => {
    await open();
    const button = screen.getByRole('button', { name: 'Hide the canvas', expanded: true });
    expect(button.hasAttribute('aria-pressed')).toBe(false);
  });

  test('behavior: what is written in a block stands in the form, and what is written in the form in its block', async () => {
    await open();
    await focus(/^Condition 2\.1/);
    await press('{Enter}');
    const field = within(item(/^Condition 2\.1/)).getByRole('textbox', { name: 'Condition' });
    expect(document.activeElement).toBe(field);
    await userEvent.clear(field);
    await userEvent.paste('tick_hour > ');
    expect(formNode('Node 2.1, condition').value).toBe('tick_hour > ');
    await press('{Escape}');
    expect(focused()).toMatch(/^Condition 2\.1: tick_hour >, Expected a value/);
    await userEvent.clear(formNode('Node 1, condition'));
    await userEvent.click(formNode('Node 1, condition'));
    await userEvent.paste('price > 1 USD');
    expect(item(/^Condition 1: price > 1 USD/)).toBeTruthy();
  });

  test('behavior: the action, the source and the kind of a group are written in their blocks', async () => {
    const { saved } = await open();
    await focus(/^Action/);
    await press('{F2}');
    await userEvent.selectOptions(within(tree()).getByRole('combobox', { name: 'Action' }), 'Rebalance');
    expect(item(/^Out of source: No source yet/)).toBeTruthy();
    await press('{Escape}{Control>}z{/Control}');
    expect(labels()).toEqual(begun);
    await userEvent.click(within(item(/^Group 4/)).getByRole('button', { name: 'Edit group 4 (At least 2 of 2)' }));
    await userEvent.selectOptions(within(tree()).getByRole('combobox', { name: 'Kind of group' }), 'OR');
    await userEvent.click(within(tree()).getByRole('button', { name: 'Done' }));
    expect(focused()).toMatch(/^Group 4: Any of/);
    expect(await saved()).toMatchObject({ children: [{}, {}, {}, { type: 'OR' }] });
  });
});

describe('by keys', () => {
  test('behavior: arrows move between blocks, and one of them is reached by Tab', async () => {
    await open();
    await focus(/^When/);
    const way = async (keys: readonly string[]) => {
      const seen = [];
      for (const key of keys) {
        await press(`{${key}}`);
        seen.push(focused()?.replace(/[:,].*/, ''));
      }
      return seen;
    };
    expect(await way(['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowLeft'])).toEqual([
      'Condition 1',
      'Group 2',
      'Condition 2.1',
      'Group 2',
      'Condition 1',
      'When',
    ]);
    expect(await way(['ArrowLeft', 'ArrowRight', 'ArrowLeft', 'ArrowUp', 'End', 'Home'])).toEqual([
      'Action',
      'Yield source',
      'Action',
      'Action',
      'Condition 4.2',
      'Action',
    ]);
    expect(within(tree()).getAllByRole('treeitem', { selected: true })).toHaveLength(1);
    expect(tree().querySelectorAll('[role="treeitem"][tabindex="0"]')).toHaveLength(1);
  });

  test('behavior: a block is removed, put in another order, and the steps are taken back and made again', async () => {
    const { saved } = await open();
    await focus(/^Group 2:/);
    await press('{Delete}');
    expect(focused()).toMatch(/^Group 2: Not/);
    await press('{Alt>}{ArrowUp}{/Alt}');
    expect(focused()).toMatch(/^Group 1: Not/);
    await press('{Control>}z{/Control}{Control>}z{/Control}');
    expect(labels()).toEqual(begun);
    await press('{Control>}y{/Control}{Control>}{Shift>}z{/Shift}{/Control}');
    expect(await saved()).toMatchObject({ children: [{ type: 'NOT' }, expr('vault_free_assets > 1 USDC'), {}] });
  });

  test('behavior: a vote stays as it is when its blocks are put in another order, and says when it asks for less', async () => {
    await open();
    await focus(/^Condition 4\.1/);
    await press('{Alt>}{ArrowDown}{/Alt}');
    expect(labels().slice(-3)).toEqual([
      'Group 4: At least 2 of 2',
      'Condition 4.1: tick_day < 9',
      'Condition 4.2: tick_day > 1',
    ]);
    expect(screen.queryByText(/asks for less/)).toBeNull();
    await press('{Delete}');
    expect(await screen.findByText(/asks for less: at least 1 of 1/)).toBeTruthy();
  });

  test('error: the rule, the action and the source are not removed, and it is said why', async () => {
    await open();
    await focus(/^When/);
    await press('{Delete}');
    expect(await screen.findByText(/A strategy has a rule/)).toBeTruthy();
    await press('{Home}{Backspace}');
    expect(await screen.findByText(/A strategy has an action and a source/)).toBeTruthy();
    expect(labels()).toEqual(begun);
  });

  test('behavior: the menu moves a block into another group, negates and copies it', async () => {
    await open();
    const choose = async (name: RegExp, entry: string) => {
      fireEvent.contextMenu(item(name));
      await userEvent.click(await screen.findByRole('menuitem', { name: entry }));
    };
    await choose(/^Condition 1/, 'Group 2: Any of');
    expect(focused()).toMatch(/^Condition 1\.3: vault_free_assets/);
    await choose(/^Condition 1\.1/, 'Negate');
    expect(labels().slice(3, 6)).toEqual(['Group 1: Any of', 'Group 1.1: Not', 'Condition 1.1.1: tick_hour > 6']);
    await choose(/^Group 2: Not/, 'Duplicate');
    expect(labels().filter((label) => label?.endsWith('vault_tvl > 9 USDC'))).toEqual([
      'Condition 2.1: vault_tvl > 9 USDC',
      'Condition 3.1: vault_tvl > 9 USDC',
    ]);
    fireEvent.contextMenu(item(/^Group 1: Any of/));
    await screen.findByRole('menu');
    expect(screen.queryByRole('menuitem', { name: 'Group 1.1: Not' })).toBeNull();
  });
});

describe('keys of the menu', () => {
  const onMac = (isMac: boolean) =>
    jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue(isMac ? 'Mozilla/5.0 (Macintosh)' : 'Mozilla/5.0 (X11)');
  afterEach(() => {
    jest.restoreAllMocks();
  });
  /** Names and keys of what the menu of a block offers. */
  const menuOf = async (name: RegExp) => {
    fireEvent.contextMenu(item(name));
    const entries = within(await screen.findByRole('menu')).getAllByRole('menuitem');
    return entries.map((entry) => {
      const keys = document.getElementById(entry.getAttribute('aria-describedby') ?? '')?.textContent;
      return [entry.textContent?.replace(keys ?? '', ''), keys];
    });
  };

  test('default: every step of a block has its keys beside it, which are read with it', async () => {
    onMac(false);
    await open();
    expect((await menuOf(/^Condition 2\.1/)).slice(0, 12)).toEqual([
      ['Edit', 'Enter'],
      ['Add a condition', 'Ctrl Enter'],
      ['Add a group', 'Ctrl Shift Enter'],
      ['Paste', 'Ctrl V'],
      ['Copy', 'Ctrl C'],
      ['Cut', 'Ctrl X'],
      ['Duplicate', 'Ctrl D'],
      ['Put into a group', 'Ctrl G'],
      ['Negate', '!'],
      ['Move up', 'Alt ↑'],
      ['Move down', 'Alt ↓'],
      ['Remove', 'Del'],
    ]);
  });

  test('default: on a Mac they are those of its keyboard, in the menu and below the canvas', async () => {
    onMac(true);
    await open();
    expect(screen.getByText(/⌘ with C, X, V and Z copies/)).toBeTruthy();
    const keys = (await menuOf(/^Condition 2\.1/)).map(([, each]) => each);
    expect(keys).toContain('⌘ D');
    expect(keys.filter((each) => /Ctrl|Alt|Del/.test(each ?? ''))).toEqual([]);
  });

  test('behavior: they duplicate, group, negate and add; the action is neither', async () => {
    await open();
    await focus(/^Condition 1/);
    await press('{Control>}d{/Control}');
    expect(focused()).toMatch(/^Condition 2: vault_free_assets > 1 USDC/);
    await press('!');
    expect(labels().slice(3, 6)).toEqual([
      'Condition 1: vault_free_assets > 1 USDC',
      'Group 2: Not',
      'Condition 2.1: vault_free_assets > 1 USDC',
    ]);
    await press('{Control>}g{/Control}');
    expect(labels().slice(4, 7)).toEqual([
      'Group 2: All of',
      'Group 2.1: Not',
      'Condition 2.1.1: vault_free_assets > 1 USDC',
    ]);
    await press('{Control>}{Enter}{/Control}');
    expect(document.activeElement?.tagName).toBe('TEXTAREA');
    await press('{Escape}{Control>}zzzz{/Control}');
    expect(labels()).toEqual(begun);
    await focus(/^Action/);
    await press('{Control>}d{/Control}!');
    expect(labels()).toEqual(begun);
    expect(await screen.findByText('A strategy has an action and a source: change them.')).toBeTruthy();
  });

  test('behavior: a copy is said', async () => {
    await open();
    fireEvent.contextMenu(item(/^Condition 1/));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Copy' }));
    expect(await screen.findByText('The block was copied')).toBeTruthy();
  });
});

describe('adding and copying', () => {
  test('behavior: a block of the palette comes where the reader is, and is written at once', async () => {
    const { saved } = await open();
    await focus(/^Group 2:/);
    await userEvent.click(screen.getByRole('button', { name: 'Add Not' }));
    expect(focused()).toMatch(/^Group 2\.3: Not/);
    await userEvent.click(screen.getByRole('button', { name: 'Add Condition' }));
    await userEvent.paste('price < 2 USD');
    await press('{Control>}{Enter}{/Control}');
    expect(focused()).toMatch(/^Condition 2\.3\.1: price < 2 USD/);
    expect(await saved()).toMatchObject({
      children: [{}, { children: [{}, {}, { type: 'NOT', child: expr('price < 2 USD') }] }, {}, {}],
    });
  });

  const clipboard = (type: 'copy' | 'cut' | 'paste', text = '') => {
    const data = { 'text/plain': text };
    const clipboardData = {
      getData: () => data['text/plain'],
      setData: (_type: string, value: string) => {
        data['text/plain'] = value;
      },
    };
    const target = document.activeElement ?? document.body;
    fireEvent(target, createEvent[type](target, { clipboardData }));
    return data['text/plain'];
  };

  test('behavior: a block that is cut is pasted elsewhere, as the text that the API takes', async () => {
    await open();
    await focus(/^Group 2:/);
    const text = clipboard('cut');
    expect(JSON.parse(text)).toEqual(rules.type === 'AND' ? rules.children[1] : undefined);
    expect(focused()).toMatch(/^Group 2: Not/);
    await focus(/^Group 3: At least/);
    clipboard('paste', text);
    expect(labels().slice(-3)).toEqual([
      'Group 3.3: Any of',
      'Condition 3.3.1: tick_hour > 6',
      'Condition 3.3.2: tick_dow < 6',
    ]);
    clipboard('paste', 'price > 3 USD');
    expect(labels().at(-1)).toBe('Condition 3.3.3: price > 3 USD');
    clipboard('paste', 'good morning');
    expect(await screen.findByText('What was copied is no block and no condition.')).toBeTruthy();
  });

  test('behavior: keys and texts of a field are not taken for those of its block', async () => {
    await open();
    await focus(/^Condition 1/);
    await press('{Enter}{Backspace}{Home}');
    expect(clipboard('copy')).toBe('');
    expect(labels()).toHaveLength(begun.length);
  });
});

describe('by a pointer', () => {
  const over = jest.fn<(x: number, y: number) => Element | null>();
  beforeEach(() => {
    Object.assign(document, { elementFromPoint: over });
  });
  afterEach(() => {
    Reflect.deleteProperty(document, 'elementFromPoint');
    over.mockReset();
    jest.restoreAllMocks();
  });
  // There is no PointerEvent here; a mouse event of its name with what is read of one.
  type Pointer = { pointerType?: string; pointerId?: number; buttons?: number };
  const pointer = (
    target: Element | Window,
    type: string,
    { x, y }: { x: number; y: number },
    { pointerType = 'mouse', pointerId = 1, buttons = type === 'pointerup' ? 0 : 1 }: Pointer = {},
  ) => {
    const event = new MouseEvent(type, { bubbles: true, cancelable: true, clientX: x, clientY: y, buttons });
    fireEvent(target, Object.assign(event, { pointerType, pointerId, isPrimary: pointerId === 1 }));
  };
  const carry = (from: Element, to: RegExp, of: Pointer = {}) => {
    over.mockReturnValue(item(to));
    pointer(from, 'pointerdown', { x: 10, y: 300 }, of);
    pointer(window, 'pointermove', { x: 60, y: 360 }, of);
  };
  const drop = () => pointer(window, 'pointerup', { x: 60, y: 360 });

  test('behavior: a block is dragged onto a group', async () => {
    await open();
    carry(item(/^Condition 1/), /^Group 2: Any of/);
    drop();
    expect(labels()).toContain('Condition 1.3: vault_free_assets > 1 USDC');
  });

  test('behavior: a new block is dragged to its place', async () => {
    await open();
    carry(screen.getByRole('button', { name: 'Add All of' }), /^Group 2: Any of/);
    drop();
    expect(labels()).toContain('Group 2.3: All of');
  });

  test('behavior: Escape drops nothing, a press moves nothing, and a finger carries by the handle alone', async () => {
    await open();
    const face = item(/^Condition 1/);
    carry(face, /^Group 2: Any of/);
    fireEvent.keyDown(window, { key: 'Escape' });
    drop();
    pointer(face, 'pointerdown', { x: 10, y: 300 });
    pointer(window, 'pointermove', { x: 12, y: 301 });
    pointer(window, 'pointerup', { x: 12, y: 301 });
    carry(face, /^Group 2: Any of/, { pointerType: 'touch' });
    drop();
    expect(labels()).toEqual(begun);
    const handle = face.querySelector('.touch-none');
    if (handle === null) throw new Error('no handle');
    carry(handle, /^Group 2: Any of/, { pointerType: 'touch' });
    drop();
    expect(labels()).toContain('Condition 1.3: vault_free_assets > 1 USDC');
  });

  test('behavior: another pointer neither drops nor ends what is carried', async () => {
    await open();
    carry(item(/^Condition 1/), /^Group 2: Any of/);
    for (const type of ['pointerup', 'pointercancel'])
      pointer(window, type, { x: 60, y: 360 }, { pointerType: 'touch', pointerId: 2 });
    expect(labels()).toEqual(begun);
    over.mockReturnValue(item(/^Group 3: Not/));
    pointer(window, 'pointermove', { x: 90, y: 390 }, { pointerType: 'touch', pointerId: 2 });
    over.mockReturnValue(item(/^Group 2: Any of/));
    drop();
    expect(labels()).toContain('Condition 1.3: vault_free_assets > 1 USDC');
  });

  test('behavior: what was released outside the page is not carried any more', async () => {
    await open();
    carry(item(/^Condition 1/), /^Group 2: Any of/);
    pointer(window, 'pointermove', { x: 60, y: 360 }, { buttons: 0 });
    drop();
    expect(labels()).toEqual(begun);
  });

  test('behavior: a finger on a block moves the plane, and a mouse does not', async () => {
    // Nothing is laid out here: as large as this, the plane can be moved.
    for (const side of ['offsetWidth', 'offsetHeight'] as const)
      jest.spyOn(HTMLElement.prototype, side, 'get').mockReturnValue(600);
    await open();
    const plane = tree().parentElement;
    const face = item(/^Condition 1/);
    // The focus of a block brings it into the window, which is done before.
    await focus(/^Condition 1/);
    const begunAt = plane?.style.transform;
    const push = (pointerType: string) => {
      pointer(face, 'pointerdown', { x: 10, y: 300 }, { pointerType });
      pointer(face, 'pointermove', { x: 40, y: 330 }, { pointerType });
      pointer(face, 'pointerup', { x: 40, y: 330 }, { pointerType });
    };
    push('mouse');
    expect(plane?.style.transform).toBe(begunAt);
    push('touch');
    expect(plane?.style.transform).not.toBe(begunAt);
    expect(labels()).toEqual(begun);
  });
});

describe('on a window that becomes narrow', () => {
  const wide = window.matchMedia;
  afterEach(() => {
    window.matchMedia = wide;
  });
  test('behavior: the blocks come to lie below each other', async () => {
    const listeners = new Set<() => void>();
    let matches = false;
    window.matchMedia = ((media: string) => ({
      media,
      get matches() {
        return matches && media === '(max-width: 799px)';
      },
      addEventListener: (_type: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_type: string, listener: () => void) => listeners.delete(listener),
    })) as unknown as typeof wide;
    await open();
    expect(screen.getByRole('region', { name: /^Plane of the canvas/ })).toBeTruthy();
    matches = true;
    act(() => {
      for (const listener of listeners) listener();
    });
    expect(screen.queryByRole('region', { name: /^Plane of the canvas/ })).toBeNull();
    expect(labels()).toEqual(begun);
  });
});

test('behavior: who only views moves between the blocks and changes nothing', async () => {
  await open('view_only');
  await focus(/^Condition 1/);
  await press('{Enter}{Delete}{Alt>}{ArrowDown}{/Alt}');
  expect(labels()).toEqual(begun);
  expect(within(screen.getByRole('region', { name: 'Canvas of the strategy' })).queryAllByRole('textbox')).toEqual([]);
  expect(screen.queryByRole('button', { name: /^(Add|Edit|Options) / })).toBeNull();
  await press('{ArrowDown}');
  expect(focused()).toMatch(/^Group 2: Any of/);
});
