import '../../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown, refusal } from '../../../test/shown.ts';
import { allocation, anExit, aStrategy, listOf, reward, someFields, source } from '../../../test/strategies.ts';
import { Toasts } from '../../design/toast.tsx';
import { shortHex } from '../../format/address.ts';
import type { Role } from '../types.ts';
import { coverageOf } from './coverage.ts';
import { costOfOne } from './gas.ts';
import { beginning, faultsOf, type Result, requestOf } from './request.ts';
import { comparedSeries, gainedSeries, marksOf, movedSeries, overlaid } from './series.ts';
import { SimulationPage } from './simulation-page.tsx';

const vault_id = `31337:${anAddress(1)}`;
const t = (hour: number) => `2025-12-30T0${hour}:00:00.000Z`;
const point = (hour: number, free: string, simulated: string) => ({
  t: t(hour),
  block_number: hour,
  free_assets: free,
  free_assets_simulated: simulated,
  tvl: '10000000',
  tvl_simulated: '10001000',
});
const firing = (hour: number, assets: string | null) => ({
  strategy_id: 'idle-in',
  block_number: hour,
  t: t(hour),
  action: 'DEPOSIT',
  target_address: source,
  amount: '4000000',
  assets,
  limited_by: null,
  because: '5000000 > 1000000',
});
const result: Result = {
  vault_id,
  kind: 'backtest',
  from: t(0),
  to: t(3),
  snapshots: { total: 3, recorded: 1, observed: 2, projected: 0 },
  strategies: [
    {
      strategy_id: 'idle-in',
      name: 'Put idle cash to work',
      fired: 2,
      first_fired_at: t(1),
      outcomes: { fired: 2, rule_false: 1 },
      no_value_because: null,
      moved_assets: '7000000',
      gained_assets: '1000',
    },
  ],
  firings: [firing(1, '4000000'), firing(2, '3000000')],
  firings_omitted: 0,
  points: [point(1, '5000000', '1000000'), point(2, '5000000', '2000000')],
  gained_assets: '1000',
  assumptions: ['Each firing is done at once.'],
};
const payer = (transactions: number, total: string, usd: number | null) => ({
  transactions,
  gas_used: '0',
  total,
  usd,
});
const gas = {
  average: '500000000000000',
  p50: null,
  p95: null,
  total: '0',
  usd: 0,
  tvl_bps_per_year: null,
  by_payer: {
    depositor: payer(0, '0', 0),
    manager: payer(0, '0', 0),
    validator: payer(0, '0', 0),
    other: payer(0, '0', 0),
    keeper: payer(4, '8000000000000000', 24),
  },
};
const summary = (id: string) => ({
  id,
  vault_id,
  name: `Run ${id}`,
  kind: 'backtest' as const,
  created_at: t(3),
  created_by: anAddress(0x10),
  gained_assets: '1000',
  fired: 2,
});
const saved = (ids: readonly string[]) => async () => ({
  simulations: ids.map(summary),
  total: ids.length,
  has_more: false,
  next_cursor: null,
});

async function open(answers: Record<string, unknown> = {}, my_role: Role = 'primary_manager') {
  const api = fakeApi({
    listStrategies: listOf([aStrategy(), anExit()]),
    listSimulations: saved([]),
    analyticsOperations: async () => ({ gas }),
    backtest: async () => result,
    getSimulation: async ({ params }: { params: { id: string } }) => ({ ...summary(params.id), request: {}, result }),
    ...answers,
  });
  const shown = aShown({ my_role, allocation });
  return renderPage(
    <>
      <SimulationPage shown={shown} />
      <Toasts />
    </>,
    { api, address: anAddress(0x10) },
  );
}
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const run = async () => {
  await userEvent.click(await screen.findByRole('checkbox', { name: /^Put idle cash to work/ }));
  await press('Run the simulation');
};

describe('running', () => {
  test('default: the allocation at the end stands beside targets and caps; runs of before have none', async () => {
    const part = (source_address: string | null, assets: string, assets_simulated: string, cap_bps: number | null) => ({
      source_address,
      assets,
      assets_simulated,
      target_bps: 5_000,
      cap_bps,
    });
    const end = { ...point(2, '600', '200'), tvl: '1000', tvl_simulated: '1000' };
    const ended = {
      ...result,
      points: [end],
      allocation: [part(null, '600', '200', null), part(source, '400', '800', 6_000)],
    };
    await open({ backtest: async () => ended });
    await run();
    const table = await screen.findByRole('table', { name: 'Allocation at the end' });
    const [, idle, first] = within(table).getAllByRole('row');
    expect(idle?.textContent).toBe('Idle60.00%20.00%50.00%—');
    expect(first?.textContent).toBe('Morpho Prime40.00%80.00%Above cap50.00%60.00%');
  });

  test('behavior: a back-test of the chosen strategies over the range; nothing else is sent', async () => {
    const backtest = jest.fn(async (_input: unknown) => result);
    await open({ backtest });
    expect(await screen.findByText('Nothing is sent to the chain.')).toBeTruthy();
    expect(screen.queryByRole('checkbox', { name: /^Emergency exit/ })).toBeNull();
    await run();
    expect(backtest).toHaveBeenCalledWith({
      body: {
        vault_id,
        strategy_ids: ['idle-in'],
        slippage_bps: 0,
        from: '2025-12-25T00:00:00Z',
        to: '2026-01-01T00:00:00Z',
      },
    });
    const table = await screen.findByRole('table', { name: 'Results by strategy' });
    expect(table.textContent).toMatch(/Put idle cash to work2.*7 USDC\+0.001 USDC2 × fired1 × rule did not hold/);
    expect(
      screen.getByText(
        /1 recorded by the engine, 2 observed by the indexer\. The first is of 30 Dec 2025, 01:00 UTC.*Nothing was sent\./,
      ),
    ).toBeTruthy();
    expect(within(screen.getByRole('table', { name: 'Firings' })).getAllByRole('row')).toHaveLength(3);
    expect(screen.getByText('2 firings, each marked.')).toBeTruthy();
    expect(screen.getByText('Each firing is done at once.')).toBeTruthy();
  });

  test('behavior: reasons name sources and limits as the editor does', async () => {
    const name = `ys_${source.toLowerCase()}_apy`;
    const odd = {
      ...result,
      strategies: result.strategies.map((each) => ({
        ...each,
        no_value_because: `${name} has no value at this block.`,
      })),
      firings: [
        { ...firing(1, '4000000'), limited_by: 'min_free_assets', because: `5 USDC > 1 USDC and abs(${name}) is 5 %` },
      ],
    };
    await open({ backtest: async () => odd });
    await run();
    const table = await screen.findByRole('table', { name: 'Firings' });
    expect(table.textContent).toContain('5 USDC > 1 USDC and abs(Morpho Prime.apy) is 5 %');
    expect(table.textContent).toContain('limited by “Idle assets to leave”');
    expect(screen.getByText('Morpho Prime.apy has no value at this block.')).toBeTruthy();
  });

  test('behavior: a rebalance is from one source into the other', async () => {
    const moved = {
      ...firing(1, '4000000'),
      action: 'REBALANCE',
      from_address: source,
      target_address: anAddress(0x31),
    };
    await open({ backtest: async () => ({ ...result, firings: [moved] }) });
    await run();
    const table = await screen.findByRole('table', { name: 'Firings' });
    expect(table.textContent).toContain(`Rebalance, Morpho Prime → ${shortHex(anAddress(0x31))}`);
  });

  test('behavior: a claim and a swap are of a reward, and unpriced ones of base units', async () => {
    const claim = { ...firing(1, null), action: 'CLAIM', from_address: null, target_address: reward.distributor };
    const swap = {
      ...firing(2, '4000000'),
      action: 'SWAP',
      from_address: reward.token,
      target_address: reward.pool ?? '',
    };
    await open({
      backtest: async () => ({ ...result, firings: [claim, swap] }),
      engineFields: async () => ({ ...someFields({}), rewards: [reward] }),
    });
    await run();
    const table = await screen.findByRole('table', { name: 'Firings' });
    await waitFor(() => expect(table.textContent).toMatch(/Claim, PRIME of Morpho Prime4,000,000 units/));
    expect(table.textContent).toMatch(/Swap, PRIME → USDC4 USDC/);
  });

  test('behavior: ahead takes yields, deposits and time', async () => {
    const simulateAhead = jest.fn(async (_input: unknown) => ({ ...result, kind: 'ahead' }));
    await open({ simulateAhead });
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Kind' }), 'ahead');
    await userEvent.type(screen.getByRole('textbox', { name: 'Morpho Prime' }), '4.5');
    const deposits = screen.getByRole('textbox', { name: 'Net deposits per day (USDC)' });
    await userEvent.clear(deposits);
    await userEvent.type(deposits, '-12.5');
    await run();
    expect(simulateAhead).toHaveBeenCalledWith({
      body: {
        vault_id,
        strategy_ids: ['idle-in'],
        slippage_bps: 0,
        horizon_seconds: 2_592_000,
        step_seconds: 3_600,
        net_deposits_per_day: '-12500000',
        apys: [{ source_address: source, apy: 0.045 }],
      },
    });
  });

  test('error: without a strategy nothing runs; a refusal is shown', async () => {
    const backtest = async () => {
      throw refusal('RANGE_REVERSED', 400);
    };
    await open({ backtest });
    await press('Run the simulation');
    expect(screen.getByText('Choose at least one strategy.')).toBeTruthy();
    await run();
    expect(await screen.findByText('The simulation did not run')).toBeTruthy();
  });

  test('behavior: the range proposed reaches to the end of the present minute', () => {
    const form = beginning({ chain_time: '2025-12-30T10:14:03Z', created_at: '2025-12-30T10:13:40Z' });
    expect([form.from, form.to]).toEqual(['2025-12-30T10:13', '2025-12-30T10:15']);
    expect(faultsOf({ ...form, strategy_ids: ['a'] })).toEqual({});
  });

  test('default: what is typed is judged field by field', () => {
    const form = beginning({ chain_time: t(3), created_at: t(0) });
    expect(form.from).toBe('2025-12-30T00:00');
    expect(Object.keys(faultsOf({ ...form, to: form.from, slippage_bps: '1001' }))).toEqual([
      'strategy_ids',
      'slippage_bps',
      'to',
    ]);
    const ahead = { ...form, kind: 'ahead', strategy_ids: ['a'], horizon_days: '90', step_minutes: '1' } as const;
    expect(Object.keys(faultsOf({ ...ahead, net_deposits: '1e6', apys: { x: '2000' } }))).toEqual([
      'step_minutes',
      'net_deposits',
      'apy:x',
    ]);
    expect(requestOf({ ...form, strategy_ids: ['a'] }, aShown().vault)).toMatchObject({ kind: 'backtest' });
  });
});

describe('what the headline says', () => {
  test('default: how long the readings reach against what was asked for, and gas', async () => {
    const short = { ...result, from: '2025-12-23T03:00:00.000Z', to: t(3) };
    await open({ backtest: async () => short });
    await run();
    expect(await screen.findByRole('heading', { name: '3 readings over 1 h of the 7 d asked for' })).toBeTruthy();
    expect(screen.getByText(/It does not stand for the time asked for/)).toBeTruthy();
    // Two firings at 0.002 ETH and $6 each; 0.001 USDC was gained.
    expect(await screen.findByText('0.004 ETH ($12.00)')).toBeTruthy();
    expect(screen.getByText('−$12.00')).toBeTruthy();
    expect(screen.getByText(/Gas as the keeper’s transactions cost on the mean of the last 30 days\./)).toBeTruthy();
  });

  test('behavior: readings over all of the time are said without a warning, and none as none', () => {
    const whole = { ...result, from: t(1), to: t(2) };
    expect(coverageOf(whole)).toEqual({ words: '3 readings over 1 h of the 1 h asked for', isWhole: true });
    const none = { ...result, points: [], snapshots: { total: 0, recorded: 0, observed: 0, projected: 0 } };
    expect(coverageOf(none)).toEqual({ words: 'No readings in the 3 h asked for', isWhole: false });
  });

  test('behavior: without a keeper’s transaction the mean of all is taken, without any nothing', () => {
    const by_payer = { ...gas.by_payer, keeper: payer(0, '0', 0) };
    expect(costOfOne({ ...gas, by_payer })).toMatchObject({ wei: 500_000_000_000_000n, usd: null });
    expect(costOfOne({ ...gas, by_payer, average: null })).toBeNull();
  });
});

describe('drawing', () => {
  test('default: lines that are the same are both seen, and what differs has a chart of its own', () => {
    const { vault } = aShown();
    const [simulated, recorded] = comparedSeries(result, 'tvl', vault);
    expect([simulated?.isDashed, recorded?.isDashed]).toEqual([undefined, true]);
    expect(simulated?.colour).not.toBe(recorded?.colour);
    expect(gainedSeries(result, vault)[0]?.points.map(([, , exact]) => exact)).toEqual(['0.001', '0.001']);
    const runs = ['a', 'b'].map((id) => ({ id, name: id, result }));
    expect(overlaid(runs, vault).map(({ isDashed }) => isDashed)).toEqual([false, true]);
  });

  test('default: firings are marks, and what was moved adds up', () => {
    expect(marksOf(result).map(({ x }) => x)).toEqual([Date.parse(t(1)), Date.parse(t(2))]);
    const [line] = movedSeries(result, aShown().vault);
    expect(line?.points.map(([, value, exact]) => [value, exact])).toEqual([
      [0, '0'],
      [4, '4'],
      [7, '7'],
      [7, '7'],
    ]);
  });

  test('behavior: what has no price is not counted', () => {
    const [line] = movedSeries({ ...result, firings: [firing(1, null)] }, aShown().vault);
    expect(line?.points.at(-1)?.[1]).toBe(0);
  });
});

describe('keeping', () => {
  test('behavior: the request is kept under a name, and the server runs it again', async () => {
    const saveSimulation = jest.fn(async (_input: unknown) => ({ ...summary('1'), request: {}, result }));
    await open({ saveSimulation });
    await run();
    await userEvent.type(await screen.findByRole('textbox', { name: 'Keep it as' }), 'First try');
    await press('Keep this run');
    expect(saveSimulation.mock.calls[0]?.[0]).toMatchObject({
      body: { vault_id, name: 'First try', request: { kind: 'backtest', strategy_ids: ['idle-in'] } },
    });
  });

  test('behavior: two are compared side by side', async () => {
    await open({ listSimulations: saved(['a', 'b']) });
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Compare Run a' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Compare Run b' }));
    const table = await screen.findByRole('table', { name: 'Comparison' });
    expect(table.textContent).toMatch(/FigureRun aRun b.*Moved7 USDC7 USDC/);
  });

  test('behavior: a fifth makes one make way, which is said', async () => {
    await open({ listSimulations: saved(['a', 'b', 'c', 'd', 'e']) });
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      await userEvent.click(await screen.findByRole('checkbox', { name: `Compare Run ${id}` }));
    expect(await screen.findByText('Run a is not compared any more: at most 4 are')).toBeTruthy();
  });

  test('behavior: a run that is opened has the focus, as it stands above the list', async () => {
    await open({ listSimulations: saved(['a']) });
    await press('Open Run a');
    const shown = await screen.findByText(/As it was kept/);
    expect(document.activeElement?.contains(shown)).toBe(true);
    expect(document.activeElement).not.toBe(document.body);
  });

  test('behavior: deleting is asked about', async () => {
    const deleteSimulation = jest.fn(async (_input: unknown) => null);
    await open({ listSimulations: saved(['a']), deleteSimulation });
    await press('Delete Run a');
    const dialog = await screen.findByRole('dialog', { name: 'Delete the simulation' });
    expect(deleteSimulation).not.toHaveBeenCalled();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(deleteSimulation).toHaveBeenCalledWith({ params: { id: 'a' } }));
  });

  test('behavior: who only views runs and opens, and keeps nothing', async () => {
    await open({ listSimulations: saved(['a']) }, 'view_only');
    await run();
    await screen.findByRole('table', { name: 'Results by strategy' });
    expect(screen.queryByRole('button', { name: /Keep this run|Delete/ })).toBeNull();
    await press('Open Run a');
    expect(await screen.findByText(/As it was kept/)).toBeTruthy();
  });
});
