import { NET_PPS_DENOMINATOR } from '@castellan/chain';
import type { Input, Place } from './figure.ts';
import type { VaultHistory } from './history.ts';
import type { PpsPoint } from './ledgers/price-ledger.ts';
import type { Observation, Price } from './observation.ts';
import { lastAtBlock, lastAtTime } from './timeline.ts';

export { DAY, HOUR } from './timeline.ts';

/** A vault as it was: everything of blocks up to `block`, at the chain time `time` (seconds). */
export type Moment = { readonly history: VaultHistory; readonly block: number; readonly time: number };

/** A price and where it is written. */
export type PlacedPrice = Price & { readonly at: Place; readonly source: string };

/** The last reading of state by then. */
export const observationAt = ({ history, block }: Moment): Observation | undefined =>
  lastAtBlock(history.observations, block);

/** The asset's price at a time: the feed's last answer, else the last one observed; null before the first. */
export function priceAt(moment: Moment, time: number): PlacedPrice | null {
  const { history, block } = moment;
  const answer = history.assetPrices.atTime(time, block);
  if (answer) return { ...answer, at: answer, source: 'AnswerUpdated' };
  const seen = lastAtTime(history.observations, time, block);
  return seen?.price ? { ...seen.price, at: seen, source: 'state_observed' } : null;
}

/** The accepted price at the moment. */
export const ppsNow = ({ history, block, time }: Moment): PpsPoint | undefined => history.prices.at(time, block);

/** The same with the mark and the fee of the moment, of which the net PPS is. */
export const netPpsNow = ({ history, block, time }: Moment): PpsPoint | undefined =>
  history.prices.inForce(time, block);

/** Decimals of dollars: those of the asset plus those of its price. */
export function usdDecimals(moment: Moment): number {
  return moment.history.decimals + (priceAt(moment, moment.time)?.decimals ?? 0);
}

/** A PPS as an input of a receipt. */
export const ppsInput = (name: string, point: PpsPoint, value: bigint | null): Input => ({
  name,
  value,
  unit: 'pps',
  at: { time: point.time, block: point.block, tx: point.tx, index: point.index },
  source: point.source === 'skim' ? 'PPSUpdatedAfterSkim' : 'PPSUpdated',
});

/** The exact net PPS of a price as an input of a receipt: what every figure of the net price is computed from. */
export const netInput = (name: string, point: PpsPoint): Input => ({
  ...ppsInput(name, point, point.netNumerator),
  unit: `pps / ${NET_PPS_DENOMINATOR}`,
  ...(point.changed && { at: point.changed, source: 'HWMPPSUpdated, HighWaterMarkReset, VaultFeeConfigUpdated' }),
});

/** A bare number as an input. */
export const given = (name: string, value: number | bigint, unit: string, source: string): Input => ({
  name,
  value,
  unit,
  source,
});
