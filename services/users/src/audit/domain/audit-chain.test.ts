import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, completeRow, nextRow, type StoredAuditRow, verifyAuditChain } from './audit-chain.ts';
import { damaged, fieldsOf } from './damage.fixture.ts';
import { contentOf, logOf, vaultA, vaultB } from './rows.fixture.ts';

const vaults = fc.array(fc.constantFrom(vaultA, vaultB, null), { minLength: 1, maxLength: 12 });

describe('verifyAuditChain', () => {
  test('default: a whole log of several vaults, and an empty one', () => {
    expect(verifyAuditChain(logOf([vaultA, null, vaultB, vaultA, vaultA]))).toEqual({ ok: true, rows: 5 });
    expect(verifyAuditChain([])).toEqual({ ok: true, rows: 0 });
  });

  test('behavior: rows of earlier versions still verify, as stored and as read', () => {
    const rows = logOf([vaultA, vaultB, vaultA, null, vaultB], 3);
    expect(verifyAuditChain(rows)).toEqual({ ok: true, rows: 5 });
    const read = rows.map(completeRow);
    expect(read[0]).toMatchObject({ category: 'write', vault_seq: null, vault_prev_hash: null });
    expect(verifyAuditChain(read)).toEqual({ ok: true, rows: 5 });
    expect(verifyAuditChain(read.with(0, { ...(read[0] as (typeof read)[0]), category: 'role' }))).toMatchObject({
      fault: 'altered',
    });
  });

  test('behavior: removing any row but the last is noticed where it was', () => {
    fc.assert(
      fc.property(vaults, fc.nat(), (of, pick) => {
        fc.pre(of.length > 1);
        const gone = pick % (of.length - 1);
        expect(verifyAuditChain(logOf(of).toSpliced(gone, 1))).toEqual({ ok: false, seq: gone + 1, fault: 'missing' });
      }),
      runs(500),
    );
  });

  test('behavior: changing any byte of any field is noticed at that row', () => {
    fc.assert(
      fc.property(
        vaults,
        fc.nat(),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 0, max: 12 }),
        (of, row, field, byte, old) => {
          const rows = logOf(of, old);
          const at = row % rows.length;
          const names = fieldsOf(rows[at] as StoredAuditRow);
          rows[at] = damaged(rows[at] as StoredAuditRow, names[field % names.length] as string, byte);
          expect(verifyAuditChain(rows)).toMatchObject({ ok: false });
        },
      ),
      runs(2000),
    );
  });

  test('behavior: an altered row whose hash was made again breaks the link of the next', () => {
    const rows = logOf([vaultA, vaultA, vaultA]);
    const [first, second] = rows as [StoredAuditRow, StoredAuditRow];
    const link = { seq: 1, hash: first.hash };
    rows[1] = nextRow({ ...contentOf(1, vaultA), actor_wallet: null }, first, link);
    expect(rows[1].hash).not.toBe(second.hash);
    expect(verifyAuditChain(rows)).toEqual({ ok: false, seq: 3, fault: 'unlinked' });
  });
});

test('canonicalJson: one text for one value, whatever the order of its keys', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
});
