import { describe, expect, test } from '@jest/globals';
import { START, wallet } from './chain-log.fixture.ts';
import { type FigureOptions, figure, render } from './figure.ts';
import { publishedFormulas, recompute } from './published-formulas.ts';

const at = { time: START, block: 7, tx: `0x${'1'.repeat(64)}`, index: 3 };
const sum = (more: Partial<FigureOptions> = {}) =>
  figure({
    value: 12n,
    unit: 'asset base units',
    method: 'sum',
    inputs: () => [{ name: 'added', value: 12n, unit: 'asset base units', at, source: 'Deposit' }],
    ...more,
  });

describe('rendering', () => {
  test('default: integers become decimal strings, numbers stay, null and absence stay what they are', () => {
    const tree = { a: 10n ** 30n, b: [0.5, null, 'x', true], c: { d: sum() }, e: undefined };
    expect(render(tree, null)).toEqual({
      body: { a: `1${'0'.repeat(30)}`, b: [0.5, null, 'x', true], c: { d: '12' }, e: undefined },
      quality: {},
      receipts: {},
    });
  });

  test('behavior: only what is not ok has a quality, by its path', () => {
    const window = { from: START, to: START + 60 };
    const partial = sum({ status: 'partial', reason: 'young', window, sampleSize: 2 });
    const { body, quality } = render({ list: [{ x: sum() }, { x: partial }], y: sum({ value: null }) }, null);
    expect(body).toEqual({ list: [{ x: '12' }, { x: '12' }], y: null });
    expect(quality).toEqual({
      'list.1.x': {
        status: 'partial',
        reason: 'young',
        from: '2026-06-01T00:00:00.000Z',
        to: '2026-06-01T00:01:00.000Z',
        actual_seconds: 60,
        sample_size: 2,
      },
      y: expect.objectContaining({ status: 'insufficient', reason: 'there is not enough history' }),
    });
  });

  test('default: a receipt has the formula, inputs with their place on the chain, and how to compute it again', () => {
    const { receipts } = render({ flow: sum({ observed: true }) }, (path) => `verify ${path}`);
    expect(receipts.flow).toMatchObject({
      value: '12',
      method: 'sum',
      formula: publishedFormulas.sum,
      rests_on: 'logs_and_observations',
      verify: 'verify flow',
      inputs: [
        {
          name: 'added',
          value: '12',
          t: '2026-06-01T00:00:00.000Z',
          block: 7,
          tx_hash: at.tx,
          log_index: 3,
          source: 'Deposit',
        },
      ],
    });
  });

  test('behavior: inputs are not gathered unless a receipt is asked for', () => {
    const inputs = () => {
      throw new Error('gathered');
    };
    expect(render({ x: sum({ inputs }) }, null).body).toEqual({ x: '12' });
    expect(() => render({ x: sum({ inputs }) }, () => '')).toThrow('gathered');
  });
});

describe('published formulas', () => {
  test('error: an unknown formula or a missing input', () => {
    expect(() => recompute('toString', [])).toThrow('There is no published formula toString.');
    expect(() => recompute('usd', [])).toThrow('The formula names amount, which is not given.');
  });

  test('default: computed from the JSON of a receipt', () => {
    const receipt = JSON.parse(JSON.stringify(render({ x: sum() }, () => '').receipts.x));
    expect(recompute(receipt.method, receipt.inputs)).toBe(12n);
    expect(recompute('count', [{ name: 'item', value: wallet(1) }])).toBe(1n);
    const slipped = [20, 5].flatMap((value) => [
      { name: 'short', value: `${value}` },
      { name: 'expected', value: '10000' },
    ]);
    const weighted = [...slipped, { name: 'weight', value: '100' }, { name: 'weight', value: '900' }];
    expect(recompute('weighted_mean', weighted)).toBe(6.5);
    expect(recompute('simple_mean', slipped)).toBe(12.5);
    expect(() => recompute('simple_mean', weighted)).toThrow('The formula does not use the input weight.');
  });
});
