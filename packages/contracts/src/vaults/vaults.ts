import { z } from 'zod';
import { action } from '../action.ts';
import {
  Address,
  ChainId,
  DecodedCall,
  Eip55,
  FeeConfig,
  Hash,
  HooksVeto,
  IntString,
  IsoTime,
  NamedWallet,
  Role,
  Seconds,
  TxHash,
  UintString,
  VaultRef,
} from '../primitives.ts';

/**
 * A chain the system indexes. `lag_seconds` is chain head time minus the time of the last indexed block. Before `final_time`, chain time,
 * blocks are at least twice as deep as the chain's confirmations; null while that is not known.
 */
export const Chain = z.object({
  chain_id: ChainId,
  slug: z.string(),
  name: z.string(),
  explorer_url: z.string().nullable(),
  native_symbol: z.string(),
  head_block: z.int().nullable(),
  indexed_block: z.int().nullable(),
  lag_seconds: z.int().nullable(),
  final_time: IsoTime.nullable().default(null),
});
export type Chain = z.infer<typeof Chain>;

/** What pays for price updates. Amounts are base units of the upkeep token. */
export const Upkeep = z.object({
  balance: UintString,
  token: Eip55.nullable(),
  symbol: z.string().nullable(),
  decimals: z.int().nullable(),
  enabled: z.boolean(),
  threshold: z.object({ required_balance: UintString, shortfall: UintString }),
  /** At the cadence of the last 24 hours, or since the least interval changed within them. */
  runway_seconds: Seconds.nullable(),
  /** At the least interval that the contract allows; null where it sets none, or updates cost nothing. */
  runway_worst_case_seconds: Seconds.nullable().default(null),
});

/** Whether the upkeep of the vault pays for price updates, and why not. */
export const Activation = z.object({
  is_active: z.boolean(),
  is_discoverable: z.boolean(),
  status: z.enum(['active', 'insufficient_upkeep']),
  reason: z.string().nullable(),
});

/** One vault of the public list. `tvl_usd` and `apy` are null when they cannot be computed, never 0. */
export const PublicVault = z.object({
  vault_address: Eip55,
  strategy_address: Eip55,
  escrow_address: Eip55,
  chain_id: ChainId,
  chain_slug: z.string(),
  name: z.string(),
  symbol: z.string(),
  vault_share_decimals: z.int(),
  underlying_asset_symbol: z.string(),
  underlying_asset_decimals: z.int(),
  underlying_asset_address: Eip55,
  total_assets: UintString,
  current_pps: UintString,
  current_pps_display: z.string(),
  pps_status: z.enum(['fresh', 'ageing', 'critical', 'expired']),
  operational_state: z.enum(['paused', 'awaiting_price', 'stale', 'underfunded', 'live']),
  tvl_usd: z.number().nullable(),
  apy: z.number().nullable(),
  upkeep_info: Upkeep,
  activation: Activation,
  block_number: z.int(),
  updated_at: IsoTime,
});
export type PublicVault = z.infer<typeof PublicVault>;

/** One position of a vault. `assets` are base units; `share` and `apy` are fractions. */
export const AllocationItem = z.object({
  source_address: Eip55,
  name: z.string(),
  kind: z.enum(['source', 'idle']),
  oracle_address: Eip55.nullable(),
  assets: UintString.nullable(),
  usd: z.number().nullable(),
  share: z.number().nullable(),
  apy: z.number().nullable(),
  /** A source's highest price of 7 days, base units; null below a day. */
  peak_pps: UintString.nullable().optional(),
  is_active: z.boolean(),
});

/**
 * Everything about one vault, read at `block_number`. Amounts are raw integers in the units of their token; PPS are
 * raw integers over `pps_precision`. Relative seconds are as of `chain_time`. `my_role` is the caller's, null without one.
 */
export const VaultDetail = z.object({
  vault_address: Eip55,
  strategy_address: Eip55,
  escrow_address: Eip55,
  chain_id: ChainId,
  chain_slug: z.string(),
  name: z.string(),
  symbol: z.string(),
  vault_share_decimals: z.int(),
  asset: z.object({
    address: Eip55,
    symbol: z.string(),
    name: z.string(),
    decimals: z.int(),
    price_usd: z.number().nullable(),
    price_updated_at: IsoTime.nullable(),
  }),
  created_at: IsoTime,
  created_block: z.int(),
  created_tx: Hash,
  current_pps: UintString,
  current_pps_display: z.string(),
  calculated_pps: UintString.nullable(),
  calculated_pps_display: z.string().nullable(),
  hwm_pps: UintString,
  hwm_pps_display: z.string(),
  pps_precision: UintString,
  divergence_bps: z.number().nullable(),
  last_pps_update_timestamp: IsoTime,
  last_oracle_update_timestamp: IsoTime.nullable(),
  pps_config: z.object({
    min_update_interval_seconds: Seconds,
    max_staleness_seconds: Seconds,
    expiration_seconds: Seconds,
    deviation_threshold_bps: z.number().nullable(),
  }),
  remaining_staleness_time: Seconds,
  next_update_in_seconds: Seconds,
  pps_status: z.enum(['fresh', 'ageing', 'critical', 'expired']),
  is_pps_stale: z.boolean(),
  operational_state: z.enum(['paused', 'awaiting_price', 'stale', 'underfunded', 'live']),
  chain_time: IsoTime,
  total_supply: UintString,
  total_assets: UintString,
  free_assets: UintString,
  escrowed_assets: UintString,
  tvl_usd: z.number().nullable(),
  apy: z.number().nullable(),
  is_paused: z.boolean(),
  pause: z.object({ reason: z.string().nullable(), since: IsoTime.nullable(), actor: Eip55.nullable() }).nullable(),
  fee_config: FeeConfig,
  pending_fee_config: FeeConfig.extend({ effective_at: IsoTime }).nullable(),
  pending_performance_fee: z.object({
    total: UintString,
    protocol_share: UintString,
    recipient_share: UintString,
    profit_since_hwm: UintString,
    can_skim: z.boolean(),
    reason: z.string().nullable(),
    can_skim_at: IsoTime.nullable(),
  }),
  upkeep_info: Upkeep,
  withdrawal_status: z.object({ amount: UintString, effective_at: IsoTime }).nullable(),
  activation: Activation,
  managers: z.object({ primary: NamedWallet, secondary: z.array(NamedWallet), view_only_count: z.int() }),
  pending_manager_change: z
    .object({ proposed_manager: Eip55, proposer: Eip55.nullable(), effective_at: IsoTime })
    .nullable(),
  allocation: z.array(AllocationItem),
  merkle: z.object({
    strategy_root: Hash.nullable(),
    global_root: Hash.nullable(),
    proposed_root: Hash.nullable(),
    effective_at: IsoTime.nullable(),
    /** No proposal waits on the chain; it says nothing of a configuration. */
    in_sync: z.boolean(),
    veto: HooksVeto,
    /** Leaves of the global root that this vault may not use; none in what was stored before they were followed. */
    banned_leaves: z.array(Hash).default([]),
  }),
  lifecycle: z.enum(['created', 'indexed', 'active', 'paused']),
  my_role: Role.nullable(),
  block_number: z.int(),
  updated_at: IsoTime,
});
export type VaultDetail = z.infer<typeof VaultDetail>;

/** Whether a vault is paused, since when and by whom. */
export const PauseState = z.object({
  chain_id: ChainId,
  vault_address: Eip55,
  name: z.string(),
  is_paused: z.boolean(),
  since: IsoTime.nullable(),
  actor: Eip55.nullable(),
});

/** A decoded event of a transaction; `name` is null when it is of no known ABI. */
export const TransactionEvent = z.object({
  address: Eip55,
  name: z.string().nullable(),
  args: z.record(z.string(), z.unknown()),
  log_index: z.int(),
});

/** What became of a transaction. `indexed` is true once its block is in the canonical event log. */
export const TransactionStatus = z.object({
  chain_id: ChainId,
  tx_hash: Hash,
  status: z.enum(['pending', 'mined', 'reverted', 'replaced', 'unknown']),
  block_number: z.int().nullable(),
  block_time: IsoTime.nullable(),
  confirmations: z.int().nullable(),
  from: Eip55.nullable(),
  to: Eip55.nullable(),
  decoded: DecodedCall.nullable(),
  events: z.array(TransactionEvent),
  revert_reason: z.string().nullable(),
  indexed: z.boolean(),
});
export type TransactionStatus = z.infer<typeof TransactionStatus>;

/** A token of the registry; `logo` is a URL. */
export const TokenAsset = z.object({
  chain_id: ChainId,
  address: Eip55,
  symbol: z.string(),
  name: z.string(),
  decimals: z.int(),
  price_usd: z.number().nullable(),
  price_updated_at: IsoTime.nullable(),
  logo: z.string().nullable(),
});

/** One entry of the canonical event log. Nothing is rewritten: a reorg appends a `rollback` entry. */
export const LogEntry = z.object({
  chain_id: ChainId,
  /** Gapless per chain, from 1. */
  seq: z.int().positive(),
  /** `log`: a chain log. `observation`: a reading at a block. `rollback`: blocks from `block_number` up are void. */
  kind: z.enum(['log', 'observation', 'rollback']),
  block_number: z.int(),
  block_hash: Hash,
  block_time: IsoTime,
  tx_hash: Hash.nullable(),
  log_index: z.int().nullable(),
  address: Eip55.nullable(),
  contract: z.string().nullable(),
  vault_address: Eip55.nullable(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
});
export type LogEntry = z.infer<typeof LogEntry>;

/** The role of a wallet on one vault. */
export const VaultRole = z.object({ chain_id: ChainId, vault_address: Eip55, role: Role });
export type VaultRole = z.infer<typeof VaultRole>;

const nothing = z.strictObject({});

/** Chains that this deployment serves. */
export const ListChains = action('v1.vaults.chains', {
  callers: { services: ['gateway', 'analytics', 'users', 'ai'] },
  params: nothing,
  result: z.object({ chains: z.array(Chain) }),
});

/** Vaults that everyone may see. */
export const ListPublicVaults = action('v1.vaults.publicList', {
  callers: { services: ['gateway'] },
  params: nothing,
  result: z.array(PublicVault),
});

/** The vault's detail for the caller (anonymous without one). Unknown vault: VAULT_NOT_FOUND; unknown chain: CHAIN_NOT_FOUND. */
export const GetVault = action('v1.vaults.detail', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway', 'ai', 'users'] },
  params: VaultRef,
  result: VaultDetail,
});

/** Pause states of up to 100 vaults. */
export const GetPauseStatus = action('v1.vaults.pauseStatus', {
  callers: { user: 'read', services: ['gateway'] },
  params: z.strictObject({ vaults: z.array(VaultRef).min(1).max(100) }),
  result: z.object({ vaults: z.array(PauseState) }),
});

/** A transaction with its status and decoded events. */
export const GetTransaction = action('v1.vaults.transaction', {
  callers: { services: ['gateway'] },
  params: z.strictObject({ chain_id: ChainId, tx_hash: TxHash }),
  result: TransactionStatus,
});

/** Tokens of the registry. */
export const ListTokenAssets = action('v1.vaults.tokenAssets', {
  callers: { services: ['gateway'] },
  params: nothing,
  result: z.object({ token_assets: z.array(TokenAsset) }),
});

/** Pages of the canonical log after `after_seq`, oldest first: how a consumer catches up or rebuilds from zero. */
export const ListLogEntries = action('v1.vaults.events', {
  callers: { services: ['analytics', 'users', 'ai'] },
  params: z.strictObject({
    chain_id: ChainId,
    after_seq: z.int().nonnegative(),
    limit: z.int().min(1).max(1000).default(500),
  }),
  result: z.object({
    entries: z.array(LogEntry),
    head_seq: z.int().nonnegative(),
    /** Nothing is added any more for this block and those before it, unless a reorg replaces them; null before the first. */
    indexed_block: z.int().nullable(),
    indexed_time: IsoTime.nullable(),
    /**
     * The traces in which entries of the page were stored, as far as they are recorded: each is of the entry `seq` and those of its block
     * behind it. What a consumer makes of them is linked to these.
     */
    traces: z.array(z.object({ seq: z.int().positive(), traceparent: z.string() })).exactOptional(),
  }),
});

/** Hash and time of one block of the chain as the node has it now. Not mined yet: BLOCK_IN_FUTURE. */
export const GetBlock = action('v1.vaults.block', {
  callers: { services: ['analytics'] },
  params: z.strictObject({ chain_id: ChainId, block_number: z.int().nonnegative() }),
  result: z.object({ chain_id: ChainId, block_number: z.int(), block_hash: Hash, block_time: IsoTime }),
});

/** Chain-derived roles of one wallet over all vaults (primary and secondary managers only). */
export const GetChainRoles = action('v1.vaults.chainRoles', {
  callers: { services: ['users'] },
  params: z.strictObject({ wallet_address: Address }),
  result: z.object({ roles: z.array(VaultRole) }),
});

/**
 * A change of a view-only grant, handed over before its maker gets an answer, so that the next question sees it. It is published as
 * `view_only_changed` as well; of two changes the newer version counts.
 */
export const NoteViewOnly = action('v1.vaults.noteViewOnly', {
  callers: { services: ['users'] },
  params: z.strictObject({ ...VaultRef.shape, wallet_address: Address, granted: z.boolean(), version: z.int() }),
  result: z.null(),
});

/** Chain-derived managers of one vault as of its last indexed block. */
export const GetVaultManagers = action('v1.vaults.managers', {
  callers: { services: ['gateway', 'auth', 'users', 'ai'] },
  params: VaultRef,
  result: z.object({
    chain_id: ChainId,
    vault_address: Eip55,
    primary: z.object({ wallet_address: Eip55, granted_by: Eip55.nullable(), granted_at: IsoTime }),
    secondary: z.array(z.object({ wallet_address: Eip55, granted_by: Eip55.nullable(), granted_at: IsoTime })),
    block_number: z.int(),
    /** What changed up to here stays: it is as deep as the chain's confirmations. */
    final_block: z.int().optional(),
  }),
});

/** One transmission of a price report as the validators reported it on the bus and the chain confirmed it. */
export const Transmission = z.object({
  chain_id: ChainId,
  strategy_address: Eip55,
  vault_address: Eip55.nullable(),
  pps: IntString,
  report_timestamp: IsoTime,
  transmitter: Eip55,
  signers: z.array(Eip55),
  tx_hash: Hash.nullable(),
  status: z.enum(['success', 'failure', 'error', 'superseded', 'skipped']),
  reason: z.string().nullable(),
  /** The round that agreed on the price, and the node that sent it. */
  epoch: z.int().nullable(),
  round: z.int().nullable(),
  node_id: z.string().nullable(),
  t: IsoTime,
});
export type Transmission = z.infer<typeof Transmission>;
