import '../../../test/browser.ts';
import { routes } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown } from '../../../test/shown.ts';
import { barsBegin, bridgeSteps, type ValueBridge } from './bridge-steps.ts';
import { ValueBridgeCard } from './value-bridge.tsx';

const leg = (assets: number | null, usd: number | null) => ({
  assets: assets === null ? null : `${assets * 1_000_000}`,
  usd,
});

/** The published vector: 1 000 at 2.0 became 1 100 at 2.2, with 80 of flow and 10 skimmed out. */
const aBridge = (by: Partial<ValueBridge['yield_by']> = {}): ValueBridge =>
  routes.analyticsBridge.result.parse({
    chain_id: 31337,
    vault_address: anAddress(1),
    as_of: '2026-01-31T00:00:00.000Z',
    block_number: 100,
    quality: {},
    period: '30d',
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-31T00:00:00.000Z',
    start: leg(1_000, 2_000),
    end: leg(1_100, 2_420),
    flow: leg(80, 168),
    yield: leg(30, 63),
    fees: leg(-10, -21),
    price: { usd: 210 },
    total: leg(100, 420),
    yield_by: {
      observed: { from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T00:00:00.000Z' },
      sources: [
        { source_address: anAddress(8), kind: 'idle', ...leg(0, 0) },
        { source_address: anAddress(7), kind: 'source', ...leg(27, 56.7) },
      ],
      reporting_lag: leg(0, 0),
      not_observed: leg(0, 0),
      residual: leg(3, 6.3),
      ...by,
    },
  });

const unsplit = aBridge({
  observed: null,
  sources: [],
  reporting_lag: leg(null, null),
  residual: leg(null, null),
  not_observed: leg(30, 63),
});

describe('steps', () => {
  const { vault } = aShown();

  test.each([
    ['usd', 2_420],
    ['token', 1_100],
  ] as const)('default: in %s each step stands where the one before ended, and they end at the end', (unit, end) => {
    const steps = bridgeSteps(aBridge(), vault, unit);
    const last = steps.at(-1);
    expect(last).toMatchObject({ id: 'end', kind: 'level', to: end });
    const before = steps.at(-2);
    expect(before?.kind === 'loss' ? before.from : before?.to).toBeCloseTo(end, 9);
    expect(steps.some(({ id }) => id === 'price')).toBe(unit === 'usd');
  });

  test('behavior: without observations the yield is one step', () => {
    const steps = bridgeSteps(unsplit, vault, 'usd');
    expect(steps.map(({ id }) => id)).toEqual(['start', 'flow', 'yield', 'fees', 'price', 'end']);
  });

  test('behavior: bars begin at 0, unless the steps would be too small beside the value', () => {
    expect(barsBegin(bridgeSteps(aBridge({}), vault, 'usd'))).toBeGreaterThan(1_000);
    const fromNothing = { ...aBridge(), start: { assets: '0', usd: 0 } };
    expect(barsBegin(bridgeSteps(fromNothing, vault, 'usd'))).toBe(0);
    // What is too small from 0 would be too small from there too.
    const tiny = { ...unsplit, flow: leg(100, 400), yield: leg(0, 0.02), fees: leg(0, -0.01), price: { usd: 0.01 } };
    expect(barsBegin(bridgeSteps(tiny, vault, 'usd'))).toBe(0);
  });
});

describe('card', () => {
  const shown = async (bridge: ValueBridge) => {
    await renderPage(<ValueBridgeCard shown={aShown()} />, { api: fakeApi({ analyticsBridge: async () => bridge }) });
    const table = await screen.findByRole('table', { name: 'From the first value to the last' });
    return within(table)
      .getAllByRole('row')
      .map((row) => row.textContent?.replace(/, receipt of .*/, ''));
  };

  test('default: a sentence, every step with its amount, and what the residual is', async () => {
    const rows = await shown(aBridge());
    expect(
      screen.getByText(/The value changed by \+\$420\.00 .*: \+\$168\.00 from deposits less withdrawals/),
    ).toBeTruthy();
    expect(rows).toEqual([
      'At the start$2,000.00',
      'Deposits less withdrawals+$168.00',
      expect.stringMatching(/\+\$56\.70$/),
      'Idle$0.00',
      'Residual+$6.30',
      'Performance fees taken−$21.00',
      'Price of the asset+$210.00',
      'At the end$2,420.00',
    ]);
    expect(screen.getByText(/The residual is 10\.00% of the yield/)).toBeTruthy();
    expect(screen.getByText(/do not begin at 0/)).toBeTruthy();
  });

  test('behavior: it says so where the yield cannot be split', async () => {
    expect(await shown(unsplit)).toContain('Yield+$63.00');
    expect(screen.getByText(/the yield is not split by source/)).toBeTruthy();
  });
});
