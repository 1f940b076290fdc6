import {
  type ActionOf,
  exposureNamesOf,
  type ParamsOf,
  type ResultOf,
  type Shock,
  shocksOf,
} from '@castellan/contracts';
import { byShares, dustOf, holdersNow, standings } from '../domain/metrics/holders.ts';
import { claimsOf } from '../domain/metrics/liquidity.ts';
import { exposureOf, groundOf, scenarioOf, totalFigure } from '../domain/metrics/scenarios.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';
import { askedHolders } from './risk.ts';

export const getScenarios =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<ActionOf<'analyticsScenarios'>>): Promise<ResultOf<ActionOf<'analyticsScenarios'>>> => {
    const moment = await histories.momentOf(params);
    const dust = dustOf(moment);
    const holders = byShares(holdersNow(standings(moment, dust), dust));
    // The contract has checked them.
    const shocks = shocksOf(params.shocks) as Shock[];
    const most = Math.max(params.top_holders, ...shocks.map(({ kind, size }) => (kind === 'run' ? size : 0)));
    const claims = claimsOf(moment, holders, most);
    const ground = groundOf(moment, claims);
    const { strategy } = moment.history.identity;
    return answer(params, moment, 'risk/scenarios', {
      shocks: params.shocks,
      top_holders: askedHolders(params.top_holders, holders),
      total_assets: totalFigure(ground),
      scenarios: shocks.map((shock) => scenarioOf(moment, ground, shock, { claims, leaving: params.top_holders })),
      exposure: exposureOf(ground, { strategy, chainId: params.chain_id, names: exposureNamesOf(params.names) ?? [] }),
    });
  };
