import { describe, expect, test } from '@jest/globals';
import { getAddress, numberToHex, padHex } from 'viem/utils';
import { byUse, oraclesOf, usedSources } from './used-sources.ts';

const address = (n: number) => getAddress(padHex(numberToHex(n), { size: 20 }));
const added = (source: string, day: number) => ({ args: { source }, block_time: `2026-01-0${day}T00:00:00.000Z` });
type Item = Parameters<typeof usedSources>[1][number]['allocation'][number];
const anItem = (n: number, parts: Partial<Item> = {}): Item => ({
  kind: 'source',
  source_address: address(n),
  name: `Source ${n}`,
  oracle_address: address(0x40),
  assets: '1',
  usd: null,
  share: null,
  apy: null,
  is_active: true,
  ...parts,
});

const aVault = (n: number, allocation: Item[]) => ({ vault_address: address(n), allocation });

describe('sources of the chain', () => {
  test('default: what vaults have comes before what they had, the first addition counts, and what lies idle is none', () => {
    const details = [
      aVault(0x61, [anItem(1), anItem(2), anItem(9, { kind: 'idle', oracle_address: null })]),
      aVault(0x62, [anItem(2, { oracle_address: address(0x41) })]),
    ];
    const entries = [
      added(address(3), 1),
      added(address(1), 2),
      added(address(2).toLowerCase(), 3),
      added(address(1), 4),
    ];
    const found = [...usedSources(entries, details).values()];
    expect(found.map(({ source_address, vault_count }) => [source_address, vault_count])).toEqual([
      [address(2), 2],
      [address(1), 1],
      [address(3), 0],
    ]);
    expect(found[1]?.first_seen_at).toBe('2026-01-02T00:00:00.000Z');
    expect(found[0]?.oracles).toEqual([
      { oracle_address: address(0x40), used_by: 1 },
      { oracle_address: address(0x41), used_by: 1 },
    ]);
  });

  test('error: an entry that names no address is passed over', () => {
    expect(usedSources([added('0x12', 1), { args: {}, block_time: '2026-01-01T00:00:00.000Z' }], []).size).toBe(0);
  });

  test('behavior: the APY is that of the vault that holds most of it, and null where none says one', () => {
    const details = [
      aVault(0x63, [anItem(1, { assets: '5', apy: 0.01 }), anItem(2)]),
      aVault(0x64, [anItem(1, { assets: '50', apy: 0.02 })]),
      aVault(0x65, [anItem(1, { assets: null, apy: 0.5 })]),
    ];
    const used = usedSources([], details);
    expect([used.get(address(1).toLowerCase())?.apy, used.get(address(2).toLowerCase())?.apy]).toEqual([0.02, null]);
    expect(used.get(address(1).toLowerCase())?.first_seen_at).toBeNull();
  });

  test('behavior: an oracle counts the vaults that use it, and not their sources', () => {
    const details = [
      aVault(0x70, [anItem(1), anItem(2), anItem(3)]),
      aVault(0x71, [anItem(4, { oracle_address: address(0x41) })]),
    ];
    const other = aVault(0x72, [anItem(5, { oracle_address: address(0x41) })]);
    expect(oraclesOf([...details, other])).toEqual([
      { oracle_address: address(0x41), used_by: 2 },
      { oracle_address: address(0x40), used_by: 1 },
    ]);
    const [used] = usedSources([], [aVault(0x73, [anItem(1), anItem(1)])]).values();
    expect(used).toMatchObject({ vault_count: 1, oracles: [{ used_by: 1 }] });
  });

  test('behavior: the order is the same whatever is in between', () => {
    const at = (vault_count: number, first_seen_at: string | null, n: number) => ({
      vault_count,
      first_seen_at,
      source_address: address(n),
    });
    const places = [
      at(2, null, 9),
      at(2, '2026-01-01T00:00:00.000Z', 1),
      at(2, '2026-01-02T00:00:00.000Z', 3),
      at(1, null, 2),
    ];
    expect(places.toReversed().sort(byUse)).toEqual(places);
  });
});
