import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AuditRow, canonicalJson, nextRow, verifyAuditChain } from './audit-chain.ts';

const chainOf = (length: number): AuditRow[] => {
  const rows: AuditRow[] = [];
  for (let n = 0; n < length; n += 1) {
    const content = {
      id: `row-${n}`,
      timestamp: '2026-01-01T00:00:00.000Z',
      action_type: 'view_only_granted',
      vault_address: null,
      chain_id: 1,
      actor_wallet: '0x0',
      details: { n, nested: { b: 1, a: [n] } },
      tx_hash: null,
      request_id: null,
    };
    rows.push(nextRow(rows.at(-1), content));
  }
  return rows;
};

describe('verifyAuditChain', () => {
  test('default: a whole chain, and an empty one', () => {
    expect(verifyAuditChain(chainOf(5))).toEqual({ ok: true, rows: 5 });
    expect(verifyAuditChain([])).toEqual({ ok: true, rows: 0 });
  });

  test('behavior: removing any row but the last is noticed where it was', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(), (length, pick) => {
        const rows = chainOf(length);
        const gone = pick % (length - 1);
        rows.splice(gone, 1);
        expect(verifyAuditChain(rows)).toEqual({ ok: false, seq: gone + 1, fault: 'missing' });
      }),
    );
  });

  test('behavior: changing any byte of any field is noticed at that row', () => {
    const fields: (keyof AuditRow)[] = ['id', 'timestamp', 'action_type', 'actor_wallet', 'prev_hash', 'hash'];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(), fc.constantFrom(...fields), (length, pick, field) => {
        const rows = chainOf(length);
        const at = pick % length;
        rows[at] = { ...(rows[at] as AuditRow), [field]: `${String(rows[at]?.[field])}x` };
        expect(verifyAuditChain(rows)).toMatchObject({ ok: false, seq: at + 1 });
      }),
    );
  });

  test('behavior: an altered row whose hash was made again breaks the link of the next', () => {
    const rows = chainOf(3);
    const { seq: _seq, prev_hash: _prev, hash: _hash, ...content } = rows[1] as AuditRow;
    rows[1] = nextRow(rows[0], { ...content, actor_wallet: '0xother' });
    expect(verifyAuditChain(rows)).toEqual({ ok: false, seq: 3, fault: 'unlinked' });
  });
});

test('canonicalJson: one text for one value, whatever the order of its keys', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
});
