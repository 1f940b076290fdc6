import { z } from 'zod';
import { action } from '../action.ts';
import { Bps, ChainId, Eip55, FeeConfig, Hash, IsoTime, Seconds, UintString, VaultRef } from '../primitives.ts';
import { Activation, Upkeep } from './vaults.ts';

const pending = <T extends z.ZodRawShape>(shape: T) =>
  z.object({ ...shape, effective_at: IsoTime, can_execute: z.boolean() }).nullable();

/** What a manager can set on a vault, and what waits, read from the chain at `block_number`; no cache. */
export const VaultSettings = z.object({
  chain_id: ChainId,
  vault_address: Eip55,
  block_number: z.int(),
  chain_time: IsoTime,
  fees: z.object({
    current: FeeConfig,
    pending: pending(FeeConfig.shape),
    limits: z.object({
      max_performance_fee_bps: Bps,
      /** Of the entry fee, which is taken of each deposit, in hundredths of a percent. */
      max_management_fee_bps: Bps,
      timelock_seconds: Seconds,
    }),
  }),
  pps: z.object({
    deviation_threshold_bps: z.number().nullable(),
    expiration_seconds: Seconds,
    pending_expiration: pending({ expiration_seconds: Seconds }),
    min_update_interval_seconds: Seconds,
    pending_min_update_interval: pending({ min_update_interval_seconds: Seconds }),
    max_staleness_seconds: Seconds,
    limits: z.object({
      min_expiration_seconds: Seconds,
      max_expiration_seconds: Seconds,
      expiration_timelock_seconds: Seconds,
      min_update_interval_timelock_seconds: Seconds,
    }),
  }),
  upkeep: z.object({
    info: Upkeep,
    activation: Activation,
    pending_withdrawal: pending({ amount: UintString }),
    withdrawal_timelock_seconds: Seconds,
    /** Of the wallet that asks: what it has of the token and what the aggregator may take; null for the public. */
    wallet: z.object({ balance: UintString, allowance: UintString }).nullable(),
    /** Cost of a day at the larger of the recent cadence and the validators' heartbeat, base units; null while neither is known. */
    cost_per_day: UintString.nullable(),
    /** Which of them it is: the last 24 hours, since the least interval changed within them, or the heartbeat. */
    cost_basis: z.enum(['last_24h', 'since_interval_change', 'heartbeat']).nullable(),
  }),
  pending_primary_change: z
    .object({ proposed_manager: Eip55, effective_at: IsoTime, can_execute: z.boolean() })
    .nullable(),
});
export type VaultSettings = z.infer<typeof VaultSettings>;

/** A yield source of the vault's list with the oracle that values it. */
export const YieldSource = z.object({
  source_address: Eip55,
  name: z.string(),
  /** `erc4626` where the source answers as one, else `unknown`. */
  source_type: z.enum(['erc4626', 'unknown']),
  oracle_address: Eip55,
  /** Whether the oracle answered for this source at this block. */
  oracle_ok: z.boolean(),
  assets: UintString.nullable(),
  share: z.number().nullable(),
  usd: z.number().nullable(),
  apy: z.number().nullable(),
  added_at: IsoTime.nullable(),
  added_tx: Hash.nullable(),
});
export type YieldSource = z.infer<typeof YieldSource>;

/** One call of the panic button, tried as the wallet that would send it. */
export const PauseTrial = z.object({
  wallet_address: Eip55,
  role: z.enum(['primary_manager', 'secondary_manager']),
  ok: z.boolean(),
  /** Why not: the contract's error, or NO_GAS when the wallet cannot pay for it. */
  reason: z.string().nullable(),
  gas: UintString.nullable(),
  gas_price: UintString.nullable(),
  balance: UintString,
});

/**
 * The panic button's proof: the pause (unpause while the vault is paused) simulated from every manager at `block_number`, every
 * hour. `ok` when the primary manager or any secondary could send it; `is_stale` when the last trial is older than it should be.
 */
export const PauseProof = z.object({
  chain_id: ChainId,
  vault_address: Eip55,
  call: z.enum(['pauseStrategy', 'unpauseStrategy']),
  ok: z.boolean(),
  checked_at: IsoTime,
  block_number: z.int(),
  interval_seconds: Seconds,
  is_stale: z.boolean(),
  trials: z.array(PauseTrial),
  /** Removal of each secondary manager, simulated as the primary. */
  removals: z.array(z.object({ wallet_address: Eip55, ok: z.boolean(), reason: z.string().nullable() })),
  /** What a pause would stop right now. */
  blast_radius: z.object({
    tvl_usd: z.number().nullable(),
    total_assets: UintString,
    pending_redeem_shares: UintString,
  }),
});
export type PauseProof = z.infer<typeof PauseProof>;

/** What a manager can set, and what is proposed, read from the chain now. */
export const GetVaultSettings = action('v1.vaults.settings', {
  callers: { user: 'read', services: ['gateway'] },
  params: VaultRef,
  result: VaultSettings,
});
/** Yield sources of a vault with the oracle of each, read from the chain now. */
export const ListYieldSources = action('v1.vaults.yieldSources', {
  callers: { services: ['gateway'] },
  params: VaultRef,
  result: z.object({
    chain_id: ChainId,
    vault_address: Eip55,
    block_number: z.int(),
    yield_sources: z.array(YieldSource),
    /** Oracles known on this chain, by how many vaults use each: what a new source can be paired with. */
    oracles: z.array(z.object({ oracle_address: Eip55, used_by: z.int() })),
  }),
});
/** The last proof; made now when there is none or `refresh` asks for it. Any role on the vault. */
export const GetPauseProof = action('v1.vaults.pauseProof', {
  callers: { user: 'read' },
  params: z.strictObject({ ...VaultRef.shape, refresh: z.boolean().default(false) }),
  result: PauseProof,
});
