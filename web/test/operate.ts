import { PauseProof, VaultSettings } from '@castellan/contracts';
import { jest } from '@jest/globals';
import type { Shown } from '../src/vault/vault-gate.tsx';
import { anAddress, aVault } from './builders.ts';
import { config } from './harness.tsx';

type Deep<T> = { [K in keyof T]?: T[K] extends object ? Partial<T[K]> : T[K] };

/** What the settings page reads; a section is given in part. */
export const aSettings = ({ fees, pps, upkeep, ...parts }: Deep<VaultSettings> = {}): VaultSettings =>
  VaultSettings.parse({
    chain_id: 31337,
    vault_address: anAddress(1),
    block_number: 100,
    chain_time: '2026-01-01T00:00:00Z',
    pending_primary_change: null,
    ...parts,
    fees: {
      current: { performance_fee_bps: 1500, management_fee_bps: 10, recipient: anAddress(5) },
      pending: null,
      limits: { max_performance_fee_bps: 5100, max_management_fee_bps: 10_000, timelock_seconds: 604_800 },
      ...fees,
    },
    pps: {
      deviation_threshold_bps: 50,
      expiration_seconds: 86_400,
      pending_expiration: null,
      min_update_interval_seconds: 180,
      pending_min_update_interval: null,
      max_staleness_seconds: 86_400,
      limits: {
        min_expiration_seconds: 60,
        max_expiration_seconds: 604_800,
        expiration_timelock_seconds: 604_800,
        min_update_interval_timelock_seconds: 259_200,
      },
      ...pps,
    },
    upkeep: {
      info: {
        balance: '12500000000000000000',
        token: anAddress(9),
        symbol: 'UP',
        decimals: 18,
        enabled: true,
        threshold: { required_balance: '1000000000000000000', shortfall: '0' },
        runway_seconds: 864_000,
        runway_worst_case_seconds: 172_800,
      },
      activation: { is_active: true, is_discoverable: true, status: 'active', reason: null },
      pending_withdrawal: null,
      withdrawal_timelock_seconds: 86_400,
      wallet: { balance: '40500000000000000001', allowance: '0' },
      cost_per_day: '1250000000000000000',
      cost_basis: 'last_24h',
      ...upkeep,
    },
  });

export const aProof = (parts: Partial<PauseProof> = {}): PauseProof =>
  PauseProof.parse({
    chain_id: 31337,
    vault_address: anAddress(1),
    call: 'pauseStrategy',
    ok: true,
    checked_at: new Date(Date.now() - 60_000).toISOString(),
    block_number: 99,
    interval_seconds: 3_600,
    is_stale: false,
    trials: [
      {
        wallet_address: anAddress(0x10),
        role: 'primary_manager',
        ok: true,
        reason: null,
        gas: '60000',
        gas_price: '1000000000',
        balance: '1000000000000000000',
      },
      {
        wallet_address: anAddress(0x11),
        role: 'secondary_manager',
        ok: false,
        reason: 'NO_GAS',
        gas: '60000',
        gas_price: '1000000000',
        balance: '0',
      },
    ],
    removals: [{ wallet_address: anAddress(0x11), ok: true, reason: null }],
    blast_radius: {
      tvl_usd: 1_200_000,
      total_assets: '1200000000000',
      pending_redeem_shares: '5000000',
    },
    ...parts,
  });

export const aShown = (vault: Parameters<typeof aVault>[0] = {}, parts: Partial<Shown> = {}): Shown => {
  const [chain] = config.chains;
  if (chain === undefined) throw new Error('no chain');
  return {
    vault: aVault(vault),
    area: 'operate',
    chain,
    updatedAt: Date.now(),
    live: { mode: 'stream', toggle: jest.fn(), pollMs: false },
    error: null,
    retry: jest.fn(),
    ...parts,
  };
};
