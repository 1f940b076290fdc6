import { describe, expect, test } from '@jest/globals';
import { getAddress, numberToHex, padHex } from 'viem/utils';
import { usedSources } from './used-sources.ts';

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

describe('sources of the chain', () => {
  test('default: what vaults have comes before what they had, the first addition counts, and what lies idle is none', () => {
    const details = [
      { allocation: [anItem(1), anItem(2), anItem(9, { kind: 'idle', oracle_address: null })] },
      { allocation: [anItem(2, { oracle_address: address(0x41) })] },
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
      { allocation: [anItem(1, { assets: '5', apy: 0.01 }), anItem(2)] },
      { allocation: [anItem(1, { assets: '50', apy: 0.02 })] },
      { allocation: [anItem(1, { assets: null, apy: 0.5 })] },
    ];
    const used = usedSources([], details);
    expect([used.get(address(1).toLowerCase())?.apy, used.get(address(2).toLowerCase())?.apy]).toEqual([0.02, null]);
    expect(used.get(address(1).toLowerCase())?.first_seen_at).toBeNull();
  });
});
