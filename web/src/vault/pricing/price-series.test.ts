import '../../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import {
  exactRatio,
  markSeries,
  type Pps,
  placesOf,
  priceSeries,
  priceTakeaway,
  ratio,
  returnSeries,
} from './price-series.ts';
import { rawPrice } from './what-if.tsx';

const point = (minute: number, pps: string, net: string | null): Pps['points'][number] => ({
  t: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  pps,
  pps_display: `1.${pps.slice(1)}`,
  net_pps: net,
  net_pps_exact: net === null ? null : { numerator: `${net}0000`, denominator: '10000' },
  source: 'oracle',
  block: minute,
  tx_hash: `0x${'ab'.repeat(32)}`,
});
const pps = (points: Pps['points']): Pps => ({
  chain_id: 31337,
  vault_address: '0x0000000000000000000000000000000000000001',
  as_of: '2026-01-01T01:00:00.000Z',
  block_number: 100,
  quality: {},
  period: '30d',
  from: '2025-12-02T01:00:00.000Z',
  to: '2026-01-01T01:00:00.000Z',
  interval_seconds: 60,
  pps_precision: '1000000000',
  points,
  current: null,
  calculated: null,
  hwm: null,
  hwm_steps: [],
  expiry: null,
  cadence: { p50_seconds: null, p95_seconds: null, max_seconds: null, reports: points.length },
  markers: [],
});

describe('prices as they are drawn', () => {
  const skim = pps([
    point(0, '1050000000', '1048500000'),
    point(5, '1048500000', '1048500000'),
    point(9, '1049000000', null),
  ]);

  test('default: a skim lowers the price on the chain and not the net one; a missing net price is a gap', () => {
    const [net, gross] = priceSeries(skim);
    expect(net?.points.map(([, value]) => value)).toEqual([1.0485, 1.0485, null]);
    expect(net?.points[0]?.[2]).toBe('1.0485');
    expect(gross?.points.map(([, value]) => value)).toEqual([1.05, 1.0485, 1.049]);
    expect(priceTakeaway(skim, 'over the last 7 days')).toBe('The net price did not change over the last 7 days.');
    expect(returnSeries(skim)[0]?.points.map(([, value]) => value)).toEqual([0, 0, null]);
  });

  test('default: the mark is drawn as it was at each time, a reset included, over the time of the prices', () => {
    const step = (minute: number, raw: string) => ({
      t: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
      pps: raw,
      pps_display: `1.${raw.slice(1)}`,
    });
    const steps = [step(-500, '1000000000'), step(5, '1048500000'), step(7, '1020000000')];
    const minutes = ({ hwm_steps }: Pick<Pps, 'hwm_steps'>) =>
      markSeries({ ...skim, hwm_steps })[0]?.points.map(([x, value]) => [(x - Date.UTC(2026, 0, 1)) / 60_000, value]);
    expect(markSeries({ ...skim, hwm_steps: steps })[0]).toMatchObject({ kind: 'step', name: 'High-water mark' });
    expect(minutes({ hwm_steps: steps })).toEqual([
      [0, 1],
      [5, 1.0485],
      [7, 1.02],
      [9, 1.02],
    ]);
    expect(minutes({ hwm_steps: [step(-500, '1000000000'), step(11, '1020000000')] })?.at(-1)).toEqual([11, 1.02]);
    expect(markSeries(skim)).toEqual([]);
  });

  test('behavior: a loss is said as one', () => {
    const loss = pps([point(0, '1000000000', '1000000000'), point(5, '998000000', '998000000')]);
    expect(priceTakeaway(loss, 'over the last 24 hours')).toBe('The net price fell by 0.20% over the last 24 hours.');
    expect(priceTakeaway(pps([]), 'over the last 24 hours')).toBe('No price was reported over the last 24 hours.');
  });

  test('behavior: six decimals at least, and as many as show the last change', () => {
    expect(placesOf(pps([point(0, '1000000000', null), point(1, '1000100000', null)]))).toBe(6);
    expect(placesOf(pps([point(0, '1000000000', null), point(1, '1000000020', null)]))).toBe(8);
  });

  test('behavior: what is derived comes from the exact net price, what is shown is rounded', () => {
    const whole = (numerator: string) => ({ numerator, denominator: '10000' });
    const close = pps([
      { ...point(0, '1000000', '999999'), net_pps_exact: whole('9999999999') },
      { ...point(5, '1000001', '999999'), net_pps_exact: whole('9999990000') },
    ]);
    close.pps_precision = '1000000';
    expect(priceTakeaway(close, 'over the last 24 hours')).toBe(
      'The net price fell by 0.0001% over the last 24 hours.',
    );
    expect(returnSeries(close)[0]?.points.map(([, value]) => value)).toEqual([0, -9.999e-7]);
    const [net] = priceSeries(close);
    expect(net?.points[0]).toEqual([Date.parse('2026-01-01T00:00:00Z'), 0.9999999999, '0.999999']);
    const after = whole('20000');
    const before = { numerator: '1', denominator: '1' };
    expect(exactRatio(after, before)).toBe(1);
  });

  test('behavior: ratios of prices beyond a double stay exact', () => {
    expect(ratio('1000000000000000000001', '1000000000000000000000')).toBe(0);
    expect(ratio('1004000000000000000000', '1000000000000000000000')).toBe(0.004);
    expect(ratio('1', '0')).toBeNull();
  });
});

test.each([
  ['1.0423', '1042300000'],
  ['1', '1000000000'],
  ['1.', '1000000000'],
  ['1.0000000001', undefined],
  ['-1', undefined],
  ['1e3', undefined],
])('behavior: the price %s as typed is %s raw', (text, raw) => {
  expect(rawPrice(text, '1000000000')).toBe(raw);
});
