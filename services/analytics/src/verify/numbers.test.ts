import type { Receipt } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { checkShown } from './numbers.ts';

const receipts = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([path, value]) => [path, { value } as Receipt]));

test('default: a number is accounted for by its receipt, or repeats the question or a place', () => {
  const answer = {
    block_number: 7,
    quality: { 'apy.d7': { sample_size: 3 } },
    apy: { d7: 0.05, name: 'x' },
    fees: [{ total: '12', block: 6, log_index: 1 }],
    receipts: receipts({ 'apy.d7': 0.05, 'fees.0.total': '12' }),
  };
  expect(checkShown(answer)).toEqual({ without: [], altered: [], echoed: 3 });
});

test('behavior: a number without a receipt counts as not checked, one that its receipt contradicts as not equal', () => {
  const answer = { apy: 0.05, tvl: '12', pps: '1.05', receipts: receipts({ tvl: '13', fee: '1', none: null }) };
  const { without, altered } = checkShown(answer);
  expect(without.map(({ figure, reason }) => [figure, reason])).toEqual([
    ['apy', 'it has no receipt'],
    ['pps', 'it has no receipt'],
  ]);
  expect(altered).toMatchObject([
    { figure: 'tvl', shown: '12', found: '13', outcome: 'unequal' },
    // A receipt of what the answer does not show.
    { figure: 'fee', shown: undefined, found: '1', outcome: 'unequal' },
  ]);
});
