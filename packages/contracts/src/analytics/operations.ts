import { z } from 'zod';
import { action } from '../action.ts';
import {
  Address,
  CursorParam,
  Eip55,
  Hash,
  IntString,
  IsoTime,
  listOf,
  Seconds,
  TxHash,
  UintString,
} from '../primitives.ts';
import { answerFields, Count, Fraction, seriesFields, Usd } from './figures.ts';
import { analyticsRead, pageQuery } from './read-route.ts';
import { rangeParams, seriesParams } from './request.ts';

/** How many transfers of a kind, and what they moved in base units of the asset. */
export const FlowTotal = z.object({ count: Count, assets: UintString, usd: Usd });
/** Gas of transactions: `total` in wei. */
export const GasSpent = z.object({ transactions: Count, gas_used: UintString, total: UintString, usd: Usd });

/** Work done for the vault over the asked range. Native amounts in wei; assets in base units. */
export const GetOperations = action('v1.analytics.operations', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway', 'users'] },
  params: rangeParams({}),
  result: z.object({
    ...answerFields,
    period: z.string().nullable(),
    from: IsoTime,
    to: IsoTime,
    /** Distinct transactions that touched the vault. */
    transactions: Count,
    /** Gross. */
    deposits: FlowTotal,
    /** Fulfilments: what left the vault for the escrow. */
    withdrawals: FlowTotal,
    requests: Count,
    cancels: Count,
    claims: Count,
    gas: z.object({
      average: UintString.nullable(),
      p50: UintString.nullable(),
      p95: UintString.nullable(),
      total: UintString,
      usd: Usd,
      /** A transaction that serves several vaults counts whole for each. */
      by_payer: z.object({
        depositor: GasSpent,
        manager: GasSpent,
        keeper: GasSpent,
        validator: GasSpent,
        other: GasSpent,
      }),
      tvl_bps_per_year: z.number().nullable(),
    }),
    /** Positive is a cost. Expected: the oracle's price one block before; notional-weighted. */
    slippage: z.object({
      average_bps: z.number().nullable(),
      simple_average_bps: z.number().nullable(),
      max_bps: z.number().nullable(),
      max_tx_hash: Hash.nullable(),
      sample_size: Count,
    }),
    /** Deposits less entry fees less fulfilments. */
    net_flow: IntString,
    net_flow_usd: Usd,
    redemptions: z.object({
      pending: Count,
      pending_shares: UintString,
      pending_assets: UintString.nullable(),
      oldest_seconds: Seconds.nullable(),
      fulfilled: Count,
      p50_seconds: Seconds.nullable(),
      p95_seconds: Seconds.nullable(),
      max_seconds: Seconds.nullable(),
      /** Requests that cannot be fulfilled until the price recovers or the holder allows more slippage. */
      blocked: Count,
    }),
    /** Over the last 24 hours, or since the least interval changed within them. */
    updates_per_day: z.number().nullable(),
    updates_per_day_7d: z.number().nullable(),
    upkeep: z.object({
      balance: UintString.nullable(),
      spent: UintString,
      deposited: UintString,
      cost_per_update: UintString.nullable(),
      /** At `updates_per_day`. */
      runway_seconds: Seconds.nullable(),
      /** At the least interval that the contract allows. */
      runway_worst_case_seconds: Seconds.nullable(),
      /** At the mean of the last 7 days. */
      runway_7d_seconds: Seconds.nullable(),
      /** By `runway_seconds`. */
      empty_at: IsoTime.nullable(),
    }),
  }),
});

/** Events of a vault that its list of transactions has. */
export const transactionTypes = [
  'deposit',
  'redeem_request',
  'redeem_fulfilled',
  'redeem_claim',
  'cancel_request',
  'cancel_fulfilled',
  'cancel_claim',
  'transfer',
  'pps_update',
  'skim',
  'allocation',
  'upkeep_deposit',
  'upkeep_withdrawal',
  'pause',
  'unpause',
  'role',
  'settings',
] as const;

/** One event of a vault. `assets` and `shares` are base units, `pps` is raw; null is what the event does not have. */
export const VaultTransaction = z.object({
  type: z.enum(transactionTypes),
  t: IsoTime,
  wallet_address: Eip55.nullable(),
  assets: UintString.nullable(),
  shares: UintString.nullable(),
  usd: Usd,
  pps: UintString.nullable(),
  slippage_bps: z.number().nullable(),
  gas_used: UintString.nullable(),
  /** Of the whole transaction, wei. */
  gas_cost: UintString.nullable(),
  payer: z.enum(['depositor', 'manager', 'keeper', 'validator', 'other']).nullable(),
  tx_hash: Hash,
  log_index: z.int(),
  block: z.int(),
});

/** What happened, newest first. */
export const ListVaultTransactions = action('v1.analytics.operationsTransactions', {
  callers: { user: 'read', services: ['gateway'] },
  params: rangeParams({
    type: z.enum(transactionTypes).optional(),
    wallet: Address.optional(),
    tx_hash: TxHash.optional(),
    limit: z.int().min(1).max(500).default(100),
    cursor: CursorParam.optional(),
  }),
  result: listOf('transactions', VaultTransaction).extend(answerFields),
});

/** Deposits (net of entry fees) and fulfilled withdrawals per bucket, base units of the asset. */
export const GetVolume = action('v1.analytics.operationsVolume', {
  callers: { user: 'read', services: ['gateway'] },
  params: seriesParams({}),
  result: z.object({
    ...answerFields,
    ...seriesFields,
    points: z.array(
      z.object({
        t: IsoTime,
        deposits: UintString,
        withdrawals: UintString,
        net: IntString,
        deposits_usd: Usd,
        withdrawals_usd: Usd,
        net_usd: Usd,
      }),
    ),
  }),
});

/** Entries of the fee ledger: fees taken, and changes of their terms. */
export const feeKinds = [
  'performance',
  'entry',
  'config_proposed',
  'config_executed',
  'recipient_changed',
  'hwm_reset',
] as const;

/** One entry of the fee ledger. Amounts are base units of the asset, high-water marks are raw prices. */
export const FeeEntry = z.object({
  t: IsoTime,
  kind: z.enum(feeKinds),
  total: UintString.nullable(),
  protocol_share: UintString.nullable(),
  recipient_share: UintString.nullable(),
  usd: Usd,
  actor: Eip55.nullable(),
  recipient: Eip55.nullable(),
  hwm_before: UintString.nullable(),
  hwm_after: UintString.nullable(),
  /** Of gains above the high-water mark, in hundredths of a percent. */
  performance_fee_bps: z.int().nullable(),
  /** The entry fee, taken of each deposit, in hundredths of a percent; not a yearly fee. */
  management_fee_bps: z.int().nullable(),
  tx_hash: Hash,
  log_index: z.int(),
  block: z.int(),
});

/** Every fee taken and every move of the high-water mark, newest first, with totals over the whole life. */
export const ListFees = action('v1.analytics.fees', {
  callers: { user: 'read', relayedBy: ['ai'], services: ['gateway', 'users'] },
  params: rangeParams({
    kind: z.enum(feeKinds).optional(),
    limit: z.int().min(1).max(500).default(100),
    cursor: CursorParam.optional(),
  }),
  result: listOf('fees', FeeEntry).extend({
    ...answerFields,
    totals: z.object({
      performance: UintString,
      performance_protocol: UintString,
      performance_recipient: UintString,
      entry: UintString,
      performance_usd: Usd,
      entry_usd: Usd,
    }),
    pending: z.object({ profit: UintString, total: UintString }).nullable(),
    hwm_pps: UintString.nullable(),
    /** Shares bought below the mark: holders who pay no fee on their first gains. */
    share_below_hwm: Fraction,
  }),
});

/** How long figures of work may stand (API, column Stale). */
const staleMs = 30_000;

/** Routes of work, transactions, volume and fees. */
export const operationRoutes = {
  /** @example const operations = await client.analyticsOperations({ params: vault, query: { period: '30d' } }); */
  analyticsOperations: analyticsRead({
    id: 'analyticsOperations',
    path: 'operations',
    kind: 'range',
    action: GetOperations,
    staleMs,
  }),
  /**
   * @example
   * const page = await client.analyticsTransactions({ params: vault, query: { type: 'deposit', limit: '100' } });
   */
  analyticsTransactions: analyticsRead({
    id: 'analyticsTransactions',
    path: 'operations/transactions',
    kind: 'range',
    action: ListVaultTransactions,
    staleMs,
    query: {
      ...pageQuery,
      type: z.enum(transactionTypes).optional(),
      wallet: Address.optional(),
      tx_hash: TxHash.optional(),
    },
  }),
  /** @example const volume = await client.analyticsVolume({ params: vault, query: { period: '30d' } }); */
  analyticsVolume: analyticsRead({
    id: 'analyticsVolume',
    path: 'operations/volume',
    kind: 'series',
    action: GetVolume,
    staleMs,
  }),
  /** @example const fees = await client.analyticsFees({ params: vault, query: { kind: 'performance' } }); */
  analyticsFees: analyticsRead({
    id: 'analyticsFees',
    path: 'fees',
    kind: 'range',
    action: ListFees,
    staleMs,
    query: { ...pageQuery, kind: z.enum(feeKinds).optional() },
  }),
};
