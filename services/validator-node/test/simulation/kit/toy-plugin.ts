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

const partOf = (signature: Uint8Array, entry: number) =>
  signature.subarray(entry * signatureBytes, (entry + 1) * signatureBytes);
const isSigned = (signature: Uint8Array, entry: number) => partOf(signature, entry).some((byte) => byte !== 0);

/** By entry, as the plugin does; none for bytes of another length. */
export const signedEntries = (report: Uint8Array, signature: Uint8Array): boolean[] => {
  const entries = decodeReport(report);
  if (signature.length !== entries.length * signatureBytes) return [];
  return entries.map((_, entry) => isSigned(signature, entry));
};

/** The same signature without some of its entries. */
export const without = (signature: Uint8Array, isKept: (entry: number) => boolean): Uint8Array =>
  signature.map((byte, at) => (isKept(Math.floor(at / signatureBytes)) ? byte : 0));

/** Whether it is that of the oracle wherever it is not left out. */
export const fitsReport = (keys: ToyKeys, oracle: number, report: Uint8Array, signature: Uint8Array): boolean => {
  const signed = signedEntries(report, signature);
  const whole = signReport(keys, oracle, report);
  return (
    signed.includes(true) &&
    Buffer.compare(
      without(whole, (entry) => signed[entry] === true),
      signature,
    ) === 0
  );
};

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

/** Prices of a fake chain, by the rules of the real plugin where it makes a difference to the protocol. */
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
    due: (observation) =>
      (decodeObservation(observation, chain.strategies) ?? [])
        .filter(({ timestamp, lastUpdate }) => timestamp - lastUpdate >= minInterval)
        .map(({ strategy }) => strategyKey(chainId, addressOf(strategy))),
    report: (_query, observations) => toyReport(rules, observations),
    prices: (report) => decodeReport(report).map(({ pps }) => pps),
    commitments: (report) => ({
      entries: decodeReport(report).map(entryOf),
      canonicalNonces: new Map(
        strategies.map((i) => [strategyKey(chainId, addressOf(i)), chain.stateAt(i, head()).nonce]),
      ),
    }),
    sign: async (_context, report, maySign) => {
      await pause(random.int(0, 20));
      const signs = decodeReport(report).map((price, entry) => maySign[entry] === true && !contradicts(price));
      return signs.includes(true) ? without(signReport(keys, me, report), (entry) => signs[entry] === true) : null;
    },
    signedEntries,
    verify: async (report, signature, signer) => fitsReport(keys, signer, report, signature),
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
    signatures: signatures
      .filter(({ signature }) => isSigned(signature, i))
      .map(({ signature }) => `0x${Buffer.from(partOf(signature, i)).toString('hex')}` as const),
    signers: signatures.map(({ signer }) => addressOf(signer)),
  }));
}
