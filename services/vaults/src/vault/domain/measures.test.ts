import { anAddress, aVault } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { withMeasures } from './measures.ts';

const item = (n: number) => ({
  ...{ source_address: anAddress(n), name: 'Lend', kind: 'source' as const, oracle_address: null, is_active: true },
  ...{ assets: '1', usd: null, share: null, apy: null },
});

test('behavior: a source has its yield and its peak; from an instance that does not measure peaks, and unmeasured, only what is known', () => {
  const detail = aVault({ allocation: [item(1), item(2), item(3)] });
  const vault = { chain_id: 1, vault_address: detail.vault_address, seq: 1, block_number: 1, apy: 0.1 };
  const allocation = [
    { source_address: anAddress(1), apy: 0.05, peak_pps: '1100000' },
    { source_address: anAddress(2), apy: 0.04 },
  ];
  const shown = withMeasures(detail, { ...vault, runway_seconds: null, allocation });
  expect(shown.allocation).toEqual([
    { ...item(1), apy: 0.05, peak_pps: '1100000' },
    { ...item(2), apy: 0.04 },
    item(3),
  ]);
});
