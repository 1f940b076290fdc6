import type { RegistryHook } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { seedsOf } from '../seeds.ts';
import { calldataOf, parseValue, pinnedOf } from './calldata.ts';
import { resolveRows } from './rows.ts';

const [hookAddress, source, token, oracle] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`) as [
  `0x${string}`,
  string,
  string,
  string,
];
const [deposit] = seedsOf({ chainId: 1, hooks: { deposit: hookAddress } }).map(
  (seed): RegistryHook => ({ ...seed, version: 1, created_at: '', updated_at: '' }),
) as [RegistryHook];
const priced: RegistryHook = {
  ...deposit,
  id: 'priced',
  inspect_params: [
    { name: 'pool', solidity_type: 'bytes4', ref_type: 'others', param_order: 1 },
    { name: 'oracle', solidity_type: 'address', ref_type: 'oracle', param_order: 0 },
    { name: 'fee', solidity_type: 'uint24', ref_type: 'others', param_order: 2 },
  ],
  calldata: [
    { name: 'fee', solidity_type: 'uint24' },
    { name: 'deep', solidity_type: 'bool' },
    { name: 'oracle', solidity_type: 'address' },
    { name: 'pool', solidity_type: 'bytes4' },
  ],
};
const hooks = new Map([deposit, priced].map((hook) => [hook.id, hook]));
const references = { sources: new Set([source]), oracles: new Set([oracle]) };
const resolve = (...rows: { hook_id: string; params: Record<string, string> }[]) =>
  resolveRows(rows, { chainId: 1, hooks, references });
const good = { hook_id: deposit.id, params: { yield_source: source, token } };

describe('rows', () => {
  test('default: carry the calldata to ask with, and what the hook has to answer', () => {
    const { rows, malformed, refused } = resolve(good, {
      hook_id: 'priced',
      params: { oracle, pool: '0xABCDEF01', fee: '3000' },
    });
    expect([malformed, refused]).toEqual([[], []]);
    const digits = (text: string) => text.slice(2);
    expect(rows[0]).toMatchObject({
      hook_address: hookAddress,
      calldata: `0x${'00'.repeat(32)}${digits(source)}${digits(token)}${'00'.repeat(33)}`,
      pinned: `0x${digits(source)}${digits(token)}`,
    });
    expect(rows[1]).toMatchObject({
      params: { oracle, pool: '0xabcdef01', fee: '3000' },
      calldata: `0x000bb800${digits(oracle)}abcdef01`,
      pinned: `0x${digits(oracle)}abcdef01000bb8`,
    });
  });

  test('error: each fault names its row and field', () => {
    const { malformed, refused } = resolve(
      good,
      { hook_id: deposit.id, params: { yield_source: '0x12', extra: '1' } },
      { hook_id: 'unknown', params: {} },
      { hook_id: deposit.id, params: { yield_source: token, token } },
      { hook_id: 'priced', params: { oracle: source, pool: '0xabcdef', fee: '16777216' } },
    );
    expect(malformed).toEqual([
      { path: 'body.rows.1.params.extra', message: 'is not a parameter of Approve and deposit ERC-4626' },
      { path: 'body.rows.1.params.yield_source', message: expect.stringContaining('must be an address') },
      { path: 'body.rows.1.params.token', message: 'is missing' },
      { path: 'body.rows.4.params.pool', message: 'must be bytes4 in hexadecimal' },
      { path: 'body.rows.4.params.fee', message: 'must be a decimal uint24' },
    ]);
    expect(refused).toEqual([
      { path: 'body.rows.2.hook_id', message: 'is no hook of the registry' },
      { path: 'body.rows.3.params.yield_source', message: 'is not a yield source on the list of the vault' },
      { path: 'body.rows.4.params.oracle', message: "is not an oracle of the vault's yield sources" },
    ]);
  });

  test('error: a hook that is not active, or not on this chain', () => {
    const idle = new Map([[deposit.id, { ...deposit, is_active: false }]]);
    const message = 'is no active hook on this chain';
    const faults = [{ path: 'body.rows.0.hook_id', message }];
    expect(resolveRows([good], { chainId: 1, hooks: idle, references }).refused).toEqual(faults);
    expect(resolveRows([good], { chainId: 2, hooks, references }).refused).toEqual(faults);
  });

  test('behavior: values have one spelling, and a type its range', () => {
    expect(parseValue('uint8', '255')).toEqual({ value: 255n, text: '255' });
    for (const [type, text] of [
      ['uint8', '256'],
      ['uint256', '-1'],
      ['uint256', '1e3'],
      ['uint256', '01'],
      ['bool', '1'],
      ['bytes32', '0x12'],
      ['address', token.slice(0, 41)],
    ] as const)
      expect(parseValue(type, text)).toHaveProperty('fault');
    expect(calldataOf(priced, { oracle: token, pool: '0x00000000', fee: '0' })).toHaveLength(2 + 2 * 28);
    expect(pinnedOf(priced, { oracle: token, pool: '0x00000000', fee: '0' })).toHaveLength(2 + 2 * 27);
  });
});
