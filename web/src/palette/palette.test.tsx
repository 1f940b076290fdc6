import '../../test/browser.ts';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { refusal } from '../../test/shown.ts';
import { CHAT_KEY } from '../chat/open.ts';
import { Toasts } from '../design/toast.tsx';
import { actionKeys, ariaKeys, createKeyReader, setSingles, shortcuts, vaultPageKeys } from '../navigation/keys.ts';
import { openOverlay } from '../navigation/overlay.ts';
import { vaultPages } from '../operate/vault-pages.ts';
import { vaultActions } from '../vault/vault-actions.ts';
import { findCommands } from './commands.ts';
import { recentCommands } from './recent.ts';
import { Shortcuts } from './shortcuts.tsx';

const FIELD = 'Page, vault, address, alert or action';
const listed = [
  aPublicVault({ vault_address: anAddress(1), name: 'USDC Core' }),
  aPublicVault({ vault_address: anAddress(2), name: 'WETH Growth', symbol: 'gWETH' }),
];
const here = `/operate/devnet/${anAddress(1)}`;
const open = (answers: Parameters<typeof fakeApi>[0] = {}, more: { url?: string; address?: string } = {}) =>
  renderPage(
    <>
      <input aria-label="A field" />
      <Shortcuts />
    </>,
    { api: fakeApi({ publicVaults: async () => listed, ...answers }), path: '*', url: '/compare', ...more },
  );

/** Signed in on a page of the first vault. */
const openHere = async (my_role: string, answers: Parameters<typeof fakeApi>[0] = {}) => {
  const vaults = [{ ...listed[0], my_role }];
  const alert = { alert_id: 'al_1', title: 'Upkeep is low', severity: 'warning', message: 'm', ...listed[0] };
  const counts = { by_status: { active: 1 }, by_vault: [] };
  const opened = await open(
    {
      myVaults: async () => ({ vaults, total: 1 }),
      listAlerts: async () => ({ alerts: [{ ...alert, vault_name: 'USDC Core' }], counts }),
      ...answers,
    },
    { url: here, address: anAddress(0x10) },
  );
  const user = userEvent.setup();
  const find = async (text: string) => {
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByPlaceholderText(FIELD);
    await user.paste(text);
  };
  return { ...opened, user, find };
};

afterEach(() => {
  localStorage.clear();
  openOverlay('none');
  setSingles(true);
});

describe('command palette', () => {
  test('default: Ctrl-K, a few letters and Enter lead to the vault, without a mouse', async () => {
    const { where } = await open();
    const user = userEvent.setup();
    await user.keyboard('{Control>}k{/Control}');
    const field = await screen.findByPlaceholderText(FIELD);
    await screen.findByRole('menuitem', { name: /^WETH Growth/ });
    expect(document.activeElement).toBe(field);
    await user.keyboard('growth');
    await waitFor(() => expect(screen.queryByRole('menuitem', { name: /^USDC Core/ })).toBeNull());
    await user.keyboard('{Enter}');
    await waitFor(() => expect(where.pathname).toBe(`/managed-vaults/devnet/${anAddress(2)}`));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: a vault is found by its address, an action by its words, nothing by nonsense', async () => {
    await open();
    const user = userEvent.setup();
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('menuitem', { name: /^WETH Growth/ });
    await user.keyboard(anAddress(1).slice(-6).toLowerCase());
    await waitFor(() => expect(screen.getAllByRole('menuitem')).toHaveLength(1));
    await user.clear(screen.getByPlaceholderText(FIELD));
    await user.keyboard('light');
    expect(await screen.findByRole('menuitem', { name: 'Light theme' })).toBeTruthy();
    await user.clear(screen.getByPlaceholderText(FIELD));
    await user.keyboard('oracle');
    expect(await screen.findByRole('menuitem', { name: 'Validators' })).toBeTruthy();
    await user.keyboard('zzz');
    expect(await screen.findByText('Nothing is called that')).toBeTruthy();
  });

  test('behavior: ? shows the shortcuts, Escape closes them', async () => {
    await open();
    const user = userEvent.setup();
    await user.keyboard('?');
    expect(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).toBeTruthy();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: two keys one after the other go to a page; a field keeps its letters', async () => {
    const { where } = await open();
    const user = userEvent.setup();
    await user.click(screen.getByRole('textbox', { name: 'A field' }));
    await user.keyboard('gv?');
    expect(where.pathname).toBe('/compare');
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(document.body);
    await user.keyboard('gv');
    await waitFor(() => expect(where.pathname).toBe('/'));
  });
});

describe('keys beside commands', () => {
  const find = async (text: string) => {
    const user = userEvent.setup();
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByPlaceholderText(FIELD);
    await user.paste(text);
    const items = await screen.findAllByRole('menuitem');
    return items.map((item) => [
      item.textContent?.trim(),
      document.getElementById(item.getAttribute('aria-describedby') ?? '')?.textContent,
    ]);
  };

  test('default: the key of the theme stands beside the theme that it leads to, and is read with it', async () => {
    await open();
    expect(Object.fromEntries(await find('theme'))).toEqual({
      'Follow the system theme': undefined,
      'Light theme t': 't',
      'Dark theme': undefined,
    });
  });

  test('behavior: keys that are switched off are printed nowhere', async () => {
    setSingles(false);
    await open();
    expect(Object.fromEntries(await find('light'))).toEqual({ 'Light theme': undefined });
  });

  test('behavior: the help names the keys of a Mac', async () => {
    const agent = jest.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (Macintosh)');
    await open();
    await userEvent.keyboard('?');
    expect(await screen.findByText('Listen to single keys; ⌘ K always works')).toBeTruthy();
    agent.mockRestore();
  });
});

describe('what the palette does', () => {
  test('behavior: an action is found by what people type, with its keys, and leads to its form', async () => {
    const { where, user, find } = await openHere('primary_manager');
    await find('top up');
    await user.click(await screen.findByRole('menuitem', { name: /^Top up the upkeep/ }));
    await waitFor(() => expect([where.pathname, where.hash]).toEqual([`${here}/settings`, '#deposit-upkeep']));
    await find('emergency');
    const pause = await screen.findByRole('menuitem', { name: /^Pause USDC Core/ });
    expect(pause.textContent).toContain('d p');
  });

  test('behavior: on a paused vault its release is found by what people type for it', async () => {
    const paused = { ...listed[0], my_role: 'primary_manager', operational_state: 'paused' };
    const { where, user, find } = await openHere('primary_manager', {
      myVaults: async () => ({ vaults: [paused], total: 1 }),
    });
    for (const typed of ['unpause', 'resume']) {
      await find(typed);
      await user.click(await screen.findByRole('menuitem', { name: /^Release from pause USDC Core/ }));
      await waitFor(() => expect([where.pathname, where.hash]).toEqual([`${here}/pause`, '#pause-form']));
    }
  });

  test.each([
    ['past date', /^Time machine: go to a moment/, here, '#time-machine'],
    ['diff', /^Compare with a moment/, here, '#compare-moment'],
    ['monthly', /^Report of a month/, `${here}/dashboard/performance`, '#report'],
    ['pdf', /^All sections, for printing/, `${here}/dashboard/print`, ''],
  ])('behavior: %s leads to a view of the open vault', async (typed, name, pathname, hash) => {
    const { where, user, find } = await openHere('view_only');
    await user.keyboard('gs');
    await waitFor(() => expect(where.pathname).toBe(`${here}/settings`));
    await find(typed);
    await user.click(await screen.findByRole('menuitem', { name }));
    await waitFor(() => expect([where.pathname, where.hash]).toEqual([pathname, hash]));
  });

  test('behavior: from a section of a vault its moment is chosen where it is, and it can be printed', async () => {
    const section = `${here}/dashboard/risk`;
    const { where } = await renderPage(
      <>
        <nav aria-label="Sections of this vault">
          <a href={section}>Risk</a>
        </nav>
        <Shortcuts />
      </>,
      { api: fakeApi({ publicVaults: async () => listed }), path: '*', url: `${section}?period=7d` },
    );
    const user = userEvent.setup();
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByPlaceholderText(FIELD);
    expect(await screen.findByRole('menuitem', { name: /^Print this page/ })).toBeTruthy();
    await user.click(screen.getByRole('menuitem', { name: /^Time machine/ }));
    await waitFor(() =>
      expect([where.pathname, where.search, where.hash]).toEqual([section, '?period=7d', '#time-machine']),
    );
  });

  test('behavior: logging out ends the session at once, on the server too', async () => {
    const logout = jest.fn(() => new Promise<never>(() => undefined));
    const { session, user, find } = await openHere('view_only', { logout });
    await find('sign out');
    await user.click(await screen.findByRole('menuitem', { name: /^Log out/ }));
    await waitFor(() => expect(session.get().status).toBe('anonymous'));
    expect(logout).toHaveBeenCalledTimes(1);
    // It would be the first that Enter does after the next sign-in.
    expect(recentCommands()).not.toContain('log-out');
  });

  test('behavior: what the reader may not do says who may, and is not done', async () => {
    const { where, user, find } = await openHere('view_only');
    await find('fee');
    const item = await screen.findByRole('menuitem', { name: /^Propose a fee/ });
    expect([item.getAttribute('aria-disabled'), item.textContent]).toEqual([
      'true',
      'Propose a fee USDC Core · Only the primary manager may',
    ]);
    await user.click(item);
    expect(where.pathname).toBe(here);
  });

  test('behavior: an alert is acknowledged by managers alone', async () => {
    const asked: unknown[] = [];
    const acknowledgeAlert = async (input: unknown) => asked.push(input);
    const { user, find } = await openHere('secondary_manager', { acknowledgeAlert });
    await find('ack');
    await user.click(await screen.findByRole('menuitem', { name: /^Acknowledge Upkeep is low/ }));
    await waitFor(() => expect(asked).toEqual([{ params: { id: 'al_1' }, body: {} }]));
  });

  test('behavior: a viewer is not offered to acknowledge', async () => {
    const { find } = await openHere('view_only');
    await find('ack');
    const item = await screen.findByRole('menuitem', { name: /^Acknowledge Upkeep is low/ });
    expect(item.getAttribute('aria-disabled')).toBe('true');
  });

  test('behavior: a whole hash is asked of the chain, and leads to the vault that it touched', async () => {
    const hash = `0x${'ab'.repeat(32)}`;
    const transaction = async () => ({
      chain_id: 31337,
      status: 'mined',
      block_number: 7,
      decoded: { function: 'deposit', args: {} },
      events: [{ address: anAddress(1) }],
    });
    const { where, user, find } = await openHere('view_only', { transaction });
    await find(hash);
    await user.click(await screen.findByRole('menuitem', { name: /^deposit 0xabab…abab in USDC Core/ }));
    await waitFor(() => expect(where.pathname).toBe(`/managed-vaults/devnet/${anAddress(1)}/operations`));
  });

  test('behavior: a hash says how the question stands: asked, and not answered', async () => {
    const hash = `0x${'cd'.repeat(32)}`;
    let fail: (error: Error) => void = () => undefined;
    const failing = new Promise((_, reject) => {
      fail = reject;
    });
    const { find } = await openHere('view_only', { transaction: () => failing });
    await find(hash);
    const row = await screen.findByRole('menuitem', { name: /^Transaction 0xcdcd…cdcd/ });
    expect([row.getAttribute('aria-disabled'), row.textContent]).toEqual([
      'true',
      'Transaction 0xcdcd…cdcd Asking Devnet…',
    ]);
    await act(async () => fail(refusal('RPC_UNAVAILABLE', 503)));
    expect(await screen.findByText('Devnet could not be asked: refused: RPC_UNAVAILABLE')).toBeTruthy();
  });

  test('behavior: a hash that no chain knows is said to be unknown', async () => {
    const { find } = await openHere('view_only', {
      transaction: async () => ({ chain_id: 31337, status: 'unknown', block_number: null, decoded: null, events: [] }),
    });
    await find(`0x${'cd'.repeat(32)}`);
    expect(await screen.findByText('No chain here knows it')).toBeTruthy();
  });

  const own = { chain_id: 31337, chain_slug: 'devnet', my_role: 'primary_manager' };

  test('behavior: an own vault that is not listed is found by its address, and by a transaction that touched it', async () => {
    const { where, user, find } = await openHere('view_only', {
      myVaults: async () => ({ vaults: [{ ...own, vault_address: anAddress(7), name: 'Hidden' }], total: 1 }),
      transaction: async () => ({
        chain_id: 31337,
        status: 'mined',
        block_number: 7,
        decoded: null,
        events: [{ address: anAddress(7) }],
      }),
    });
    await find(anAddress(7).slice(-6));
    await user.click(await screen.findByRole('menuitem', { name: /^Operate Hidden/ }));
    await waitFor(() => expect(where.pathname).toBe(`/operate/devnet/${anAddress(7)}`));
    await find(`0x${'ab'.repeat(32)}`);
    await user.click(await screen.findByRole('menuitem', { name: /^Transaction 0xabab…abab in Hidden/ }));
    await waitFor(() =>
      expect([where.pathname, where.search, where.hash]).toEqual([
        `/operate/devnet/${anAddress(7)}/dashboard/operations`,
        `?tx_hash=0x${'ab'.repeat(32)}`,
        '#transactions',
      ]),
    );
  });

  test('behavior: a vault that no list names is found by its whole address', async () => {
    const asked: unknown[] = [];
    const { where, user, find } = await openHere('view_only', {
      lookupVaults: async ({ body }: { body: unknown }) => {
        asked.push(body);
        return { vaults: [{ ...own, vault_address: anAddress(8), name: 'Number 501' }], unread: [] };
      },
    });
    await find(anAddress(8));
    await user.click(await screen.findByRole('menuitem', { name: /^Operate Number 501/ }));
    await waitFor(() => expect(where.pathname).toBe(`/operate/devnet/${anAddress(8)}`));
    expect(asked).toEqual([
      { vaults: [{ chain_id: 31337, vault_address: anAddress(8) }], fields: ['name', 'chain_slug', 'my_role'] },
    ]);
  });

  test.each([
    ['RPC_UNAVAILABLE', true],
    ['VAULT_NOT_FOUND', false],
  ])('error: where a vault could not be read (%s) that is not taken for none: %s', async (code, isSaid) => {
    const { find } = await openHere('view_only', {
      lookupVaults: async () => ({
        vaults: [],
        unread: [{ chain_id: 31337, vault_address: anAddress(8), code }],
      }),
    });
    await find(anAddress(8));
    await screen.findAllByRole('menuitem', { name: /^What .* did in/ });
    await waitFor(() => expect(screen.queryByText(/Asking whether there is one/)).toBeNull());
    expect(screen.queryByText(/Devnet could not be asked/) !== null).toBe(isSaid);
  });

  test('error: a list that could not be read is said to be missing', async () => {
    await open({
      publicVaults: async () => {
        throw refusal('INTERNAL', 500);
      },
    });
    const user = userEvent.setup();
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByPlaceholderText(FIELD);
    expect(await screen.findByText('Could not be read: the listed vaults.')).toBeTruthy();
    await user.paste('growth');
    expect(await screen.findByText('Nothing that is known so far is called that')).toBeTruthy();
  });

  test('behavior: what was used last comes first', async () => {
    const { user, find } = await openHere('primary_manager');
    await find('light');
    await user.click(await screen.findByRole('menuitem', { name: /^Light theme/ }));
    await find('');
    expect((await screen.findAllByRole('menuitem'))[0]?.textContent).toContain('Light theme');
    expect(screen.getByText('Recent')).toBeTruthy();
  });

  test('behavior: keys lead to the pages of the open vault', async () => {
    const { where, user } = await openHere('view_only');
    await user.keyboard('gp');
    await waitFor(() => expect(where.pathname).toBe(`${here}/pause`));
    await user.keyboard('gd');
    await waitFor(() => expect(where.pathname).toBe(here));
  });

  test('behavior: keys lead to the form of an action; who may is said where the reader may not', async () => {
    const { where, user, find } = await openHere('secondary_manager');
    // The list of own vaults has the role.
    await find('top up');
    await screen.findByRole('menuitem', { name: /^Top up the upkeep/ });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    render(<Toasts />);
    await user.keyboard('df');
    expect(await screen.findByText('Propose a fee: only the primary manager may')).toBeTruthy();
    expect(where.pathname).toBe(here);
    await user.keyboard('du');
    await waitFor(() => expect([where.pathname, where.hash]).toEqual([`${here}/settings`, '#deposit-upkeep']));
  });

  const publicPage = `/managed-vaults/devnet/${anAddress(1)}`;

  test('behavior: keys of an action lead a visitor nowhere', async () => {
    const { where } = await open({}, { url: publicPage });
    await userEvent.keyboard('du');
    // By then the code of the action has come, where it was asked for.
    await act(async () => void (await import('./run-action.ts')));
    expect(where.pathname).toBe(publicPage);
  });

  test('behavior: who may is said to a reader without a role on the open vault; a list that is cut short does not say so', async () => {
    let has_more = false;
    const myVaults = async () => ({ vaults: [], total: has_more ? 501 : 0, has_more });
    const { where, queries } = await open({ myVaults }, { url: publicPage, address: anAddress(0x10) });
    const user = userEvent.setup();
    const readList = async () => {
      await user.keyboard('{Control>}k{/Control}');
      await screen.findByPlaceholderText(FIELD);
      await waitFor(() => expect(screen.queryByText(/your vaults/)).toBeNull());
      await user.keyboard('{Escape}');
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    };
    await readList();
    render(<Toasts />);
    await user.keyboard('du');
    expect(await screen.findByText('Top up the upkeep: only its managers may')).toBeTruthy();
    expect(where.pathname).toBe(publicPage);
    has_more = true;
    await act(() => queries.resetQueries());
    await readList();
    await user.keyboard('du');
    await waitFor(() => expect([where.pathname, where.hash]).toEqual([`${here}/settings`, '#deposit-upkeep']));
  });

  test('behavior: keys lead to the sessions and end none, and the list of shortcuts names all of them', async () => {
    const { where, session, user } = await openHere('view_only');
    await user.keyboard('gz');
    await waitFor(() => expect(where.pathname).toBe('/operate/sessions'));
    await user.keyboard('?');
    const help = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }));
    for (const words of ['Go to the alerts', 'Propose a fee', 'Add a manager'])
      expect(help.getByText(words)).toBeTruthy();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    // Beside the key of the alerts: what is typed by mistake would drop the drafts that are kept.
    await user.keyboard('gq');
    expect(session.get().status).toBe('signed_in');
  });
});

test('behavior: the word itself is before a name that begins with it, and that before one that only holds it', () => {
  const command = (id: string, name: string, also = '') => ({
    id,
    group: 'Vaults' as const,
    name,
    also,
    run: () => undefined,
  });
  const commands = [
    command('a', 'Old fee'),
    command('b', 'Coffee'),
    command('c', 'Fees'),
    command('d', 'Other', 'fee'),
  ];
  const ids = (recent: readonly string[]) =>
    findCommands(commands, 'fee', recent).flatMap((group) => group.commands.map(({ id }) => id));
  expect(ids([])).toEqual(['a', 'c', 'b', 'd']);
});

describe('keys', () => {
  const press = (key: string, at: number, more: { ctrlKey?: boolean } = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    target: document.body,
    timeStamp: at,
    ...more,
  });

  test('default: a pair counts within a second only', () => {
    const read = createKeyReader();
    expect([read(press('g', 0)), read(press('o', 900))]).toEqual([undefined, { shortcut: 'operate' }]);
    expect([read(press('g', 2_000)), read(press('o', 3_100))]).toEqual([undefined, undefined]);
  });

  test('behavior: single keys can be switched off, the palette cannot', () => {
    const read = createKeyReader();
    setSingles(false);
    expect(read(press('?', 0))).toBeUndefined();
    expect(read(press('k', 1, { ctrlKey: true }))).toEqual({ shortcut: 'palette' });
  });

  test('default: what a browser says of keys has no word for those that follow each other, and none for those switched off', () => {
    const keys = [['Ctrl', 'K'], ['t'], ['g', 'v']];
    expect(keys.map(ariaKeys)).toEqual(['Control+K', 't', undefined]);
    setSingles(false);
    expect(keys.map(ariaKeys)).toEqual(['Control+K', undefined, undefined]);
  });

  test('behavior: each page of a vault has a key of its own, which no other sequence has', () => {
    const { dashboard, ...pages } = vaultPageKeys;
    expect(Object.keys(pages).sort()).toEqual(Object.keys(vaultPages).sort());
    const all = [
      ...[dashboard, ...Object.values(pages)].map((key) => `g ${key}`),
      ...vaultActions.map(({ id }) => actionKeys(id).join(' ')),
      ...Object.values(shortcuts).map(({ keys }) => keys.join(' ')),
      CHAT_KEY,
    ];
    expect(new Set(all).size).toBe(all.length);
    // The chat listens alone: it would open with the second key of a pair.
    expect(vaultActions.map(({ id }) => actionKeys(id)[1])).not.toContain(CHAT_KEY);
    // A key that begins a pair does nothing by itself.
    expect(all.filter((keys) => ['g', 'd'].includes(keys))).toEqual([]);
  });
});
