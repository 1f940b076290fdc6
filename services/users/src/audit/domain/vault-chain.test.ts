import type { AuditRow } from '@castellan/contracts';
import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { completeRow, genesisHash, nextRow } from './audit-chain.ts';
import { damaged, fieldsOf } from './damage.fixture.ts';
import { contentOf, earlierRow, logOf, vaultA, vaultB } from './rows.fixture.ts';
import { verifyVaultChain } from './vault-chain.ts';

/** What an export of one vault holds of a log that other vaults' rows run through. */
function exported(of: readonly (typeof vaultA | null)[], earlier = 0) {
  const all = logOf(of, earlier).map(completeRow);
  const rows = all.filter(({ vault_address }) => vault_address === vaultA.vault_address);
  const head = { vault_seq: rows.length, hash: rows.at(-1)?.hash ?? genesisHash };
  return { all, rows, chain: { ...vaultA, head } };
}

const logs = fc
  .array(fc.constantFrom(vaultA, vaultA, vaultB, null), { minLength: 2, maxLength: 12 })
  .map((of) => [vaultA, ...of, vaultA]);
const earlier = fc.constantFrom(0, 0, 1, 3, 20);

describe('verifyVaultChain', () => {
  test('default: the rows of one vault out of a log of several; none at all', () => {
    const { rows, chain } = exported([vaultA, vaultB, null, vaultA, vaultB, vaultA]);
    expect(rows.map(({ vault_seq }) => vault_seq)).toEqual([1, 2, 3]);
    expect(verifyVaultChain(rows, chain)).toEqual({ ok: true, rows: 3 });
    expect(verifyVaultChain([], { ...vaultA, head: { vault_seq: 0, hash: genesisHash } })).toEqual({
      ok: true,
      rows: 0,
    });
  });

  test('behavior: rows of earlier versions count as the first of the chain', () => {
    const { rows, chain } = exported([vaultA, vaultB, vaultA, vaultA, vaultB, vaultA], 3);
    expect(rows.map(({ vault_seq }) => vault_seq)).toEqual([null, null, 3, 4]);
    expect(verifyVaultChain(rows, chain)).toEqual({ ok: true, rows: 4 });
  });

  test('behavior: any row removed, the last one too', () => {
    fc.assert(
      fc.property(logs, earlier, fc.nat(), (of, old, pick) => {
        const { rows, chain } = exported(of, old);
        expect(verifyVaultChain(rows, chain).ok).toBe(true);
        expect(verifyVaultChain(rows.toSpliced(pick % rows.length, 1), chain).ok).toBe(false);
      }),
      runs(500),
    );
  });

  test('behavior: the end cut off anywhere', () => {
    fc.assert(
      fc.property(logs, earlier, fc.nat(), (of, old, pick) => {
        const { rows, chain } = exported(of, old);
        const kept = rows.slice(0, pick % rows.length);
        expect(verifyVaultChain(kept, chain)).toEqual({ ok: false, position: kept.length + 1, fault: 'truncated' });
      }),
      runs(500),
    );
  });

  test('behavior: any byte of any field changed', () => {
    fc.assert(
      fc.property(logs, earlier, fc.nat(), fc.nat(), fc.nat(), (of, old, row, field, byte) => {
        const { rows, chain } = exported(of, old);
        const at = row % rows.length;
        const names = fieldsOf(rows[at] as AuditRow);
        const broken = rows.with(at, damaged(rows[at] as AuditRow, names[field % names.length] as string, byte));
        expect(verifyVaultChain(broken, chain).ok).toBe(false);
      }),
      runs(2500),
    );
  });

  test('behavior: two rows exchanged', () => {
    fc.assert(
      fc.property(logs, earlier, fc.nat(), fc.nat(), (of, old, one, other) => {
        const { rows, chain } = exported(of, old);
        const [a, b] = [one % rows.length, other % rows.length];
        fc.pre(a !== b);
        const exchanged = rows.with(a, rows[b] as AuditRow).with(b, rows[a] as AuditRow);
        expect(verifyVaultChain(exchanged, chain).ok).toBe(false);
      }),
      runs(500),
    );
  });

  test('behavior: a row of another vault between them, or one twice', () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.nat(), (of, pick, place) => {
        const { all, rows, chain } = exported(of);
        const smuggled = all[pick % all.length] as AuditRow;
        const verdict = verifyVaultChain(rows.toSpliced(place % (rows.length + 1), 0, smuggled), chain);
        expect(verdict.ok).toBe(false);
      }),
      runs(500),
    );
    const { all, rows, chain } = exported([vaultA, vaultB]);
    const foreign = all[1] as AuditRow;
    expect(verifyVaultChain([...rows, foreign], chain)).toEqual({ ok: false, position: 2, fault: 'foreign' });
  });

  test('behavior: a row made anew with a hash that fits breaks the link of the next, or the head', () => {
    const { rows, chain } = exported([vaultA, vaultA, vaultA]);
    const [first, second] = rows as [AuditRow, AuditRow];
    const forged = nextRow({ ...contentOf(1, vaultA), actor_wallet: null }, first, { seq: 1, hash: first.hash });
    expect(verifyVaultChain(rows.with(1, forged), chain)).toEqual({ ok: false, position: 3, fault: 'unlinked' });
    const short = { ...chain, head: { vault_seq: 2, hash: second.hash } };
    expect(verifyVaultChain([first, forged], short)).toEqual({ ok: false, position: 3, fault: 'truncated' });
  });

  test('behavior: a row of an earlier version removed or made anew, with a head that fits', () => {
    const { rows, chain } = exported([vaultA, vaultA, vaultB, vaultA, vaultA], 4);
    const short = { ...chain, head: { ...chain.head, vault_seq: 3 } };
    expect(verifyVaultChain(rows.slice(1), short)).toEqual({ ok: false, position: 3, fault: 'missing' });
    const forged = completeRow(earlierRow(99, undefined, vaultA));
    expect(verifyVaultChain(rows.with(0, forged), chain)).toEqual({ ok: false, position: 2, fault: 'unlinked' });
  });
});
