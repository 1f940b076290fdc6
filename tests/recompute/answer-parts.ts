import { getAddress } from 'viem';
import type { ChainRecord } from './chain-record.ts';
import { Near, unruled } from './coverage.ts';
import type { Ratio } from './numbers.ts';
import { displayed, observationsOf } from './prices.ts';
import type { State } from './state.ts';
import { isoOf, type Range, rangeOf } from './time.ts';

/** One read that is held against the chain. `state` is what the product last observed; null before the first time. */
export type Asked = {
  record: ChainRecord;
  query: Record<string, string>;
  /** null: nothing was observed yet. `forgotten`: the node no longer has that block. */
  state: State | null | 'forgotten';
  /** States of some points of an allocation, by their times. */
  states?: ReadonlyMap<string, State>;
  /** Times of a grid are taken from it, and proven to be one. */
  answer: Record<string, unknown>;
};

/** Powers and logarithms of doubles: their own error, times the exponent. */
const POWER = 1e-10;
/** Deviations of returns that are differences of nearly equal prices. */
const ROOT = 1e-9;
export const power = (value: number | null) => new Near(value, POWER);
export const root = (value: number | null) => new Near(value, ROOT);

export const checksum = (address: string): string => getAddress(address);
export const text = (value: bigint | null): string | null => (value === null ? null : `${value}`);
export const iso = (time: bigint | null): string | null => (time === null ? null : isoOf(time));

export const inceptionOf = (record: ChainRecord): bigint => observationsOf(record)[0]?.time ?? record.time;

export const envelope = ({ record }: Asked) => ({
  chain_id: 31337,
  vault_address: checksum(record.deployment.vault),
  as_of: isoOf(record.time),
  block_number: Number(record.block),
});

export const rangeAsked = ({ record, query }: Asked): Range =>
  rangeOf(query.period ?? '30d', record.time, inceptionOf(record));

export const rangeFields = (asked: Asked) => {
  const { from, to } = rangeAsked(asked);
  return { period: asked.query.period ?? '30d', from: isoOf(from), to: isoOf(to) };
};

/** A raw integer as a decimal number, without zeros at its end. */
export function decimal(value: bigint, precision: bigint): string {
  const digits = precision.toString().length - 1;
  const rest = (value % precision).toString().padStart(digits, '0').replace(/0+$/, '');
  return rest ? `${value / precision}.${rest}` : `${value / precision}`;
}

export const netFields = (net: Ratio) => ({
  net_pps: displayed(net),
  net_pps_exact: { numerator: `${net.over}`, denominator: `${net.under}` },
});

/** Figures of observed state: `null` before the first observation, no rule where the node has forgotten it. */
export function observed<T>(asked: Asked, of: (state: State) => T, before: unknown = null): T | unknown {
  if (asked.state === 'forgotten') return unruled;
  return asked.state === null ? before : of(asked.state);
}

/** Multiples of the answer's interval within the range, and its end. */
export function gridOf({ answer, record }: Asked, { from, to }: Range, withEnd: boolean): bigint[] {
  const interval = BigInt(answer.interval_seconds as number);
  const inception = inceptionOf(record);
  const times: bigint[] = [];
  for (let time = (from / interval + 1n) * interval; time <= to; time += interval)
    if (time >= inception) times.push(time);
  if (withEnd && times.at(-1) !== to) times.push(to);
  return times;
}
