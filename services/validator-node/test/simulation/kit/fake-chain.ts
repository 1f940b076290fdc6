import type { SignedPrice } from '../../../src/ports.ts';
import type { Prng } from './prng.ts';
import type { ToyKeys } from './toy-crypto.ts';
import { addressOf, priceDigest, type ToyPrice } from './toy-prices.ts';

export type ChainState = { nonce: bigint; lastUpdate: bigint; lastPps: bigint; paused: boolean };
export type StoredPrice = ToyPrice & { at: number };

export type FakeChain = {
  /** One second of this chain; a tenth of one of ours. */
  time(): bigint;
  pps(strategy: number, time: bigint): bigint;
  /** As it stood at this time. */
  stateAt(strategy: number, time: bigint): ChainState;
  /** The rules of the oracle contract and its aggregator: a bad proof or a business rule rejects one price, never the call. */
  update(prices: readonly SignedPrice[]): void;
  stored: readonly StoredPrice[];
  strategies: number;
};

const tickMs = 100;
const genesis = 1_000_000n;
export const maxStaleness = 600n;
const deviationPercent = 50n;

type Options = {
  now: () => number;
  random: Prng;
  keys: ToyKeys;
  strategies: number;
  /** Chain seconds between two prices that are stored. */
  minInterval: bigint;
  n: number;
  quorum: number;
  onStored: (price: StoredPrice) => void;
  onNonce: (strategy: number, nonce: bigint) => void;
};

export function createFakeChain(options: Options): FakeChain {
  const { now, random, keys, strategies, minInterval, n, quorum } = options;
  const stored: StoredPrice[] = [];
  const walk = Array.from({ length: strategies }, () => [1_000_000_000n]);
  const history = Array.from({ length: strategies }, () => [
    { from: 0n, state: { nonce: 0n, lastUpdate: 0n, lastPps: 0n, paused: false } },
  ]);
  const time = () => genesis + BigInt(Math.floor(now() / tickMs));

  const pps = (strategy: number, at: bigint): bigint => {
    const path = walk[strategy] as bigint[];
    const tick = Number(at - genesis);
    while (path.length <= tick) {
      const last = path.at(-1) as bigint;
      path.push(last + (last * BigInt(random.int(-10, 12))) / 10_000n);
    }
    return path[Math.max(0, tick)] as bigint;
  };
  const stateAt = (strategy: number, at: bigint): ChainState => {
    const states = history[strategy] as { from: bigint; state: ChainState }[];
    return (states.findLast(({ from }) => from <= at) ?? (states[0] as (typeof states)[number])).state;
  };
  const set = (strategy: number, change: Partial<ChainState>) => {
    const states = history[strategy] as { from: bigint; state: ChainState }[];
    states.push({ from: time(), state: { ...(states.at(-1) as (typeof states)[number]).state, ...change } });
  };

  const proves = (price: ToyPrice, { signatures }: SignedPrice): boolean => {
    const digest = priceDigest(price);
    const valid = Array.from({ length: n }, (_, i) => `0x${Buffer.from(keys.signPrice(i, digest)).toString('hex')}`);
    const signers = signatures.map((signature) => valid.indexOf(signature));
    return signers.length >= quorum && signers.every((signer, i) => signer > (i === 0 ? -1 : (signers[i - 1] ?? -1)));
  };

  const apply = (price: ToyPrice, signed: SignedPrice): void => {
    const { strategy, timestamp, nonce } = price;
    const before = stateAt(strategy, time());
    if (nonce !== before.nonce || !proves(price, signed)) return;
    // Any update that gets as far as the aggregator burns its nonce.
    set(strategy, { nonce: nonce + 1n });
    options.onNonce(strategy, nonce);
    if (timestamp > time() || before.paused || time() - timestamp > maxStaleness) return;
    if (timestamp <= before.lastUpdate || timestamp - before.lastUpdate < minInterval) return;
    const moved = price.pps > before.lastPps ? price.pps - before.lastPps : before.lastPps - price.pps;
    if (price.pps === 0n || (before.lastPps > 0n && moved * 100n > before.lastPps * deviationPercent)) {
      set(strategy, { paused: true });
      return;
    }
    set(strategy, { lastUpdate: timestamp, lastPps: price.pps });
    const entry = { ...price, at: now() };
    stored.push(entry);
    options.onStored(entry);
  };

  return {
    time,
    pps,
    stateAt,
    update: (prices) => {
      for (const signed of prices) {
        const strategy = Array.from({ length: strategies }, (_, i) => addressOf(i)).indexOf(signed.strategy);
        if (strategy < 0) continue;
        const { pps: value, nonce, timestamp } = signed;
        apply({ strategy, pps: value, nonce, timestamp }, signed);
      }
    },
    stored,
    strategies,
  };
}
