import type { GetOverview, ParamsOf, ResultOf } from '@castellan/contracts';
import { figure } from '../domain/figure.ts';
import { sourceCounts } from '../domain/metrics/allocation.ts';
import { apyOver, currentApy, spanOf, spanSinceInception } from '../domain/metrics/apy-and-returns.ts';
import { countOf, dustOf, holdersNow, standings } from '../domain/metrics/holders.ts';
import { netFlow, netFlowUsd, tvlAsset, tvlChange, tvlChangeUsd, tvlSplit, tvlUsd } from '../domain/metrics/tvl.ts';
import { DAY, given, type Moment, priceAt } from '../domain/moment.ts';
import { unknown } from '../domain/plain-figures.ts';
import { toNumber } from '../domain/ratio.ts';
import { isoOf } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';

function assetPrice(moment: Moment) {
  const price = priceAt(moment, moment.time);
  if (!price) return unknown('the asset has no price');
  const { answer, decimals, updatedAt } = price;
  return {
    usd: figure({
      value: toNumber(answer, decimals),
      unit: 'USD',
      method: 'usd',
      inputs: () => [
        given('amount', 1n, 'asset', 'one whole'),
        { name: 'price', value: answer, unit: `USD / 10^${decimals}`, at: price.at, source: price.source },
        given('asset_decimals', 0, 'digits', 'one whole'),
        given('price_decimals', decimals, 'digits', 'the feed'),
      ],
    }),
    updated_at: isoOf(updatedAt),
    age_seconds: figure({
      value: Math.max(0, moment.time - updatedAt),
      unit: 'seconds',
      method: 'age',
      inputs: () => [
        given('now', moment.time, 'seconds', 'the block asked about'),
        { name: 'then', value: updatedAt, unit: 'seconds', at: price.at, source: price.source },
      ],
    }),
  };
}

export const getOverview =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetOverview>): Promise<ResultOf<typeof GetOverview>> => {
    const moment = await histories.momentOf(params);
    const dust = dustOf(moment);
    const holders = holdersNow(standings(moment, dust), dust);
    return answer(params, moment, 'overview', {
      apy: {
        current: currentApy(moment),
        d7: apyOver(moment, spanOf(moment, 7 * DAY)),
        d30: apyOver(moment, spanOf(moment, 30 * DAY)),
        since_inception: apyOver(moment, spanSinceInception(moment)),
      },
      asset_price: assetPrice(moment),
      tvl_usd: tvlUsd(moment),
      tvl_asset: tvlAsset(moment),
      tvl_change: { h24: tvlChange(moment, DAY), d7: tvlChange(moment, 7 * DAY) },
      tvl_change_usd: { h24: tvlChangeUsd(moment, DAY), d7: tvlChangeUsd(moment, 7 * DAY) },
      tvl_change_split: { h24: tvlSplit(moment, DAY), d7: tvlSplit(moment, 7 * DAY) },
      depositors: countOf(holders),
      ...sourceCounts(moment),
      net_flow: { h24: netFlow(moment, DAY), d7: netFlow(moment, 7 * DAY), d30: netFlow(moment, 30 * DAY) },
      net_flow_usd: {
        h24: netFlowUsd(moment, DAY),
        d7: netFlowUsd(moment, 7 * DAY),
        d30: netFlowUsd(moment, 30 * DAY),
      },
    });
  };
