import '../../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { aPublicVault, aVault } from '../../../test/builders.ts';
import { config, fakeApi, renderPage } from '../../../test/harness.tsx';
import { aFee, someFees } from '../../../test/lists.ts';
import { upkeepWords } from '../../home/vault-columns.tsx';
import { usePages } from '../../receipts/use-pages.ts';
import type { Shown } from '../vault-gate.tsx';
import { FeeConfig } from './fee-config.tsx';
import { FeeFigures } from './fee-figures.tsx';
import { markMove, skimReason } from './fee-labels.ts';
import { FeeLedger } from './fee-ledger.tsx';
import { emptyAt, roundedUp, runwayInside, runwayText, worstText } from './runway.ts';

const [chain] = config.chains;
if (chain === undefined) throw new Error('a chain is needed');
const shownOf = (vault = aVault()): Shown => ({
  vault,
  area: 'public',
  chain,
  updatedAt: 0,
  live: { mode: 'paused', toggle: () => undefined, pollMs: false },
  error: null,
  retry: () => undefined,
});

function Ledger({ shown }: { shown: Shown }) {
  const pages = usePages(shown, 'analyticsFees', {});
  return (
    <>
      <FeeFigures shown={shown} fees={pages.head} />
      <FeeLedger shown={shown} pages={pages} kind="all" onKind={() => undefined} />
    </>
  );
}

describe('fees', () => {
  test('default: the ledger shows who got what and which way the mark moved', async () => {
    const fees = someFees([
      aFee(2),
      aFee(1, { kind: 'hwm_reset', total: null, hwm_before: '1050000', hwm_after: '1000000' }),
    ]);
    await renderPage(<Ledger shown={shownOf()} />, { api: fakeApi({ analyticsFees: async () => fees }) });
    const [, taken, reset] = within(await screen.findByRole('table', { name: 'Fee ledger' })).getAllByRole('row');
    expect(taken?.textContent).toContain('50 USDC recipient50 USDC protocol');
    expect(taken?.textContent).toContain('1.000000raised to1.040000');
    expect(reset?.textContent).toContain('1.050000lowered to1.000000');
    expect(screen.getByText(/25.00% of the supply was bought below it/)).toBeTruthy();
  });

  test('behavior: the fee that is due has the unit of the page', async () => {
    const due = { ...aVault().pending_performance_fee, total: '105180000' };
    const shown = shownOf(aVault({ pending_performance_fee: due }));
    const api = fakeApi({ analyticsFees: async () => someFees([]) });
    const { unmount } = await renderPage(<Ledger shown={shown} />, { api });
    expect(await screen.findByText('$105.18')).toBeTruthy();
    unmount();
    await renderPage(<Ledger shown={shown} />, { api, path: '/v', url: '/v?unit=token' });
    expect(await screen.findByText('105.18 USDC')).toBeTruthy();
  });

  test('behavior: an empty ledger says after what it fills', async () => {
    await renderPage(<Ledger shown={shownOf()} />, { api: fakeApi({ analyticsFees: async () => someFees([]) }) });
    expect(await screen.findByText('No fee was taken yet')).toBeTruthy();
    expect(screen.getByText(/begins with the first deposit/)).toBeTruthy();
  });

  test('behavior: a change that waits is said with both rates and its time', async () => {
    const vault = aVault({
      pending_fee_config: {
        performance_fee_bps: 2000,
        management_fee_bps: 10,
        recipient: aVault().fee_config.recipient,
        effective_at: '2026-01-08T00:00:00Z',
      },
    });
    await renderPage(<FeeConfig shown={shownOf(vault)} />);
    expect(screen.getByText(/A fee change is proposed and can take effect in/)).toBeTruthy();
    expect(screen.getByText('Performance fee 15.00% → 20.00%.')).toBeTruthy();
  });

  test('behavior: moves of the mark and reasons in words', () => {
    expect(markMove({ hwm_before: '2', hwm_after: '1' })).toBe('down');
    expect(markMove({ hwm_before: '1', hwm_after: '1' })).toBeUndefined();
    expect(skimReason('cool_down')).toBe('The vault was unpaused a short time ago');
    expect(skimReason('something_new')).toBe('something new');
  });
});

describe('runway', () => {
  test('default: days, and the date on which it ends', () => {
    expect(runwayText(28 * 86_400 + 5)).toBe('28 days');
    expect(runwayText(90_000)).toBe('1 d 1 h');
    expect(worstText(60 * 86_400, 28 * 86_400)).toBe('28 days at worst');
    expect(worstText(28 * 86_400, 60 * 86_400)).toBeUndefined();
    expect(emptyAt('2026-01-01T00:00:00Z', 86_400)).toBe('2026-01-02T00:00:00.000Z');
  });

  test('behavior: an amount to pay in is rounded up to three digits that count', () => {
    expect([0n, 7n, 999n, 1_001n, 37_512_345n].map(roundedUp)).toEqual([0n, 7n, 999n, 1_010n, 37_600_000n]);
  });

  test('behavior: the public list says how long the upkeep lasts, and marks less than a week', () => {
    const upkeep_info = { ...aPublicVault().upkeep_info, runway_seconds: 28 * 86_400 };
    expect(upkeepWords(aPublicVault({ upkeep_info }))).toEqual({ word: '28 days left', isShort: false });
    const soon = { ...upkeep_info, runway_seconds: 6 * 86_400 };
    expect(upkeepWords(aPublicVault({ upkeep_info: soon }))).toEqual({ word: '6 days left', isShort: true });
    expect(upkeepWords(aPublicVault())).toEqual({ word: 'Not known', isShort: false });
    const free = { ...aPublicVault().upkeep_info, threshold: { required_balance: '0', shortfall: '0' } };
    expect(upkeepWords(aPublicVault({ upkeep_info: free }))).toEqual({ word: 'Covered', isShort: false });
  });

  test('behavior: what lasts longer than anyone plans has no date', () => {
    expect(runwayText(1e12)).toBe('Over 10 years');
    expect(runwayInside(1e12)).toBe('over 10 years');
    expect(emptyAt('2026-01-01T00:00:00Z', 4e8)).toBeNull();
    expect(emptyAt('2026-01-01T00:00:00Z', 1e15)).toBeNull();
  });
});
