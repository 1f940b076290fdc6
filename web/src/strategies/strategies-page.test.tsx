import '../../test/browser.ts';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown, refusal } from '../../test/shown.ts';
import { allocation, anExit, aShard, aStrategy, listOf, source } from '../../test/strategies.ts';
import { Announcer, announceDone } from '../design/announce.tsx';
import { Toasts } from '../design/toast.tsx';
import { StrategiesPage } from './strategies-page.tsx';
import StrategiesSection from './strategies-section.tsx';
import type { Keeper, Role, Strategy } from './types.ts';

const vault_id = `31337:${anAddress(1)}`;
const limits = { id: vault_id, kill_switch: false, max_intents_per_minute: 6, max_active_intents: 4, version: 2 };
const engine = { ...limits, keeper: null };
const second = aStrategy({ id: 'second', name: 'Second', priority: 3 });
const strategies = [aStrategy({ priority: 1 }), anExit({ lane: 'DEPOSIT', priority: 2 }), second];

// What an earlier test said is not said anew.
beforeEach(() => announceDone('Nothing yet.'));

async function open(my_role: Role, answers: Record<string, unknown> = {}, url = '/') {
  const api = fakeApi({
    listStrategies: listOf(strategies),
    engineShard: async () => {
      throw refusal('ENGINE_IDLE', 404);
    },
    engineVault: async () => engine,
    ...answers,
  });
  return renderPage(
    <>
      <StrategiesPage shown={aShown({ my_role, allocation })} />
      <Toasts />
      <Announcer />
    </>,
    { api, address: anAddress(0x10), url },
  );
}
const rows = async () => {
  const list = await screen.findByRole('grid', { name: 'Inflow strategies by priority' });
  return within(list)
    .getAllByRole('row')
    .map((row) => row.textContent ?? '');
};

test('behavior: what was seen stays when the session ends, until somebody signs in again', async () => {
  const listStrategies = jest.fn(listOf(strategies));
  const { session, queries } = await open('primary_manager', { listStrategies });
  await rows();
  act(() => session.end('unauthorized'));
  const times = listStrategies.mock.calls.length;
  await act(() => queries.invalidateQueries());
  expect(listStrategies).toHaveBeenCalledTimes(times);
  expect(await rows()).toHaveLength(2);
  act(() => session.begin({ token: 'fresh', address: anAddress(0x10), isManager: true, vaults: [] }));
  await waitFor(() => expect(listStrategies).toHaveBeenCalledTimes(times + 1));
});

describe('the canvas', () => {
  test('default: the lanes stand around the pool; a card has its place, state, source and share', async () => {
    await open('view_only');
    const [first, next] = await rows();
    expect(first).toMatch(/1Put idle cash to work.*Morpho Prime80.00%.*Idle/);
    expect(next).toMatch(/2Second/);
    const pool = screen.getByRole('region', { name: 'Pool' });
    expect(pool.textContent).toMatch(/Primary asset USDC.*Total12.34M USDC.*Idle1.23M USDC/);
    expect(screen.getByRole('region', { name: 'Rebalance lane' }).textContent).toContain('No strategy');
    expect(screen.queryByRole('button', { name: /^(Move|Start|Stop) / })).toBeNull();
    expect(screen.queryByRole('link', { name: 'New strategy' })).toBeNull();
  });

  test('behavior: keys zoom and move it, and show all of it again', async () => {
    await open('view_only');
    const canvas = await screen.findByRole('region', { name: /^Canvas of strategies/ });
    act(() => canvas.focus());
    await userEvent.keyboard('+');
    expect(screen.getByText('120%')).toBeTruthy();
    await userEvent.keyboard('--');
    expect(screen.getByText('83%')).toBeTruthy();
    await userEvent.keyboard('0');
    expect(screen.queryByText('83%')).toBeNull();
  });

  test('behavior: moving down sends the whole lane; an exit that is not shown keeps its place', async () => {
    const reorderStrategies = jest.fn(async (_input: unknown) => ({ lane: 'DEPOSIT', strategies: [] }));
    await open('secondary_manager', { reorderStrategies });
    await rows();
    await userEvent.click(screen.getByRole('button', { name: 'Move Put idle cash to work down' }));
    expect(reorderStrategies).toHaveBeenCalledWith({
      body: { vault_id, lane: 'DEPOSIT', ordered_strategy_ids: ['second', 'exit-1', 'idle-in'] },
    });
    expect(screen.getByRole('button', { name: 'Move Second down' }).hasAttribute('disabled')).toBe(true);
  });

  test('behavior: a new place is said once the server has kept it, and at the end of the lane the other button has the focus', async () => {
    let keep: (kept: unknown) => void = () => undefined;
    const kept = new Promise((resolve) => {
      keep = resolve;
    });
    let now: readonly Strategy[] = strategies;
    const listStrategies = jest.fn(async () => listOf(now)());
    await open('primary_manager', { listStrategies, reorderStrategies: () => kept });
    await rows();
    const down = screen.getByRole('button', { name: 'Move Put idle cash to work down' });
    await userEvent.click(down);
    const said = 'Put idle cash to work is now 2 of 2 in Inflow.';
    expect(screen.queryByText(said)).toBeNull();
    // It stays where it is while the order is on its way: what is switched off loses the focus.
    expect([document.activeElement, down.hasAttribute('disabled')]).toEqual([down, false]);
    now = strategies.map((each) => ({ ...each, priority: 4 - (each.priority ?? 0) }));
    await act(async () => keep({ lane: 'DEPOSIT', strategies: [] }));
    expect(await screen.findByText(said)).toBeTruthy();
    await waitFor(() => expect(down.hasAttribute('disabled')).toBe(true));
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move Put idle cash to work up' }));
  });

  test('error: an order that was not kept is not said to be', async () => {
    const reorderStrategies = jest.fn(async () => {
      throw refusal('VERSION_CONFLICT', 409);
    });
    await open('primary_manager', { reorderStrategies });
    await rows();
    await userEvent.click(screen.getByRole('button', { name: 'Move Second up' }));
    expect(await screen.findByText('The order was not kept')).toBeTruthy();
    expect(screen.queryByText(/^Second is now/)).toBeNull();
  });

  test('behavior: the handle drags by keyboard too', async () => {
    const reorderStrategies = jest.fn(async (_input: unknown) => ({ lane: 'DEPOSIT', strategies: [] }));
    await open('primary_manager', { reorderStrategies });
    await rows();
    const handle = screen.getByRole('button', { name: /^Drag Put idle cash to work/ });
    act(() => handle.focus());
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toMatch(/^Insert/));
    const place = () => document.activeElement?.getAttribute('aria-label');
    for (let step = 0; step < 4 && place() !== 'Insert after Second'; step += 1)
      await userEvent.keyboard('{ArrowDown}');
    expect(place()).toBe('Insert after Second');
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(reorderStrategies).toHaveBeenCalledTimes(1));
    expect(await screen.findByText('Put idle cash to work is now 2 of 2 in Inflow.')).toBeTruthy();
    expect(reorderStrategies.mock.calls[0]?.[0]).toMatchObject({
      body: { ordered_strategy_ids: ['second', 'exit-1', 'idle-in'] },
    });
  });

  test('behavior: what an armed exit locks says so and cannot be started', async () => {
    const armed: Strategy[] = [aStrategy(), anExit({ state: 'RUNNING' })];
    await open('primary_manager', { listStrategies: listOf(armed), engineShard: async () => aShard() });
    const [first] = await rows();
    expect(first).toContain('Locked');
    expect(screen.getByRole('button', { name: 'Start Put idle cash to work' }).hasAttribute('disabled')).toBe(true);
    const exits = screen.getByRole('grid', { name: 'Outflow strategies by priority' });
    expect(exits.textContent).toMatch(/Emergency exit from Morpho Prime.*Armed/);
  });

  test('behavior: starting is asked about, and sends the version that was seen', async () => {
    const setStrategyState = jest.fn(async (_input: unknown) => aStrategy({ state: 'RUNNING' }));
    await open('primary_manager', { setStrategyState });
    await rows();
    await userEvent.click(screen.getByRole('button', { name: 'Start Put idle cash to work' }));
    const dialog = await screen.findByRole('dialog', { name: 'Start the strategy' });
    expect(setStrategyState).not.toHaveBeenCalled();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Start' }));
    expect(setStrategyState).toHaveBeenCalledWith({
      params: { id: 'idle-in' },
      body: { target_state: 'RUNNING', version: 3 },
    });
    expect(await screen.findByText('Put idle cash to work was started')).toBeTruthy();
  });

  test('behavior: a card that a key leads to comes into the window', async () => {
    for (const side of ['offsetWidth', 'offsetHeight'] as const)
      jest.spyOn(HTMLElement.prototype, side, 'get').mockReturnValue(600);
    jest.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function box(this: Element) {
      return new DOMRect(this.matches('[role="row"]') ? 900 : 0, 0, 200, 100);
    });
    await open('primary_manager');
    await rows();
    const plane = (await screen.findByRole('region', { name: /^Canvas of strategies/ })).firstElementChild;
    const before = (plane as HTMLElement).style.transform;
    act(() => screen.getByRole('button', { name: 'Move Second up' }).focus());
    expect((plane as HTMLElement).style.transform).not.toBe(before);
    jest.restoreAllMocks();
  });

  test('error: a list that cannot be read says so', async () => {
    const listStrategies = async () => {
      throw refusal('INTERNAL', 500);
    };
    await open('primary_manager', { listStrategies });
    expect(await screen.findByText('The strategies could not be read')).toBeTruthy();
  });

  test('default: without a strategy, what will stand there is said', async () => {
    await open('primary_manager', { listStrategies: listOf([]) });
    expect(await screen.findByText(/^A strategy appears here once you save one/)).toBeTruthy();
    expect(screen.getAllByText('No strategy')).toHaveLength(3);
  });
});

describe('the switch over all strategies', () => {
  const master = () => screen.findByRole('switch', { name: 'Allow all strategies' });

  test('behavior: stopping is one press and waits for no version', async () => {
    const updateEngineVault = jest.fn(async (_input: unknown) => ({ ...limits, kill_switch: true, version: 3 }));
    await open('secondary_manager', { updateEngineVault });
    await userEvent.click(await master());
    expect(updateEngineVault).toHaveBeenCalledWith({ params: { vault_id }, body: { kill_switch: true } });
    expect(await screen.findByText('The kill switch is on: no strategy does anything.')).toBeTruthy();
  });

  test('error: a switch that is not read any more says since when it stands', async () => {
    let isGone = false;
    const engineVault = async () => {
      if (isGone) throw refusal('INTERNAL', 500);
      return engine;
    };
    const { queries } = await open('primary_manager', { engineVault });
    await master();
    isGone = true;
    await act(() => queries.invalidateQueries());
    expect(await screen.findByText(/^The switch: last read/)).toBeTruthy();
    expect(await master()).toBeTruthy();
  });

  test('behavior: letting everything run again is asked about', async () => {
    const updateEngineVault = jest.fn(async (_input: unknown) => limits);
    await open('primary_manager', { engineVault: async () => ({ ...engine, kill_switch: true }), updateEngineVault });
    await userEvent.click(await master());
    expect(updateEngineVault).not.toHaveBeenCalled();
    await userEvent.click(await screen.findByRole('button', { name: 'Allow them' }));
    expect(updateEngineVault).toHaveBeenCalledWith({ params: { vault_id }, body: { kill_switch: false, version: 2 } });
  });

  test('default: who only views sees it and cannot set it', async () => {
    await open('view_only');
    expect(await screen.findByText('Strategies allowed')).toBeTruthy();
    expect(screen.queryByRole('switch')).toBeNull();
  });
});

describe('the keeper', () => {
  const keeper: Keeper = {
    address: anAddress(0x77),
    role: 'secondary_manager',
    is_running: true,
    block_number: 1_234,
    last_pass_at: '2026-01-01T00:00:00Z',
    balance: '1250000000000000000',
  };
  const shows = async (of: Partial<Keeper> | null, answers = {}) => {
    const last_pass_at = new Date(Date.now() - 8_000).toISOString();
    const engineVault = async () => ({ ...engine, keeper: of && { ...keeper, last_pass_at, ...of } });
    await open('secondary_manager', { engineVault, ...answers });
    return (await screen.findByRole('region', { name: 'Keeper' })).textContent ?? '';
  };

  test('default: one that runs and may sign: its wallet, its role, its gas and the block it saw last', async () => {
    const text = await shows({});
    expect(text).toMatch(/^Keeper runsLast seen \d+ s ago, at block 1234/);
    expect(text).toMatch(/Wallet.*Secondary manager.*For gas1.25 ETHWhat it did, refused and paid$/);
    expect(screen.getByRole('button', { name: 'Copy keeper address' })).toBeTruthy();
  });

  test('behavior: one that is away says when it was last there', async () => {
    const last_pass_at = new Date(Date.now() - 3_600_000).toISOString();
    expect(await shows({ is_running: false, last_pass_at })).toMatch(
      /^Keeper does not runNo strategy does anything until it is back\.Last seen 1 h( \d+ [ms])? ago, at block 1234/,
    );
  });

  test('behavior: one whose wallet is no manager says what to do', async () => {
    const text = await shows({ role: null });
    expect(text).toMatch(/^Keeper may not sign.*Add it as a secondary manager\./);
    expect(text).toContain('Not a manager');
  });

  test('behavior: an id that never existed gets its own message', async () => {
    expect(await shows(null)).toBe(
      'No keeperNone has worked on this chain yet: a strategy does nothing.What it did, refused and paid',
    );
  });

  test('behavior: it stays while the switch is set, whose answer says nothing of it', async () => {
    await shows({}, { updateEngineVault: async () => ({ ...limits, kill_switch: true }) });
    await userEvent.click(await screen.findByRole('switch', { name: 'Allow all strategies' }));
    expect(await screen.findByText('The kill switch is on: no strategy does anything.')).toBeTruthy();
    expect(screen.getByText('Keeper runs')).toBeTruthy();
  });
});

describe('the public view', () => {
  const redacted = aStrategy({
    is_redacted: true,
    rules: null,
    indicators: null,
    conviction_config: null,
    risk_params: null,
    action_config: { size_expr: null },
  });

  test('default: what is done and in which order; nothing to operate and nothing to open', async () => {
    const api = fakeApi({ listStrategies: listOf([redacted]) });
    await renderPage(<StrategiesSection shown={aShown({ allocation })} />, { api });
    const [first] = await rows();
    expect(first).toContain('Put idle cash to work');
    expect(screen.getByText(/Rules, sizes and limits are shown only to those with a role/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Start|Stop|Move|Drag/ })).toBeNull();
    expect(screen.queryByRole('link')).toBeNull();
    expect(document.body.textContent).not.toContain(source.slice(2, 12));
  });
});
