import { describe, expect, test } from '@jest/globals';
import { anAddress, aVault } from '../../test/builders.ts';
import { missingRows, type RowSource, rowFor, rowOfMove } from './presets.ts';
import { changeOf } from './tree-change.ts';
import type { Hook } from './types.ts';

const vault = aVault();
const aHook = (id: string, hook_type: Hook['hook_type'], params: [string, string][]): Hook => ({
  id,
  version: 1,
  name: id,
  hook_type,
  addresses: [{ chain_id: vault.chain_id, address: anAddress(0x50) }],
  inspect_params: params.map(([name, ref_type], param_order) => ({
    name,
    solidity_type: 'address',
    ref_type: ref_type as Hook['inspect_params'][number]['ref_type'],
    param_order,
  })),
  calldata: [],
  is_active: true,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
});
const deposit = aHook('deposit', 'DEPOSIT', [
  ['yield_source', 'yield_source'],
  ['token', 'token'],
]);
const otherDeposit = { ...deposit, id: 'other-deposit' };
const redeem = aHook('redeem', 'WITHDRAWAL', [
  ['yield_source', 'yield_source'],
  ['owner', 'others'],
]);
const unanswerable = aHook('unanswerable', 'DEPOSIT', [
  ['yield_source', 'yield_source'],
  ['referrer', 'others'],
]);
const aSource = (n: number, source_type = 'erc4626'): RowSource => ({
  source_address: anAddress(n),
  oracle_address: anAddress(0x40),
  name: `Source ${n}`,
  source_type,
});

describe('rows of a source', () => {
  test('default: each parameter has what the vault says', () => {
    expect(rowFor(vault, deposit, aSource(1))?.params).toEqual({
      yield_source: anAddress(1),
      token: vault.asset.address,
    });
    expect(rowFor(vault, redeem, aSource(1))?.params.owner).toBe(vault.strategy_address);
  });

  test('behavior: a hook with a parameter that nobody here knows makes no row', () => {
    expect(rowFor(vault, unanswerable, aSource(1))).toBeUndefined();
    expect(rowOfMove({ vault, hooks: [unanswerable, deposit], rows: [] }, 'DEPOSIT', aSource(1))?.row.hook_id).toBe(
      'deposit',
    );
  });

  test('behavior: of several hooks the one that is in use already is taken', () => {
    const rows = [{ hook_id: 'other-deposit', params: {} }];
    expect(rowOfMove({ vault, hooks: [deposit, otherDeposit], rows }, 'DEPOSIT', aSource(1))?.row.hook_id).toBe(
      'other-deposit',
    );
  });
});

describe('what is missing', () => {
  const hooks = [deposit, redeem];
  test('default: a deposit and a redeem for each source, and nothing twice', () => {
    const sources = [aSource(1), aSource(2), aSource(3, 'unknown')];
    const all = missingRows({ vault, hooks, rows: [], sources });
    expect('rows' in all && all.rows).toHaveLength(4);
    const [first] = 'rows' in all ? all.rows : [];
    const typed = {
      hook_id: 'deposit',
      params: { token: vault.asset.address.toLowerCase(), yield_source: anAddress(1) },
    };
    const rest = missingRows({ vault, hooks, rows: [typed], sources });
    expect('rows' in rest && rest.rows).toHaveLength(3);
    expect('rows' in rest && rest.rows).not.toContainEqual(first);
  });

  test('behavior: a source that has its move by one fitting hook gets no second one', () => {
    const both = [deposit, otherDeposit, redeem];
    const first = aSource(1);
    const second = aSource(2);
    const rows = [rowFor(vault, otherDeposit, first), rowFor(vault, deposit, second)].flatMap((row) => row ?? []);
    const rest = missingRows({ vault, hooks: both, rows, sources: [first, second] });
    expect('rows' in rest && rest.rows.map(({ hook_id }) => hook_id)).toEqual(['redeem', 'redeem']);
    expect(rowOfMove({ vault, hooks: both, rows }, 'DEPOSIT', first)).toEqual({ row: rows[0], isThere: true });
  });

  test.each([
    ['no source', [], hooks, /no yield source yet/],
    ['no ERC-4626 source', [aSource(1, 'unknown')], hooks, /answers as an ERC-4626/],
    ['no hook', [aSource(1)], [unanswerable], /registry has no hook/],
  ])('error: %s is the reason', (_what, sources, offered, reason) => {
    expect(missingRows({ vault, hooks: offered, rows: [], sources })).toEqual({
      reason: expect.stringMatching(reason),
    });
  });
});

test('behavior: leaves are the same whatever the case of an address and the order of parameters; doubles count once', () => {
  const leaf = (hook_name: string, params: Record<string, string>) => ({
    hook_address: anAddress(0x50),
    hook_name,
    params,
  });
  const before = [leaf('Deposit', { a: '0xAB', b: '1' }), leaf('Gone', { a: '0x02' })];
  const after = [leaf('Deposit', { b: '1', a: '0xab ' }), leaf('New', { a: '0x03' }), leaf('New', { a: '0x03' })];
  const { added, removed, unchanged } = changeOf(before, after);
  expect([added, removed, unchanged].map((leaves) => leaves.map(({ hook_name }) => hook_name))).toEqual([
    ['New'],
    ['Gone'],
    ['Deposit'],
  ]);
});
