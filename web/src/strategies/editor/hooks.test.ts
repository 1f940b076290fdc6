import '../../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { newDraft } from './draft.ts';
import { hookAfter, withOnlyHook } from './hooks.ts';

const hook = (hook_type: string, address = `0x${hook_type}`) => ({ name: hook_type, hook_type, address });

test.each([
  ['the only one', [hook('WITHDRAWAL'), hook('DEPOSIT')], '0xWITHDRAWAL'],
  ['none of two', [hook('WITHDRAWAL'), hook('WITHDRAWAL', '0x2')], ''],
  ['none', [hook('DEPOSIT')], ''],
])('behavior: a draft takes the hook for its action: %s', (_, hooks, address) => {
  expect(withOnlyHook(newDraft('WITHDRAWAL'), hooks).action.execution_address).toBe(address);
});

test('behavior: a rebalance takes the hook that deposits', () => {
  expect(withOnlyHook(newDraft('REBALANCE'), [hook('DEPOSIT')]).action.execution_name).toBe('DEPOSIT');
});

test.each([
  ['WITHDRAWAL', { execution_address: '', execution_name: '' }],
  ['REBALANCE', { execution_address: '0xDEPOSIT', execution_name: 'DEPOSIT' }],
] as const)('behavior: while the registry is not read a hook goes with its kind: to %s', (next, hooked) => {
  const { action } = withOnlyHook(newDraft('DEPOSIT'), [hook('DEPOSIT')]);
  expect(hookAfter(undefined, action, next)).toEqual(hooked);
});
