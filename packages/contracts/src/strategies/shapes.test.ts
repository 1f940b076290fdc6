import { expect, test } from '@jest/globals';
import { ActionConfig } from './shapes.ts';

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
