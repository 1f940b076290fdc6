import '../../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { aVault } from '../../../test/builders.ts';
import { config, fakeApi, renderPage } from '../../../test/harness.tsx';
import { aNetwork, aPricing, aTransmission, withSilent } from '../../../test/validators.ts';
import type { Network, Pricing } from '../../validators/network.ts';
import type { Shown } from '../vault-gate.tsx';
import { LatePrice } from './late-price.tsx';
import { PricedBy, usePricing } from './priced-by.tsx';

const [chain] = config.chains;
if (chain === undefined) throw new Error('a chain is needed');
const shown: Shown = {
  vault: aVault(),
  area: 'public',
  chain,
  updatedAt: 0,
  live: { mode: 'paused', toggle: () => undefined, pollMs: false },
  error: null,
  retry: () => undefined,
};

function Page() {
  const pricing = usePricing(shown);
  const next = pricing.priced.data?.next;
  return (
    <>
      {next === undefined ? null : <LatePrice next={next} nodes={pricing.network?.nodes ?? []} />}
      <PricedBy shown={shown} {...pricing} />
    </>
  );
}

const show = (pricing: Pricing, network: Network | Error = aNetwork()) =>
  renderPage(<Page />, {
    api: fakeApi({
      transmissions: async () => pricing,
      validators: async () => {
        if (network instanceof Error) throw network;
        return network;
      },
    }),
  });

describe('who priced this vault', () => {
  test('default: the last rounds with what each node did, what was sent, and when the next price is due', async () => {
    await show(aPricing());
    const rounds = within(await screen.findByRole('table', { name: 'Rounds that priced this vault' }));
    expect(await rounds.findByTitle('oracle-1: observed and signed, sent it to the chain')).toBeTruthy();
    expect(rounds.getByTitle('oracle-3: observed')).toBeTruthy();
    const sent = within(screen.getByRole('table', { name: 'Recent transmissions' }));
    expect(sent.getByText('1.042317')).toBeTruthy();
    expect(sent.getByText('Stored')).toBeTruthy();
    expect(screen.getByText(/^Next price due within 1 m/)).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('behavior: a late price says how late, who is silent since when, and the value at risk', async () => {
    const next = {
      late_by_seconds: 847,
      reason: 'too_few_observers',
      detail: '2 of 4 nodes answer, 3 must observe.',
      silent_nodes: [1, 3],
      value_at_risk_usd: 12_345_678.9,
    };
    await show(aPricing({ next }), withSilent([1, 3]));
    const late = within(await screen.findByRole('alert'));
    expect(await late.findByText('Price is 14 m late: oracle-1 and oracle-3 are silent')).toBeTruthy();
    expect(late.getByText('2 of 4 nodes answer, 3 must observe.')).toBeTruthy();
    expect(late.getByText('$12.35M')).toBeTruthy();
    expect(late.getAllByText(/last heard 1 Jan 2026, 12:04 UTC/)).toHaveLength(2);
    expect(screen.queryByText(/Next price due/)).toBeNull();
  });

  test.each([
    ['unfunded', 'the upkeep balance is too low'],
    ['no_rounds', 'the nodes finish no round'],
    ['too_few_signers', 'too few nodes sign'],
    ['transmission_fails', 'it was agreed on, but did not get onto the chain'],
    ['not_reported', 'the last rounds had no price of this vault'],
  ])('behavior: %s is said in plain words, a value that is not known too', async (reason, words) => {
    await show(aPricing({ next: { late_by_seconds: 48, reason } }));
    const late = within(await screen.findByRole('alert'));
    expect(late.getByText(`Price is 48 s late: ${words}`)).toBeTruthy();
    expect(late.getByText('Not known')).toBeTruthy();
  });

  test('behavior: a paused vault is shown as such and not as an alarm', async () => {
    await show(aPricing({ next: { late_by_seconds: 847, reason: 'paused' } }));
    expect(await screen.findByText('No new price: the vault is paused')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('behavior: a silent node is named while prices still come', async () => {
    await show(aPricing({ next: { silent_nodes: [3] } }), withSilent([3]));
    expect(await screen.findByText('oracle-3 is silent')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('behavior: a failed transmission says why; the one of another price is not taken for the round', async () => {
    const refused = aTransmission({ status: 'failure', reason: 'StrategyPaused' });
    const [, , , last] = aNetwork().nodes;
    const before = aTransmission({
      report_timestamp: '2025-12-01T00:00:00Z',
      transmitter: last?.transmitter_address ?? '',
    });
    await show(aPricing({ transmissions: [refused, before] }));
    const rounds = within(await screen.findByRole('table', { name: 'Rounds that priced this vault' }));
    expect(await rounds.findByTitle('oracle-1: observed and signed, sent it to the chain')).toBeTruthy();
    expect(rounds.getByTitle('oracle-3: observed')).toBeTruthy();
    expect(screen.getByText('The vault is paused.')).toBeTruthy();
  });

  test('default: a vault that no round has priced says what will appear', async () => {
    await show(aPricing({ rounds: [], transmissions: [], total: 0, next: { due_at: null } }));
    expect(await screen.findByText('No round has priced this vault yet')).toBeTruthy();
    expect(screen.queryByText(/Next price due/)).toBeNull();
  });

  test('error: without the network the nodes are called by their place', async () => {
    await show(aPricing({ next: { silent_nodes: [3] } }), new Error('away'));
    expect(await screen.findByText('node 3 is silent')).toBeTruthy();
    expect(screen.getByTitle('node 1: observed and signed')).toBeTruthy();
  });

  test('error: a failed read says so', async () => {
    const transmissions = () => Promise.reject(new Error('away'));
    await renderPage(<Page />, { api: fakeApi({ transmissions, validators: async () => aNetwork() }) });
    expect(await screen.findByText('Who priced this vault could not be read')).toBeTruthy();
  });
});
