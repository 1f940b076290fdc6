import type { GetOperations, ParamsOf, ResultOf } from '@castellan/contracts';
import { type Figure, figure, type Input } from '../domain/figure.ts';
import type { Activity } from '../domain/ledgers/activity-ledger.ts';
import { gasOf, placed } from '../domain/metrics/gas.ts';
import { redemptionsOf } from '../domain/metrics/redemptions.ts';
import { activityInput, slippageOf } from '../domain/metrics/slippage.ts';
import { netFlow, netFlowUsd } from '../domain/metrics/tvl.ts';
import {
  runway,
  updateCost,
  updatesFigure,
  upkeepBalance,
  upkeepMoved,
  upkeepMoves,
} from '../domain/metrics/upkeep.ts';
import type { Moment } from '../domain/moment.ts';
import { dollarSum, unknown } from '../domain/plain-figures.ts';
import { type Range, rangeOf, windowStart } from '../domain/range.ts';
import { isoOf, stretchOf, within } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';

type Deps = { histories: Histories };
const token = 'upkeep base units';

const upkeepFigure = (moment: Moment, kind: 'spent' | 'deposited', range: Range): Figure =>
  figure({
    value: upkeepMoved(moment, kind, windowStart(range), range.to),
    unit: token,
    method: 'sum',
    window: { from: range.from, to: range.to },
    inputs: () =>
      upkeepMoves(moment, kind, windowStart(range), range.to).map(({ at, value }) => ({
        name: 'added',
        value,
        unit: token,
        at,
        source: kind === 'spent' ? 'UpkeepSpent' : 'UpkeepDeposited, UpkeepWithdrawn',
      })),
  });

function upkeepOf(moment: Moment, range: Range) {
  const recent = runway(moment, 'recent');
  const seconds = recent.value as number | null;
  return {
    balance: upkeepBalance(moment),
    spent: upkeepFigure(moment, 'spent', range),
    deposited: upkeepFigure(moment, 'deposited', range),
    cost_per_update: updateCost(moment),
    runway_seconds: recent,
    runway_worst_case_seconds: runway(moment, 'worst'),
    runway_7d_seconds: runway(moment, 'week'),
    empty_at: seconds === null ? unknown(recent.reason) : isoOf(moment.time + seconds),
  };
}

/** The same figures as if the range's end were now. */
const endOf = (moment: Moment, range: Range): Moment => ({ ...moment, time: range.to });

/** Money one way over a range: how often, how much, and in dollars of each time. */
function flowOf(moment: Moment, range: Range, kind: 'deposit' | 'fulfilment') {
  const { flows } = moment.history;
  const totals = flows.totals(kind, windowStart(range), range.to, moment.block);
  const source = kind === 'deposit' ? 'Deposit' : 'RedeemClaimable';
  const inputs = (name: string) => (): Input[] =>
    within(flows.flows[kind], windowStart(range), range.to, moment.block).map((flow) => ({
      name,
      value: flow.assets,
      unit: 'asset base units',
      at: flow,
      source,
    }));
  const common = { window: { from: range.from, to: range.to }, sampleSize: totals.count };
  return {
    count: figure({ value: totals.count, unit: 'events', method: 'count', inputs: inputs('item'), ...common }),
    assets: figure({
      value: totals.assets,
      unit: 'asset base units',
      method: 'sum',
      inputs: inputs('added'),
      ...common,
    }),
    usd: dollarSum(
      moment,
      totals.usd,
      () => ({
        added: within(flows.flows[kind], windowStart(range), range.to, moment.block).map((flow) => ({
          value: flow.usd.scaled,
          unit: 'assets x price',
          at: flow,
          source,
        })),
      }),
      common,
    ),
  };
}

/** How often something happened within a range. */
function happened(moment: Moment, range: Range, types: readonly Activity['type'][]): Figure {
  const { activities } = moment.history;
  const value = types.reduce((n, type) => n + activities.count(type, windowStart(range), range.to, moment.block), 0);
  return figure({
    value,
    unit: 'events',
    method: 'count',
    window: { from: range.from, to: range.to },
    sampleSize: value,
    inputs: () =>
      types.flatMap((type) =>
        within(activities.list({ type }), windowStart(range), range.to, moment.block).map(activityInput('item')),
      ),
  });
}

export const getOperations =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetOperations>): Promise<ResultOf<typeof GetOperations>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const { transactions } = moment.history.gas;
    const touched = stretchOf(transactions, windowStart(range), range.to, moment.block);
    const total = (kind: 'deposit' | 'fulfilment') => flowOf(moment, range, kind);
    const seconds = range.to - windowStart(range);
    return answer(params, moment, 'operations', {
      period: range.period,
      from: isoOf(range.from),
      to: isoOf(range.to),
      transactions: figure({
        value: touched.end - touched.start,
        unit: 'transactions',
        method: 'count',
        observed: true,
        window: { from: range.from, to: range.to },
        sampleSize: touched.end - touched.start,
        inputs: () =>
          transactions
            .slice(touched.start, touched.end)
            .map((item) => ({ ...placed(item), name: 'item', value: item.tx, unit: 'transaction' })),
      }),
      deposits: total('deposit'),
      withdrawals: total('fulfilment'),
      requests: happened(moment, range, ['redeem_request']),
      cancels: happened(moment, range, ['cancel_request']),
      claims: happened(moment, range, ['redeem_claim', 'cancel_claim']),
      gas: gasOf(moment, range),
      slippage: slippageOf(moment, range),
      net_flow: netFlow(endOf(moment, range), seconds),
      net_flow_usd: netFlowUsd(endOf(moment, range), seconds),
      redemptions: redemptionsOf(moment, range),
      updates_per_day: updatesFigure(moment, 'recent'),
      updates_per_day_7d: updatesFigure(moment, 'week'),
      upkeep: upkeepOf(moment, range),
    });
  };
