import {
  CompareVaults,
  GetCohorts,
  GetUsers,
  ListFees,
  ListRedemptions,
  ListVaultTransactions,
} from '@castellan/contracts';
import type { AnalyticsResult } from '../src/data/use-analytics.ts';
import { anAddress } from './builders.ts';

const head = {
  chain_id: 31337,
  vault_address: anAddress(1),
  as_of: '2026-01-31T00:00:00.000Z',
  block_number: 100,
  quality: {},
};
const windows = { h24: 1, d7: 2, d30: 3 };
const bridge = { start: 24, new_kept: 5, reactivated: 1, churned: 3, end: 27 };
const hash = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;

export const someUsers = (parts: Partial<AnalyticsResult<'analyticsUsers'>> = {}) =>
  GetUsers.result.parse({
    ...head,
    total: 27,
    ever: 40,
    active: windows,
    new: windows,
    new_by_deposit: windows,
    new_by_transfer: { h24: 0, d7: 0, d30: 0 },
    reactivated: { d7: 0, d30: 1 },
    churned: { d7: 1, d30: 3 },
    pending_churn: 0,
    bridge: { d7: bridge, d30: bridge },
    retention: { d7: 0.9583, d30: 0.875 },
    asset_retention: { d7: 0.99, d30: 0.9 },
    net_asset_retention: { d7: 1.01, d30: 1.2 },
    average_deposit: '1000000000',
    median_deposit: '500000000',
    p90_deposit: '9000000000',
    average_deposit_usd: 1_000,
    mean_tenure_seconds: 30 * 86_400,
    dust_shares: '1',
    ...parts,
  });

export const someCohorts = (cohorts: AnalyticsResult<'analyticsCohorts'>['cohorts']) =>
  GetCohorts.result.parse({
    ...head,
    kind: 'on_or_after_by_holding',
    interval: 'week',
    cohorts,
    by_shares: cohorts,
  });

type Transaction = AnalyticsResult<'analyticsTransactions'>['transactions'][number];

export const aTransaction = (number: number, parts: Partial<Transaction> = {}): Transaction => ({
  type: 'deposit',
  t: '2026-01-30T00:00:00.000Z',
  wallet_address: anAddress(0x30),
  assets: '1000000000',
  shares: '990000000',
  usd: 1_000,
  pps: '1042317',
  slippage_bps: 0,
  gas_used: '120000',
  gas_cost: '120000000000000',
  payer: 'depositor',
  tx_hash: hash(number),
  log_index: number,
  block: number,
  ...parts,
});

export const someTransactions = (transactions: Transaction[], next: string | null = null, total?: number) =>
  ListVaultTransactions.result.parse({
    ...head,
    transactions,
    total: total ?? transactions.length,
    has_more: next !== null,
    next_cursor: next,
  });

type Fee = AnalyticsResult<'analyticsFees'>['fees'][number];

export const aFee = (number: number, parts: Partial<Fee> = {}): Fee => ({
  t: '2026-01-20T00:00:00.000Z',
  kind: 'performance',
  total: '100000000',
  protocol_share: '50000000',
  recipient_share: '50000000',
  usd: 100,
  actor: anAddress(0x40),
  recipient: null,
  hwm_before: '1000000',
  hwm_after: '1040000',
  performance_fee_bps: null,
  management_fee_bps: null,
  tx_hash: hash(number),
  log_index: number,
  block: number,
  ...parts,
});

export const someFees = (fees: Fee[]) =>
  ListFees.result.parse({
    ...head,
    fees,
    total: fees.length,
    has_more: false,
    next_cursor: null,
    totals: {
      performance: '100000000',
      performance_protocol: '50000000',
      performance_recipient: '50000000',
      entry: '0',
      performance_usd: 100,
      entry_usd: 0,
    },
    pending: null,
    hwm_pps: '1040000',
    share_below_hwm: 0.25,
  });

type Comparison = ReturnType<typeof CompareVaults.result.parse>;

export const aComparison = (parts: Partial<Comparison> = {}): Comparison =>
  CompareVaults.result.parse({
    period: '30d',
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-31T00:00:00.000Z',
    interval_seconds: 86_400,
    table: [1, 2].map((number) => ({
      chain_id: 31337,
      vault_address: anAddress(number),
      name: `Vault ${number}`,
      as_of: head.as_of,
      block_number: 100,
      metrics: { tvl_usd: number * 1_000, apy_30d: number === 1 ? -0.0123 : null, hhi: 0.365, max_drawdown: 0.005 },
      quality: {},
    })),
    series: {},
    ...parts,
  });

type Redemption = AnalyticsResult<'analyticsRedemptions'>['redemptions'][number];

export const aRedemption = (rank: number, parts: Partial<Redemption> = {}): Redemption => ({
  rank,
  wallet_address: anAddress(0x50 + rank),
  requests: 1,
  shares: '990000000',
  assets: '1000000000',
  usd: 1_000,
  requested_at: '2026-01-30T00:00:00.000Z',
  waiting_seconds: 86_400,
  tx_hash: hash(rank),
  state: 'payable',
  from_idle: '1000000000',
  from_sources: [],
  missing: '0',
  expected_at: '2026-01-30T23:00:00.000Z',
  ...parts,
});

export const someRedemptions = (redemptions: Redemption[]) =>
  ListRedemptions.result.parse({
    ...head,
    redemptions,
    total: redemptions.length,
    has_more: false,
    next_cursor: null,
    pending_assets: '4000000000',
    idle_assets: '5000000000',
    payable_assets: '2000000000',
    withdrawal_assets: '0',
    missing_assets: '0',
    p50_seconds: 3_600,
    p95_seconds: 82_800,
  });
