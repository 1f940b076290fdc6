import { describe, expect, test } from '@jest/globals';
import { anOverview } from '../../../test/analytics.ts';
import { anAddress, aVault } from '../../../test/builders.ts';
import { comparedRows, type MomentReads, mandateWords } from './comparison.ts';

const vault = aVault();
const none: MomentReads = {
  overview: undefined,
  pps: undefined,
  risk: undefined,
  state: undefined,
  allocation: undefined,
  operations: undefined,
  mandate: undefined,
};
const changes = (first: object, second: object) =>
  Object.fromEntries(
    comparedRows(vault, [
      { ...none, ...first },
      { ...none, ...second },
    ] as [MomentReads, MomentReads]).map(({ name, change }) => [name, change]),
  );

describe('the change between two moments', () => {
  test('default: of values in percent of the first, of rates in percentage points', () => {
    const overview = anOverview({ tvl_usd: 100, tvl_asset: '1000', depositors: 10 });
    const later = anOverview({ tvl_usd: 110, tvl_asset: '900', depositors: 10, apy: { ...overview.apy, d7: 0.0505 } });
    expect(changes({ overview }, { overview: later })).toMatchObject({
      'Total value': '+10.00%',
      Assets: '−10.00%',
      'Net APY, 7 days': '−0.30\u00a0pp',
      'Net APY, 30 days': undefined,
      Depositors: undefined,
    });
  });

  test('default: of risk in percentage points, of its score in points', () => {
    const risk = {
      score: 40.2,
      level: 'medium',
      max_drawdown_30d: 0.01,
      volatility_annual: null,
      top_holder_share: 0.3,
      liquidity: { instant_share: 0.5 },
    };
    const later = { ...risk, score: 35.4, max_drawdown_30d: 0.0125, volatility_annual: 0.1, top_holder_share: 0.3 };
    expect(changes({ risk }, { risk: later })).toEqual({
      'Risk score': '−5',
      'Worst fall in 30 days': '+0.25\u00a0pp',
      'Volatility, a year': undefined,
      'Largest holder': undefined,
      'Payable on demand': undefined,
    });
    // What rounds to the same is no change.
    expect(changes({ risk }, { risk: { ...risk, score: 40.4 } })['Risk score']).toBeUndefined();
  });

  test('behavior: a source that was not listed had nothing; of what was not observed nothing is said', () => {
    const of = (points: object[]) => ({ allocation: { sources: [], points } });
    const held = (share: number | null) => ({ source_address: anAddress(0x70), assets: '1', share });
    const changed = (first: object, second: object) => Object.values(changes(first, second))[0];
    const full = of([{ t: '', sources: [held(0.12)] }]);
    expect(changed(of([{ t: '', sources: [] }]), full)).toBe('+12.00\u00a0pp');
    expect(changed(of([{ t: '', sources: [held(0.2)] }]), full)).toBe('−8.00\u00a0pp');
    expect(changed(of([]), full)).toBeUndefined();
    expect(changed(of([{ t: '', sources: [held(null)] }]), full)).toBeUndefined();
  });
});

describe('the mandate of a moment', () => {
  const since = '2026-01-10T00:00:00.000Z';
  const words = (version: number, moment: string) => {
    const in_force = { version, document: { title: 'Careful' }, in_force_from: since };
    return mandateWords({ in_force, draft: null } as never, moment);
  };

  test('default: the version in force, from when it came into force', () => {
    expect([words(2, since), words(2, 'now')]).toEqual(['Version 2, Careful', 'Version 2, Careful']);
  });

  test('behavior: before the first version there was none; before a later one it is not known which', () => {
    const before = '2026-01-09T23:59:59.000Z';
    expect([words(1, before), words(2, before)]).toEqual(['None in force', 'An earlier version, or none']);
    expect(mandateWords({ in_force: null, draft: null }, before)).toBeUndefined();
  });
});
