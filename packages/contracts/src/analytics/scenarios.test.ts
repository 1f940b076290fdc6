import { describe, expect, test } from '@jest/globals';
import { exposureNamesOf, shocksOf, usualShocks } from './scenarios.ts';

const source = '0x00000000000000000000000000000000000000aa';

describe('shocks as text', () => {
  test('default: each kind with its size, and the usual ones are read', () => {
    const text = `loss:0.2:largest,loss:1:all,loss:0.5:${source.toLowerCase()},depeg:0.05,oracle_stop:48,run:3,gas:1.5`;
    const shocks = shocksOf(text);
    expect(shocks).toMatchObject({ length: 7, 2: { kind: 'loss', size: 0.5, target: [source.toLowerCase()] } });
    expect(shocksOf('loss:0.2')).toEqual([{ kind: 'loss', size: 0.2, target: 'largest' }]);
    expect(Array.isArray(shocksOf(usualShocks))).toBe(true);
  });

  test.each([
    ['theft:1', 'theft: the kind must be one of loss, depeg'],
    ['loss:20', 'loss: its size must be a fraction above 0 and up to 1'],
    ['loss:0', 'loss: its size must be a fraction'],
    ['depeg:-0.1', 'depeg: its size must be a fraction'],
    ['oracle_stop:1.5', 'oracle_stop: its size must be whole hours'],
    ['run:0', 'run: its size must be how many holders leave'],
    ['gas:1', 'gas: its size must be a factor above 1'],
    ['gas:10:all', 'gas: only a loss has a target'],
    ['loss:1:0x12', 'loss: its target must be largest, all, or'],
    ['', 'a shock: the kind must be'],
    [Array.from({ length: 21 }, () => 'gas:2').join(), 'there are 21 shocks; 20 are allowed'],
  ])('error: %j says what is wrong and what is allowed', (text, message) => {
    expect(shocksOf(text)).toContain(message);
  });

  test('error: names that are no JSON, of no source, or too long are none', () => {
    expect(exposureNamesOf(`[{"source_address":"${source}","protocol":" Aave "}]`)).toMatchObject([
      { protocol: 'Aave' },
    ]);
    for (const text of [
      '{',
      '{}',
      '[{"protocol":"Aave"}]',
      `[{"source_address":"${source}","curator":"${'x'.repeat(41)}"}]`,
    ])
      expect(exposureNamesOf(text)).toBeNull();
  });
});
