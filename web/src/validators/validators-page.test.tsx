import '../../test/browser.ts';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { act, screen, within } from '@testing-library/react';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aNetwork, aRound, aTransmission, withSilent } from '../../test/validators.ts';
import { POLL_MS } from '../data/queries.ts';
import type { Incident, Network } from './network.ts';
import { ValidatorsPage } from './validators-page.tsx';

const open = (validators: () => Promise<Network>) =>
  renderPage(<ValidatorsPage />, {
    api: fakeApi({ validators, publicVaults: async () => [aPublicVault()] }),
    path: '/validators',
  });
const show = (network: Network) => open(async () => network);

const vault = (number: number, name: string, tvl_usd: number | null): Incident['vaults'][number] => ({
  chain_id: 31337,
  vault_address: anAddress(number),
  name,
  tvl_usd,
});
const anIncident = (kind: Incident['kind'], parts: Partial<Incident>): Incident => ({
  kind,
  since: '2026-01-01T12:04:00.000Z',
  node_index: null,
  vaults: [],
  value_at_risk_usd: 0,
  reason: 'A reason.',
  ...parts,
});
const incidents = async () => within(await screen.findByRole('region', { name: 'Incidents' }));

afterEach(() => {
  jest.useRealTimers();
});

describe('validators', () => {
  test('default: says that all nodes answer, and by which rules they work', async () => {
    await show(aNetwork());
    expect(await screen.findByText(/All 4 nodes answer\./)).toBeTruthy();
    expect(screen.getByText('3 of 4 sign')).toBeTruthy();
    expect(screen.getByText('1 faulty node')).toBeTruthy();
    expect(screen.getByText('Every 10 s')).toBeTruthy();
    expect(screen.getByText('Every 1 m')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Copy configuration digest' })).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Incidents' })).toBeNull();
  });

  test('default: each node is a row with its status in words, its part and its two addresses', async () => {
    await show(withSilent([3]));
    const table = within(await screen.findByRole('table', { name: 'Nodes' }));
    expect(within(table.getByRole('row', { name: /oracle-0/ })).getByText('Answering')).toBeTruthy();
    const row = within(table.getByRole('row', { name: /oracle-3/ }));
    expect(row.getByRole('rowheader').textContent).toBe('3 oracle-3');
    expect(row.getByText('Silent')).toBeTruthy();
    expect(row.getByText(/6 m ago/)).toBeTruthy();
    expect(row.getByText('0 of 1')).toBeTruthy();
    expect(row.getByText(anAddress(0x53))).toBeTruthy();
    expect(row.getByText(anAddress(0x63))).toBeTruthy();
  });

  test('default: a round shows what each node did, also without colour, and names who was missing', async () => {
    const late = aRound({ round: 9, observers: [0, 1, 2], missing: [3], signers: [0, 1, 2], leader: 2 });
    await show(aNetwork({ rounds: [late, aRound()] }));
    const table = within(await screen.findByRole('table', { name: 'Last rounds' }));
    const [, first, second] = table.getAllByRole('row');
    if (first === undefined || second === undefined) throw new Error('two rounds are needed');
    expect(within(first).getByText('Missing: oracle-3')).toBeTruthy();
    expect(within(first).getByTitle('oracle-3: missing')).toBeTruthy();
    expect(within(first).getByText('oracle-2')).toBeTruthy();
    expect(within(second).getByTitle('oracle-1: observed and signed, sent it to the chain')).toBeTruthy();
    expect(within(second).getByTitle('oracle-3: observed')).toBeTruthy();
    expect(within(second).getByText('1 price agreed')).toBeTruthy();
  });

  test('behavior: a transmission that failed says why, and names its vault', async () => {
    const refused = aTransmission({ status: 'failure', reason: 'InsufficientUpkeep' });
    const odd = aTransmission({ status: 'failure', reason: 'SomethingNew', vault_address: null, tx_hash: null });
    await show(aNetwork({ transmissions: [refused, odd] }));
    const table = within(await screen.findByRole('table', { name: 'Latest transmissions' }));
    expect(table.getAllByText('Refused')).toHaveLength(2);
    expect(table.getByText('The upkeep balance does not pay for an update.')).toBeTruthy();
    expect(table.getByText('Reason given: SomethingNew')).toBeTruthy();
    const link = await table.findByRole('link', { name: 'USDC Core' });
    expect(link.getAttribute('href')).toBe(`/managed-vaults/devnet/${anAddress(1)}/pricing`);
  });

  test('behavior: one silent node is a warning that says how many more may fail', async () => {
    await show(withSilent([3]));
    const cards = await incidents();
    expect(cards.getByRole('heading', { name: 'oracle-3 is silent' })).toBeTruthy();
    expect(cards.getByText(/3 of 4 nodes answer, 3 must\. If one more falls silent, prices stop\./)).toBeTruthy();
    expect(cards.getByText('at risk while the others agree')).toBeTruthy();
    expect(cards.queryByRole('alert')).toBeNull();
    expect(screen.queryByText(/All 4 nodes answer/)).toBeNull();
  });

  test('behavior: a halted network leads with the money, the vaults and whose fault it is', async () => {
    const halted = anIncident('no_rounds', {
      vaults: [vault(1, 'USDC Core', 1_500_000), vault(5, 'WETH Growth', 500_000)],
      value_at_risk_usd: 2_000_000,
    });
    const stale = anIncident('strategy_stale', {
      vaults: [vault(1, 'USDC Core', 1_500_000)],
      value_at_risk_usd: 1_500_000,
    });
    const { incidents: silent } = withSilent([1, 3]);
    await show(withSilent([1, 3], { incidents: [...silent, stale, halted] }));
    const cards = await incidents();
    expect(cards.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual([
      'The nodes agree on no prices',
      'No new price for USDC Core',
    ]);
    expect(cards.getByText('$2.00M')).toBeTruthy();
    expect(
      cards.getByText(/2 of 4 nodes answer, 3 must\. Silent: oracle-1 for 6 m and oracle-3 for 6 m\./),
    ).toBeTruthy();
    expect(cards.getAllByText(/Since 1 Jan 2026, 12:04 UTC/)).toHaveLength(2);
    expect(cards.getByRole('link', { name: 'WETH Growth' })).toBeTruthy();
    expect(cards.getAllByRole('alert')).toHaveLength(2);
  });

  test('behavior: a value that is not known is said so and comes before those that are', async () => {
    const known = anIncident('strategy_stale', { vaults: [vault(1, 'USDC Core', 9e9)], value_at_risk_usd: 9e9 });
    const unknown = anIncident('strategy_stale', { vaults: [vault(5, 'Odd', null)], value_at_risk_usd: null });
    await show(aNetwork({ incidents: [known, unknown] }));
    const cards = await incidents();
    expect(cards.getAllByRole('heading')[0]?.textContent).toBe('No new price for Odd');
    expect(cards.getByText('Not known')).toBeTruthy();
    expect(cards.getAllByText(/All nodes answer\./)).toHaveLength(2);
  });

  test('default: before any node was heard the page says what will appear', async () => {
    await show(aNetwork({ config: null, nodes: [], rounds: [], rounds_counted: 0, transmissions: [] }));
    expect(await screen.findByText('No validator network has reported yet')).toBeTruthy();
    expect(screen.queryByRole('table')).toBeNull();
  });

  test('default: while the answer is on its way the page says so', async () => {
    await open(() => new Promise(() => undefined));
    expect(await screen.findByRole('status', { name: 'Loading the validators' })).toBeTruthy();
  });

  test('error: a failed read gives the reason and asks again on demand', async () => {
    const validators = jest
      .fn<() => Promise<Network>>()
      .mockRejectedValueOnce({ status: 503, detail: 'The vaults service does not answer.' })
      .mockResolvedValue(aNetwork());
    await open(validators);
    expect(await screen.findByText('The validators could not be read')).toBeTruthy();
    expect(screen.getByText('The vaults service does not answer.')).toBeTruthy();
    act(() => screen.getByRole('button', { name: 'Try again' }).click());
    expect(await screen.findByText(/All 4 nodes answer/)).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('behavior: asks every fifteen seconds, and a failure keeps what was shown', async () => {
    jest.useFakeTimers();
    const validators = jest
      .fn<() => Promise<Network>>()
      .mockResolvedValueOnce(aNetwork())
      .mockRejectedValue({ status: 503, detail: 'Away.' });
    await open(validators);
    await act(() => jest.advanceTimersByTimeAsync(10));
    expect(screen.getByText(/All 4 nodes answer/)).toBeTruthy();
    await act(() => jest.advanceTimersByTimeAsync(POLL_MS));
    expect(validators).toHaveBeenCalledTimes(2);
    expect(screen.getByText(/^Validators: last read/).textContent).toContain('not updated since. Away.');
    expect(screen.getByRole('table', { name: 'Nodes' })).toBeTruthy();
  });
});
