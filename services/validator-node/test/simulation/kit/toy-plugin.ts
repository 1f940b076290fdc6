import type { AttestedReport, Plugin, SignedPrice } from '../../../src/ports.ts';
import { strategyKey } from '../../../src/ports.ts';
import { type FakeChain, maxStaleness } from './fake-chain.ts';
import type { Prng } from './prng.ts';
import type { ToyKeys } from './toy-crypto.ts';
import {
  addressOf,
  chainId,
  decodeObservation,
  decodeReport,
  encodeObservation,
  entryOf,
  priceDigest,
  type ToyPrice,
  toyReport,
} from './toy-prices.ts';

const mostStrategies = 3;
export const toyLimits = {
  query: 16,
  observation: 33 * mostStrategies,
  report: 25 * mostStrategies,
  signature: 32 * mostStrategies,
};

const signatureBytes = 32;
const deviationPercent = 5n;
const toleranceTicks = 5n;

type Options = {
  me: number;
  f: number;
  minInterval: bigint;
  chain: FakeChain;
  keys: ToyKeys;
  random: Prng;
  /** Every read works and is quick. */
  isCalm: () => boolean;
  /** Virtual time a call takes. */
  pause: (milliseconds: number) => Promise<void>;
};

/** Every signature of a report, one after the other. */
export const signReport = (keys: ToyKeys, oracle: number, report: Uint8Array): Uint8Array =>
  Uint8Array.from(Buffer.concat(decodeReport(report).map((price) => keys.signPrice(oracle, priceDigest(price)))));

/** Prices of a fake chain, by the rules of the real plugin where the protocol can tell the difference. */
export function createToyPlugin({ me, f, minInterval, chain, keys, random, isCalm, pause }: Options): Plugin {
  const rules = { f, strategies: chain.strategies, minInterval };
  const lag = BigInt(random.int(0, 2));
  const head = () => chain.time() - lag;
  const strategies = Array.from({ length: chain.strategies }, (_, i) => i);
  const canTransmit = ({ strategy, nonce, timestamp }: ToyPrice) => {
    const { nonce: current, paused } = chain.stateAt(strategy, head());
    return nonce === current && !paused && head() - timestamp <= maxStaleness;
  };
  const contradicts = ({ strategy, pps, nonce, timestamp }: ToyPrice): boolean => {
    const own = chain.pps(strategy, head());
    const distance = pps > own ? pps - own : own - pps;
    return (
      chain.stateAt(strategy, head()).nonce > nonce ||
      distance * 100n > own * deviationPercent ||
      head() - timestamp > maxStaleness ||
      timestamp > head() + toleranceTicks
    );
  };
  return {
    limits: toyLimits,
    query: async () => random.bytes(random.int(0, 3)),
    observation: async () => {
      // Now and then slower than its budget.
      await pause(!isCalm() && random.chance(0.03) ? 1000 : random.int(0, 60));
      const at = head();
      const read = strategies.filter(() => isCalm() || !random.chance(0.05));
      if (read.length === 0) throw new Error('nothing could be read');
      return encodeObservation(
        read.map((strategy) => {
          const { nonce, lastUpdate } = chain.stateAt(strategy, at);
          return { strategy, pps: chain.pps(strategy, at), nonce, timestamp: at, lastUpdate };
        }),
      );
    },
    validateObservation: (_query, observation) => decodeObservation(observation, chain.strategies) !== null,
    report: (_query, observations) => toyReport(rules, observations),
    commitments: (report) => ({
      entries: decodeReport(report).map(entryOf),
      canonicalNonces: new Map(
        strategies.map((i) => [strategyKey(chainId, addressOf(i)), chain.stateAt(i, head()).nonce]),
      ),
    }),
    sign: async (_context, report) => {
      await pause(random.int(0, 20));
      return decodeReport(report).some(contradicts) ? null : signReport(keys, me, report);
    },
    verify: async (report, signature, signer) => Buffer.compare(signReport(keys, signer, report), signature) === 0,
    shouldAccept: async (_context, { report }) => decodeReport(report).some(canTransmit),
    shouldTransmit: async (_context, attested) => {
      await pause(random.int(0, 20));
      return signedPrices(attested).filter((price, i) =>
        canTransmit(decodeReport(attested.report)[i] ?? toPrice(price)),
      );
    },
  };
}

const toPrice = ({ strategy, pps, nonce, timestamp }: SignedPrice): ToyPrice => ({
  strategy: Number(BigInt(strategy)) - 1,
  pps,
  nonce,
  timestamp,
});

export function signedPrices({ report, signatures }: AttestedReport): SignedPrice[] {
  return decodeReport(report).map((price, i) => ({
    ...entryOf(price),
    pps: price.pps,
    signatures: signatures.map(
      ({ signature }) =>
        `0x${Buffer.from(signature.slice(i * signatureBytes, (i + 1) * signatureBytes)).toString('hex')}` as const,
    ),
    signers: signatures.map(({ signer }) => addressOf(signer)),
  }));
}
