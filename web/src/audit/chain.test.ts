import '../../test/browser.ts';
import type { AuditRow } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { aChain } from '../../test/audit.ts';
import { anAddress } from '../../test/builders.ts';
import { canonicalJson, hashOf, verifyChain } from './chain.ts';

const vault = { chain_id: 31337, vault_address: anAddress(1) };
const verify = (exported: Awaited<ReturnType<typeof aChain>>) => verifyChain(exported, vault);

describe('verifyChain', () => {
  test('default: a whole log is verified up to its head', async () => {
    const exported = await aChain(4);
    expect(await verify(exported)).toEqual({ ok: true, rows: 4, head: exported.head });
  });

  test('default: an empty log is whole', async () => {
    expect(await verify(await aChain(0))).toMatchObject({ ok: true, rows: 0 });
  });

  test.each<[string, (rows: AuditRow[]) => void, number, string]>([
    [
      'a changed byte in the details',
      (rows) => Object.assign(rows[1]?.details ?? {}, { reason: 'dull' }),
      2,
      'altered',
    ],
    ['a changed actor', (rows) => Object.assign(rows[2] ?? {}, { actor_wallet: anAddress(0x99) }), 3, 'altered'],
    ['a removed row', (rows) => rows.splice(1, 1), 2, 'missing'],
    ['a removed first row', (rows) => rows.splice(0, 1), 1, 'missing'],
    ['a removed last row', (rows) => rows.pop(), 4, 'truncated'],
    ['two rows in each other’s place', (rows) => rows.reverse(), 1, 'missing'],
    ['a row of another vault', (rows) => Object.assign(rows[0] ?? {}, { vault_address: anAddress(2) }), 1, 'foreign'],
  ])('behavior: %s is found, and where', async (_, change, position, fault) => {
    const { head, rows } = await aChain(4);
    change(rows);
    expect(await verify({ head, rows })).toEqual({ ok: false, position, fault });
  });

  test.each(['vault_prev_hash', 'prev_hash'] as const)(
    'behavior: a row whose %s was changed and its hash made anew is not tied to the one before',
    async (link) => {
      const { head, rows } = await aChain(3);
      const [, row] = rows;
      if (row === undefined) throw new Error('no row');
      row[link] = 'f'.repeat(64);
      row.hash = await hashOf(row);
      expect(await verify({ head, rows })).toEqual({ ok: false, position: 2, fault: 'unlinked' });
    },
  );

  test('behavior: rows from before the chain of a vault count as its first, and are checked too', async () => {
    const { head, rows } = await aChain(4, 2);
    expect(await verify({ head, rows })).toMatchObject({ ok: true, rows: 4 });
    Object.assign(rows[0] ?? {}, { category: 'fee' });
    expect(await verify({ head, rows })).toEqual({ ok: false, position: 1, fault: 'altered' });
  });
});

test('default: canonical JSON sorts keys at any depth, leaves undefined out and keeps null', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined, A: true })).toBe(
    '{"A":true,"b":[1,{"c":"x","d":null}]}',
  );
});
