import { GetOverview } from '@castellan/contracts';
import type { AnalyticsResult } from '../src/data/use-analytics.ts';
import { anAddress } from './builders.ts';

const split = { flow: 168, yield: 63, fees: -21, price: 210, total: 420 };

/** Headline figures of a vault with a month of history. */
export const anOverview = (parts: Partial<AnalyticsResult<'analyticsOverview'>> = {}) =>
  GetOverview.result.parse({
    chain_id: 31337,
    vault_address: anAddress(1),
    as_of: '2026-01-01T00:00:00.000Z',
    block_number: 100,
    quality: {},
    apy: { current: 0.0486, d7: 0.0535, d30: 0.0498, since_inception: 0.0501 },
    asset_price: { usd: 1, updated_at: '2026-01-01T00:00:00.000Z', age_seconds: 0 },
    tvl_usd: 12_345_678.9,
    tvl_asset: '12345678901234',
    tvl_change: { h24: 0.1, d7: 0.2 },
    tvl_change_usd: { h24: 0.1, d7: 0.2 },
    tvl_change_split: { h24: split, d7: split },
    depositors: 27,
    strategies: 5,
    empty_sources: 0,
    net_flow: { h24: '1000000', d7: '-2000000', d30: '0' },
    net_flow_usd: { h24: 1, d7: -2, d30: 0 },
    ...parts,
  });
