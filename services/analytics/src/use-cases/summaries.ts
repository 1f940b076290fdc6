import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  errorCodeOf,
  type ParamsOf,
  type ResultOf,
  type SummarizeVaults,
  type VaultSummary,
} from '@castellan/contracts';
import { comingsOf, dustOf, holdersNow, standings } from '../domain/metrics/holders.ts';
import { claimsOf, runOf } from '../domain/metrics/liquidity.ts';
import { redemptionsOf } from '../domain/metrics/redemptions.ts';
import { runFigures } from '../domain/metrics/run-figures.ts';
import { tvlChange, tvlChangeUsd } from '../domain/metrics/tvl.ts';
import { DAY, type Moment } from '../domain/moment.ts';
import { rangeOf } from '../domain/range.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';

/** As the run simulator is opened with. */
const LARGEST = 3;
const DAYS = 30;
const DIGITS = 1e6;

/** The net return since 30 days ago, at the end of each day until now. */
function returnsOf({ history, time, block }: Moment): (number | null)[] {
  const { prices } = history;
  const start = prices.at(time - DAYS * DAY, block) ?? prices.points[0];
  return Array.from({ length: DAYS + 1 }, (_, day) => {
    const end = prices.at(time - (DAYS - day) * DAY, block);
    const change = start && end ? prices.netReturn(start, end) : null;
    return change === null ? null : Math.round(change * DIGITS) / DIGITS;
  });
}

function summaryOf(vault: ParamsOf<typeof SummarizeVaults>['vaults'][number], moment: Moment): VaultSummary {
  const dust = dustOf(moment);
  const people = standings(moment, dust);
  const claims = claimsOf(moment, holdersNow(people, dust), LARGEST);
  const { demand, paid_now, shortfall } = runFigures(moment, claims, runOf(moment, claims, 0n));
  const range = rangeOf({ period: '24h' }, moment, moment.history.identity.time);
  const { pending, pending_assets, oldest_seconds } = redemptionsOf(moment, range);
  const { start, end } = comingsOf(moment, people, dust, DAY);
  const changes = (type: 'role' | 'settings'): number =>
    moment.history.activities.count(type, range.from, range.to, moment.block);
  return answer({ ...vault, receipt: false }, moment, 'summaries', {
    run: { demand, paid_now, shortfall },
    redemptions: { pending, pending_assets, oldest_seconds },
    day: {
      tvl_change: tvlChange(moment, DAY),
      tvl_change_usd: tvlChangeUsd(moment, DAY),
      holders: end.length - start.length,
      role_changes: changes('role'),
      setting_changes: changes('settings'),
    },
    returns_30d: returnsOf(moment),
  });
}

/** Each vault is computed in a turn of its own, so that a long list holds nobody up. */
export const summarizeVaults =
  ({ histories }: { histories: Histories }) =>
  async ({ vaults }: ParamsOf<typeof SummarizeVaults>): Promise<ResultOf<typeof SummarizeVaults>> => {
    const result: ResultOf<typeof SummarizeVaults> = { vaults: [], unread: [] };
    for (const vault of vaults) {
      try {
        result.vaults.push(summaryOf(vault, await histories.momentOf(vault)));
      } catch (error) {
        const code = errorCodeOf(error);
        if (code === undefined) throw error;
        result.unread.push({ ...vault, code });
      }
      await nextTurn();
    }
    return result;
  };
