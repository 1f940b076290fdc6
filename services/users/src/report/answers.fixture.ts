import type { Answers } from './domain/sections.ts';

const hash = `0x${'ab'.repeat(32)}`;
const source = `0x${'51'.repeat(20)}`;
const wallet = `0x${'52'.repeat(20)}`;
const amounts = { assets: '-1234567', usd: -1.23 };
const quality = {
  sharpe: { status: 'insufficient', reason: 'too few days', from: null, to: null, actual_seconds: 0, sample_size: 3 },
};

/** What analytics answers, as far as a report reads it. @param span - The month, as the answers repeat it. */
export const answersOf = (span: { from: string; to: string }): Answers =>
  ({
    performance: {
      quality: {},
      ...span,
      as_of: span.to,
      block_number: 77,
      benchmark: { name: 'none', version: '1', rate: 0 },
      twr: 0.0123,
      apr: 0.15,
      excess_return: null,
      apy: { d30: 0.16, since_inception: 0.1 },
      gross_apy: { d30: 0.18 },
      fee_drag: { d30: 0.02 },
      time_in_loss: 0,
      drawdown_now: 0,
      tvl_usd: 1234.5,
      tvl_asset: '1234567890',
    },
    bridge: {
      quality: {},
      start: amounts,
      end: amounts,
      flow: amounts,
      yield: amounts,
      fees: amounts,
      price: { usd: 0 },
      yield_by: {
        sources: [{ source_address: source, kind: 'source', ...amounts }],
        reporting_lag: amounts,
        not_observed: amounts,
        residual: amounts,
      },
    },
    tvl: {
      quality: {},
      points: [
        { t: span.from, tvl_usd: 10 },
        { t: span.to, tvl_usd: null },
      ],
    },
    pps: {
      quality: {},
      pps_precision: '1000000',
      points: [
        { t: span.from, pps: '1000000' },
        { t: span.to, pps: '1012300' },
      ],
      markers: [
        { t: span.from, kind: 'pause', label: 'Paused <b>', block: 3, tx_hash: hash },
        { t: span.to, kind: 'skim', label: 'Fee', block: 4, tx_hash: hash },
      ],
      cadence: { reports: 3, p50_seconds: 600, p95_seconds: 1200, max_seconds: null },
    },
    risk: {
      quality,
      score: 31,
      coverage: 1,
      components: [{ name: 'concentration', value: 0.5, unit: 'fraction', score: 0.4, weight: 0.2 }],
      max_drawdown_30d: 0,
      volatility_annual: 0.01,
      sharpe: null,
      concentration: { hhi: 0.5 },
      top_holder_share: 0.4,
      top10_holder_share: 0.9,
      liquidity: { instant_share: 0.2, coverage: { k1: 2, k10: 0.5 } },
      withdrawal_at_risk: { h24_p95: 0.01 },
    },
    fees: {
      quality: {},
      total: 120,
      fees: [{ t: span.to, kind: 'performance', total: '100', protocol_share: '20', usd: 0.1, tx_hash: hash }],
      totals: { performance: '100', performance_protocol: '20', performance_recipient: '80', entry: '0' },
      hwm_pps: '1012300',
      share_below_hwm: 0,
    },
    users: {
      quality: {},
      total: 1,
      bridge: { d30: { start: 0, new_kept: 1, reactivated: 0, churned: 0 } },
      retention: { d30: null },
      asset_retention: { d30: null },
      median_deposit: '5',
    },
    top: {
      quality: {},
      total: 1,
      holders: [{ wallet_address: wallet, shares: '5', assets: '5', share: 1, first_seen: span.from }],
    },
    operations: {
      quality: {},
      transactions: 4,
      deposits: { count: 1, assets: '5' },
      withdrawals: { count: 0, assets: '0' },
      requests: 0,
      redemptions: { pending: 0, p50_seconds: null, p95_seconds: null },
      slippage: { average_bps: null },
      gas: { total: '1000000000000000', usd: 2, by_payer: { validator: { transactions: 3, total: '1', usd: 0 } } },
    },
  }) as unknown as Answers;
