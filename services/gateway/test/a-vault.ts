import type { VaultDetail } from '@castellan/contracts';
import { aVault as aTestVault } from '@castellan/testkit';

export const vaultAddress = '0x8464135c8F25Da09e49BC8782676a84730C318bC';
export const managerAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** The vault of these tests, with its manager; name what the test is about. */
export const aVault = (parts: Partial<VaultDetail> = {}): VaultDetail =>
  aTestVault({
    vault_address: vaultAddress,
    current_pps: '1010000',
    current_pps_display: '1.01',
    tvl_usd: 1010,
    managers: { primary: { wallet_address: managerAddress, display_name: null }, secondary: [], view_only_count: 0 },
    ...parts,
  });
