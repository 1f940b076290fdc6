import { getAddress } from 'viem/utils';
import { type Figure, figure, type Input } from '../figure.ts';
import { type Moment, observationAt } from '../moment.ts';
import type { Observation } from '../observation.ts';
import { fractionOf, sumOf, type Term, unknown, written } from '../plain-figures.ts';
import { type Claim, type RunResult, worthFigure } from './liquidity.ts';
import { tvlAt } from './tvl.ts';

const unit = 'asset base units';

/** An amount of the asset, and where it is written. */
export type Named = Omit<Term, 'unit'>;

/** What of a whole falls to one after others had their part. */
export const partFigure = (value: bigint, most: Named, whole: Named, earlier: readonly Named[]): Figure =>
  figure({
    value,
    unit,
    method: 'what_is_left',
    observed: true,
    inputs: () => [
      { ...most, name: 'most', unit },
      { ...whole, name: 'whole', unit },
      ...earlier.map((part): Input => ({ ...part, name: 'earlier', unit })),
    ],
  });

function waitingFigures(moment: Moment, { waiting, paidNow, paidBy }: RunResult) {
  const later = paidBy.reduce((total, { assets }) => total + assets, 0n);
  return waiting.map((one, index) => {
    const before = waiting.slice(0, index);
    const held = { at: one.held, source: `Transfer: ${one.wallet}` };
    const asked: Named = { value: one.asked, at: one.held, source: `waiting.${index}.asked of this answer` };
    const paidAtOnce: Named = { value: one.paidNow, source: `waiting.${index}.paid_now of this answer` };
    return {
      wallet_address: getAddress(one.wallet),
      asked: worthFigure(moment, one.shares, held),
      paid_now: partFigure(
        one.paidNow,
        asked,
        { value: paidNow, source: 'paid_now of this answer' },
        before.map((other, place) => ({ value: other.paidNow, source: `waiting.${place}.paid_now of this answer` })),
      ),
      paid_later: partFigure(
        one.paidLater,
        { value: one.asked - one.paidNow, source: `waiting.${index}: asked - paid_now of this answer` },
        { value: later, source: 'sum of paid_by of this answer' },
        before.map((other, place) => ({
          value: other.paidLater,
          source: `waiting.${place}.paid_later of this answer`,
        })),
      ),
      unpaid: sumOf(
        [asked],
        [paidAtOnce, { value: one.paidLater, source: `waiting.${index}.paid_later of this answer` }],
        { observed: true },
      ),
    };
  });
}

/** What a source pays: at most the smaller of its position and what it has at hand, less the shock. */
const sourceFigure = (
  seen: Observation | undefined,
  { address, payable, shock, assets }: RunResult['paidBy'][number],
  whole: Named,
  earlier: readonly Named[],
): Figure =>
  figure({
    value: assets,
    unit,
    method: 'source_payment',
    observed: true,
    inputs: () => [
      {
        name: 'payable',
        value: payable,
        unit,
        at: seen && { time: seen.time, block: seen.block },
        source: `state_observed: min(position, available) of ${address}`,
      },
      { name: 'shock', value: shock, unit: 'fraction', source: 'venue_shock of this answer' },
      { ...whole, name: 'whole', unit },
      ...earlier.map((part): Input => ({ ...part, name: 'earlier', unit })),
    ],
  });

/**
 * The answer of the run simulator, each amount with what it rests on. What is asked for follows from logs; of payment nothing can be
 * said without an observation.
 */
export function runFigures(moment: Moment, claims: readonly Claim[], result: RunResult | null) {
  const whole = tvlAt(moment, moment.time);
  const asked = claims.map(
    ({ wallet, assets, held }): Term => ({ value: assets, at: held, source: `worth of the shares of ${wallet}` }),
  );
  const demand = asked.reduce((total, { value }) => total + value, 0n);
  const share = fractionOf(
    { value: demand, source: 'demand of this answer' },
    { value: whole?.assets ?? null, at: whole, source: 'TVL' },
    { observed: true, reason: 'nothing has been observed yet' },
  );
  if (result === null) {
    const none = unknown('nothing has been observed yet');
    return { demand: sumOf(asked), demand_share: share, paid_now: none, paid_by: [], shortfall: none, waiting: [] };
  }
  const seen = observationAt(moment);
  const at = seen && { time: seen.time, block: seen.block };
  const wanted: Named = { value: demand, source: 'demand of this answer' };
  const atOnce: Named = { value: result.paidNow, source: 'paid_now of this answer' };
  const bySource = result.paidBy.map(
    ({ assets }, index): Named => ({ value: assets, source: `paid_by.${index}.assets of this answer` }),
  );
  return {
    demand: sumOf(asked, [], { observed: true }),
    demand_share: share,
    paid_now: partFigure(result.paidNow, { value: seen?.idle ?? 0n, at, source: 'state_observed: idle' }, wanted, []),
    paid_by: result.paidBy.map((source, index) => ({
      within_seconds: written(source.withinSeconds, 'seconds', { source: 'definition' }),
      source_address: getAddress(source.address),
      assets: sourceFigure(seen, source, wanted, [atOnce, ...bySource.slice(0, index)]),
    })),
    shortfall: figure({
      value: result.shortfall,
      unit,
      method: 'shortfall',
      observed: true,
      inputs: () => [
        { ...wanted, name: 'demand', unit },
        ...[atOnce, ...bySource].map((part): Input => ({ ...part, name: 'payable', unit })),
      ],
    }),
    waiting: waitingFigures(moment, result),
  };
}
