import { getAddress } from 'viem/utils';
import { type Figure, figure, type Input } from '../figure.ts';
import { given, type Moment, observationAt } from '../moment.ts';
import { fractionOf, sumOf, type Term, unknown } from '../plain-figures.ts';
import { type RunResult, worthFigure } from './liquidity.ts';
import { tvlAt } from './tvl.ts';

const unit = 'asset base units';
const source = 'run simulator';

/** What of a whole falls to one after others had their part. */
const partFigure = (value: bigint, most: bigint, whole: bigint, earlier: readonly bigint[]): Figure =>
  figure({
    value,
    unit,
    method: 'what_is_left',
    observed: true,
    inputs: () => [
      given('most', most, unit, source),
      given('whole', whole, unit, source),
      ...earlier.map((part): Input => ({ name: 'earlier', value: part, unit, source })),
    ],
  });

function waitingFigures(moment: Moment, { waiting, paidNow, paidBy }: RunResult) {
  const later = paidBy.reduce((total, { assets }) => total + assets, 0n);
  return waiting.map((one, index) => {
    const before = waiting.slice(0, index);
    const unpaid: Term[] = [{ value: one.asked, source: 'asked' }];
    return {
      wallet_address: getAddress(one.wallet),
      asked: worthFigure(moment, one.shares, { source: `Transfer: ${one.wallet}` }),
      paid_now: partFigure(
        one.paidNow,
        one.asked,
        paidNow,
        before.map((other) => other.paidNow),
      ),
      paid_later: partFigure(
        one.paidLater,
        one.asked - one.paidNow,
        later,
        before.map((other) => other.paidLater),
      ),
      unpaid: sumOf(
        unpaid,
        [
          { value: one.paidNow, source: 'paid at once' },
          { value: one.paidLater, source: 'paid by sources' },
        ],
        { observed: true },
      ),
    };
  });
}

/** The answer of the run simulator, each amount with what it rests on. Without an observation nothing can be said of payment. */
export function runFigures(moment: Moment, result: RunResult | null) {
  const demand = result?.demand ?? 0n;
  const whole = tvlAt(moment, moment.time);
  const asked = (result?.waiting ?? []).map((one): Term => ({ value: one.asked, source: `worth of ${one.wallet}` }));
  const share = fractionOf(
    { value: result === null ? null : demand, source: 'what is asked for' },
    { value: whole?.assets ?? null, at: whole, source: 'TVL' },
    { observed: true, reason: 'nothing has been observed yet' },
  );
  if (result === null) {
    const none = unknown('nothing has been observed yet');
    return { demand: sumOf([]), demand_share: share, paid_now: none, paid_by: [], shortfall: none, waiting: [] };
  }
  const idle = observationAt(moment)?.idle ?? 0n;
  return {
    demand: sumOf(asked, [], { observed: true }),
    demand_share: share,
    paid_now: partFigure(result.paidNow, idle, demand, []),
    paid_by: result.paidBy.map(({ address, most, assets, withinSeconds }, index) => ({
      within_seconds: withinSeconds,
      source_address: getAddress(address),
      assets: partFigure(assets, most, demand, [
        result.paidNow,
        ...result.paidBy.slice(0, index).map((earlier) => earlier.assets),
      ]),
    })),
    shortfall: figure({
      value: result.shortfall,
      unit,
      method: 'shortfall',
      observed: true,
      inputs: () => [
        given('demand', demand, unit, source),
        given('payable', result.paidNow, unit, 'idle assets'),
        ...result.paidBy.map(
          ({ address, assets }): Input => ({ name: 'payable', value: assets, unit, source: address }),
        ),
      ],
    }),
    waiting: waitingFigures(moment, result),
  };
}
