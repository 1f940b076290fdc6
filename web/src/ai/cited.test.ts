import { describe, expect, test } from '@jest/globals';
import { receiptOf } from './cited.ts';

const source = { vault: { chain_id: 1, vault_address: '0x1' }, live: { mode: 'stream' as const }, chain: {} };
const of = (path: string, more: Partial<Parameters<typeof receiptOf>[1]> = {}) =>
  receiptOf({ metric: 'M', path, value: 1 }, { source, tools: [], moment: undefined, ...more });

describe('receipts of cited figures', () => {
  test('default: a path names the read and the figure in it', () => {
    expect(of('overview.apy.d7', { moment: { block: '90' } })).toMatchObject({
      id: 'analyticsOverview',
      path: 'apy.d7',
      label: 'M',
      query: {},
      moment: { block: '90' },
    });
    expect(of('risk/drawdown.episodes.0.depth')).toMatchObject({ id: 'analyticsDrawdown', path: 'episodes.0.depth' });
    expect(of('pps/what-if.next_pps')).toMatchObject({ id: 'analyticsPpsWhatIf', path: 'next_pps' });
  });

  test('behavior: a figure of the detail that analytics derive opens theirs; others have none', () => {
    expect(of('vault.hwm_pps')).toMatchObject({ id: 'analyticsPps', path: 'hwm.pps' });
    expect(of('vault.total_supply')).toBeUndefined();
    expect(of('constructor.name')).toBeUndefined();
    expect(of('overview')).toBeUndefined();
  });

  test('behavior: the arguments of the tool that brought it are asked again', () => {
    const tools = [{ name: 'simulate_run', args: { chain_id: 1, top_holders: 5, hours: 48 } }];
    expect(of('risk/run.shortfall', { tools })?.query).toEqual({ top_holders: '5', hours: '48' });
    expect(of('performance.twr', { tools: [{ name: 'get_performance', args: { period: '7d' } }] })?.query).toEqual({
      period: '7d',
    });
  });

  test('behavior: a compared window asks for its own days and no moment', () => {
    const args = { first: { from: 'a', to: 'b' }, second: { from: 'b', to: 'c' } };
    const found = of('second window.performance.twr', {
      tools: [{ name: 'compare_periods', args }],
      moment: { block: '9' },
    });
    expect(found).toMatchObject({ id: 'analyticsPerformance', path: 'twr', query: { from: 'b', to: 'c' } });
    expect(found?.moment).toBeUndefined();
  });
});
