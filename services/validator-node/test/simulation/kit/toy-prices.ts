import type { AttributedObservation, SignedEntry } from '../../../src/ports.ts';
import { sha256 } from './toy-crypto.ts';

export type ToyObservation = {
  strategy: number;
  pps: bigint;
  nonce: bigint;
  timestamp: bigint;
  lastUpdate: bigint;
};
export type ToyPrice = Omit<ToyObservation, 'lastUpdate'>;

export const chainId = 1;
export const addressOf = (strategy: number): `0x${string}` => `0x${(strategy + 1).toString(16).padStart(40, '0')}`;
export const entryOf = ({ strategy, nonce, timestamp }: ToyPrice): SignedEntry => ({
  chainId,
  strategy: addressOf(strategy),
  nonce,
  timestamp,
});

/** One byte of strategy and then unsigned 64-bit words. */
function pack(strategy: number, words: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(1 + 8 * words.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, strategy);
  for (const [i, word] of words.entries()) view.setBigUint64(1 + 8 * i, word);
  return bytes;
}

function unpack(bytes: Uint8Array, words: number): { strategy: number; words: bigint[] }[] | null {
  const width = 1 + 8 * words;
  if (bytes.length % width !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / width }, (_, i) => ({
    strategy: view.getUint8(i * width),
    words: Array.from({ length: words }, (_word, j) => view.getBigUint64(i * width + 1 + 8 * j)),
  }));
}

const join = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

export const encodeObservation = (entries: readonly ToyObservation[]): Uint8Array =>
  join(
    entries.map(({ strategy, pps, nonce, timestamp, lastUpdate }) =>
      pack(strategy, [pps, nonce, timestamp, lastUpdate]),
    ),
  );

/** Null for what no honest node says. */
export function decodeObservation(bytes: Uint8Array, strategies: number): ToyObservation[] | null {
  const rows = unpack(bytes, 4)?.map(({ strategy, words: [pps, nonce, timestamp, lastUpdate] }) => ({
    strategy,
    pps: pps as bigint,
    nonce: nonce as bigint,
    timestamp: timestamp as bigint,
    lastUpdate: lastUpdate as bigint,
  }));
  if (!rows || rows.length === 0) return null;
  let last = -1;
  for (const { strategy, pps, timestamp } of rows) {
    if (strategy <= last || strategy >= strategies || pps === 0n || timestamp === 0n) return null;
    last = strategy;
  }
  return rows;
}

export const encodeReport = (prices: readonly ToyPrice[]): Uint8Array =>
  join(prices.map(({ strategy, pps, nonce, timestamp }) => pack(strategy, [pps, nonce, timestamp])));

export const decodeReport = (bytes: Uint8Array): ToyPrice[] =>
  (unpack(bytes, 3) ?? []).map(({ strategy, words: [pps, nonce, timestamp] }) => ({
    strategy,
    pps: pps as bigint,
    nonce: nonce as bigint,
    timestamp: timestamp as bigint,
  }));

export const priceDigest = (price: ToyPrice): Uint8Array => sha256('price', encodeReport([price]));

const ascending = (values: readonly bigint[]): bigint[] => [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
const median = (values: readonly bigint[]): bigint => ascending(values)[Math.floor(values.length / 2)] as bigint;

export type ToyRules = { f: number; strategies: number; minInterval: bigint };

/** Pure: median price and time, the largest nonce that f+1 name, only what is due, null when nothing is. */
export function toyReport(rules: ToyRules, observations: readonly AttributedObservation[]): Uint8Array | null {
  const { f, strategies, minInterval } = rules;
  const all = observations.flatMap(({ observation }) => decodeObservation(observation, strategies) ?? []);
  const prices: ToyPrice[] = [];
  for (let strategy = 0; strategy < strategies; strategy += 1) {
    const mine = all.filter((entry) => entry.strategy === strategy);
    if (mine.length < 2 * f + 1) continue;
    const nonce = ascending(mine.map((entry) => entry.nonce)).at(-(f + 1)) as bigint;
    const timestamp = median(mine.map((entry) => entry.timestamp));
    if (timestamp - median(mine.map((entry) => entry.lastUpdate)) < minInterval) continue;
    prices.push({ strategy, pps: median(mine.map((entry) => entry.pps)), nonce, timestamp });
  }
  return prices.length > 0 ? encodeReport(prices) : null;
}
