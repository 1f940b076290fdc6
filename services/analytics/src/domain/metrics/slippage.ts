import { type Figure, figure, type Input } from '../figure.ts';
import { type Activity, slippageScale } from '../ledgers/activity-ledger.ts';
import type { Moment } from '../moment.ts';
import { unknown } from '../plain-figures.ts';
import { type Range, windowStart } from '../range.ts';
import { ratio } from '../ratio.ts';

/** Something that happened, as an input that is counted. */
export const activityInput =
  (name: string) =>
  (item: Activity): Input => ({
    name,
    value: item.tx,
    unit: item.type,
    at: { time: item.time, block: item.block, tx: item.tx, index: item.index },
    source: item.type,
  });

/** What was given less than the price promised, basis points. */
export const slippageBps = ({ slippage }: Activity): number | null =>
  slippage && ratio(slippage.short, slippage.expected) * 10_000;

function slippageInputs(list: readonly Activity[], weighted: boolean): Input[] {
  return list.flatMap((item) => {
    const { short = 0n, expected = 0n, notional = 0n } = item.slippage ?? {};
    const at = { time: item.time, block: item.block, tx: item.tx, index: item.index };
    const source = item.type === 'deposit' ? 'Deposit, PPS one block before' : 'RedeemClaimable, PPS one block before';
    const unit = item.type === 'deposit' ? 'share base units' : 'asset base units';
    const parts: Input[] = [
      { name: 'short', value: short, unit, at, source },
      { name: 'expected', value: expected, unit, at, source },
    ];
    return weighted ? [...parts, { name: 'weight', value: notional, unit: 'asset base units', at, source }] : parts;
  });
}

const nothingSlipped = 'nothing was deposited or fulfilled in the range';

/** Slippage of deposits and fulfilments in a range against the oracle's price one block before, in bps. */
export function slippageOf(moment: Moment, range: Range) {
  const from = windowStart(range);
  const to = range.to;
  const { activities } = moment.history;
  const { count, parts, weighted, notional, worst } = activities.slippage(from, to, moment.block);
  const of = (method: 'weighted_mean' | 'simple_mean' | 'largest', value: number | null): Figure =>
    figure({
      value,
      unit: 'bps',
      method,
      reason: nothingSlipped,
      sampleSize: count,
      inputs: () => slippageInputs(activities.slipped(from, to, moment.block), method === 'weighted_mean'),
    });
  return {
    average_bps: of('weighted_mean', notional === 0n ? null : ratio(weighted, notional * slippageScale) * 10_000),
    simple_average_bps: of('simple_mean', count === 0 ? null : ratio(parts, BigInt(count) * slippageScale) * 10_000),
    max_bps: of('largest', worst ? slippageBps(worst) : null),
    max_tx_hash: worst?.tx ?? unknown(nothingSlipped),
    sample_size: figure({
      value: count,
      unit: 'deposits and fulfilments',
      method: 'count',
      sampleSize: count,
      inputs: () => activities.slipped(from, to, moment.block).map(activityInput('item')),
    }),
  };
}
