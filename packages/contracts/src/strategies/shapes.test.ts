import { expect, test } from '@jest/globals';
import { ActionConfig, ConvictionConfig, strategyDefinition } from './shapes.ts';

const address = `0x${'1'.repeat(40)}`;
const config = {
  ...{ action: 'DEPOSIT', size_expr: '1', execution_name: 'Deposit' },
  ...{ execution_address: address, target_address: address },
};
const faultOf = (over: object) => ActionConfig.safeParse({ ...config, ...over }).error?.issues[0]?.path;

test('error: a strategy may not lose more than half', () => {
  expect(faultOf({ max_slippage_bps: 5_000 })).toBeUndefined();
  expect(faultOf({ max_slippage_bps: 5_001 })).toEqual(['max_slippage_bps']);
});

test('error: a parameter of the hook has a name', () => {
  expect(faultOf({ execution_params: { min_out: '1', A: true, [`a${'1'.repeat(63)}`]: null } })).toBeUndefined();
  for (const name of ['', '1a', '_a', '$set', 'a.b', 'a b', '__proto', `a${'1'.repeat(64)}`])
    expect(faultOf({ execution_params: { [name]: '1' } })).toEqual(['execution_params', name]);
});

test('behavior: a least score may have a unit', () => {
  const scored = (min_score: string) =>
    ConvictionConfig.safeParse({ mode: 'expr', expr: '1', min_score, required_ticks: 1 }).success;
  expect(['0.5', '-3', '1_000 USDC', '5 %', '30bps'].filter((text) => !scored(text))).toEqual([]);
  expect(['', 'USDC', '5  %', '5.', '1\n2'].filter(scored)).toEqual([]);
});

test('error: at most 60 names, each of an address', () => {
  const { names } = strategyDefinition;
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_item, index) => [`${index}`, address]));
  expect(names.safeParse(many(60)).success).toBe(true);
  expect(names.safeParse(many(61)).success).toBe(false);
  expect(names.safeParse({ Prime: 'x' }).success).toBe(false);
});
