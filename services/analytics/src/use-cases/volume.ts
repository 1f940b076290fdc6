import type { ActionOf, ParamsOf, ResultOf } from '@castellan/contracts';
import { type Figure, figure } from '../domain/figure.ts';
import type { Moment } from '../domain/moment.ts';
import type { Dollars } from '../domain/money.ts';
import { dollarSum, type Term } from '../domain/plain-figures.ts';
import { bucketStarts, bucketWidth, rangeOf, windowStart } from '../domain/range.ts';
import { isoOf, within } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';
import { seriesOf } from './pps.ts';

/** What flowed in and out over (from, to]: deposits less entry fees, fulfilments, and the rest. */
function bucketFlows(moment: Moment, window: { from: number; to: number }) {
  const { flows } = moment.history;
  const terms = (kind: FlowKind, pick: (flow: { assets: bigint; usd: Dollars }) => bigint): Term[] =>
    within(flows.flows[kind], window.from, window.to, moment.block).map((flow) => ({
      value: pick(flow),
      at: flow,
      source: flowSources[kind],
    }));
  const of = (kind: FlowKind) => flows.totals(kind, window.from, window.to, moment.block);
  const gross = of('deposit');
  const fees = of('entry_fee');
  const out = of('fulfilment');
  const sides = {
    deposits: { added: ['deposit'], taken: ['entry_fee'] },
    withdrawals: { added: ['fulfilment'], taken: [] },
    net: { added: ['deposit'], taken: ['entry_fee', 'fulfilment'] },
  } as const;
  const all = (kinds: readonly FlowKind[], pick: (flow: { assets: bigint; usd: Dollars }) => bigint) =>
    kinds.flatMap((kind) => terms(kind, pick));
  const assetsOf = (side: keyof typeof sides, value: bigint): Figure =>
    figure({
      value,
      unit: 'asset base units',
      method: 'sum',
      window,
      inputs: () => [
        ...all(sides[side].added, ({ assets }) => assets).map((term) => ({
          unit: 'asset base units',
          ...term,
          name: 'added',
        })),
        ...all(sides[side].taken, ({ assets }) => assets).map((term) => ({
          unit: 'asset base units',
          ...term,
          name: 'taken',
        })),
      ],
    });
  const dollarsOf = (side: keyof typeof sides, total: Dollars): Figure =>
    dollarSum(
      moment,
      total,
      () => ({
        added: all(sides[side].added, ({ usd }) => usd.scaled),
        taken: all(sides[side].taken, ({ usd }) => usd.scaled),
      }),
      { window },
    );
  const depositsUsd = { scaled: gross.usd.scaled - fees.usd.scaled, missing: gross.usd.missing + fees.usd.missing };
  const netUsd = { scaled: depositsUsd.scaled - out.usd.scaled, missing: depositsUsd.missing + out.usd.missing };
  return {
    deposits: assetsOf('deposits', gross.assets - fees.assets),
    withdrawals: assetsOf('withdrawals', out.assets),
    net: assetsOf('net', gross.assets - fees.assets - out.assets),
    deposits_usd: dollarsOf('deposits', depositsUsd),
    withdrawals_usd: dollarsOf('withdrawals', out.usd),
    net_usd: dollarsOf('net', netUsd),
  };
}

type FlowKind = 'deposit' | 'entry_fee' | 'fulfilment';
const flowSources: Readonly<Record<FlowKind, string>> = {
  deposit: 'Deposit',
  entry_fee: 'ManagementFeePaid',
  fulfilment: 'RedeemClaimable',
};

export const getVolume =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<ActionOf<'analyticsVolume'>>): Promise<ResultOf<ActionOf<'analyticsVolume'>>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const width = bucketWidth(range, params.points);
    const points = bucketStarts(range, width).map((start) => ({
      t: isoOf(start),
      ...bucketFlows(moment, {
        from: Math.max(start - 1, windowStart(range)),
        to: Math.min(start + width - 1, range.to),
      }),
    }));
    return answer(params, moment, 'operations/volume', { ...seriesOf(range, width), points });
  };
