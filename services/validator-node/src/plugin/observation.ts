import type { Address, Hex } from 'viem';
import { type AttributedObservation, strategyKey } from '../ports.ts';
import { ByteReader, ByteWriter, CodecError } from './bytes.ts';

/** What one node read of one strategy, all at one block. Addresses are lower case; times in chain seconds. */
export type PriceEntry = {
  strategy: Address;
  /** Value per share as this node works it out. */
  pps: bigint;
  /** The strategy's next nonce at the oracle. */
  nonce: bigint;
  /** What the aggregator holds now. */
  lastPps: bigint;
  lastUpdate: bigint;
  lastUnpause: bigint;
  minInterval: bigint;
  /** Fraction scaled by 1e18. */
  deviationThreshold: bigint;
  paused: boolean;
  /** The aggregator calls the stored price stale: the next one is not compared with it. */
  stale: boolean;
  /** The strategy cannot pay for a price: storing one would pause it. */
  upkeepShort: boolean;
};

/** What one node read of one chain at one block. */
export type ChainObservation = {
  chainId: number;
  blockNumber: bigint;
  blockHash: Hex;
  /** Of that block, never of a wall clock: the contract refuses times after its own. */
  timestamp: bigint;
  entries: readonly PriceEntry[];
};

export const MAX_ENTRIES = 300;
/** 2^128: a price above it is a fault, and sums of two never overflow what others work with. */
export const PPS_CAP = 1n << 128n;

const FORMAT = 1;
const CHAIN_BYTES = 8 + 8 + 32 + 8 + 2;
const ENTRY_BYTES = 20 + 16 + 8 + 16 + 8 + 8 + 8 + 32 + 1;
const MAX_CHAINS = 32;

/** What `entries` entries of as many chains as allowed take. */
export const observationBytes = (entries: number): number => 2 + MAX_CHAINS * CHAIN_BYTES + entries * ENTRY_BYTES;

/** Entries in one observation, such that the observations of all oracles fit into one message of a broker. */
export const entriesPerObservation = (oracles: number): number =>
  Math.min(MAX_ENTRIES, Math.floor(900_000 / oracles / ENTRY_BYTES));

/** Why an entry cannot be part of an observation; null: it can. */
export function entryFault({ pps, nonce, lastPps, lastUpdate, lastUnpause, minInterval }: PriceEntry): string | null {
  if (pps <= 0n) return 'zero_pps';
  if (pps >= PPS_CAP || lastPps >= PPS_CAP) return 'pps_out_of_range';
  return [nonce, lastUpdate, lastUnpause, minInterval].some((value) => value >= 1n << 64n) ? 'out_of_range' : null;
}

/** @throws CodecError when a value does not fit, an entry is without a price, or the order is not the canonical one. */
export function encodeObservation(chains: readonly ChainObservation[]): Uint8Array {
  requireCanonical(chains);
  const writer = new ByteWriter();
  writer.uint(FORMAT, 1);
  writer.uint(chains.length, 1);
  for (const { chainId, blockNumber, blockHash, timestamp, entries } of chains) {
    writer.uint(chainId, 8);
    writer.uint(blockNumber, 8);
    writer.hex(blockHash, 32);
    writer.uint(timestamp, 8);
    writer.uint(entries.length, 2);
    for (const entry of entries) writeEntry(writer, entry);
  }
  return writer.result();
}

function writeEntry(writer: ByteWriter, entry: PriceEntry): void {
  writer.hex(entry.strategy, 20);
  writer.uint(entry.pps, 16);
  writer.uint(entry.nonce, 8);
  writer.uint(entry.lastPps, 16);
  writer.uint(entry.lastUpdate, 8);
  writer.uint(entry.lastUnpause, 8);
  writer.uint(entry.minInterval, 8);
  writer.uint(entry.deviationThreshold, 32);
  writer.uint((entry.paused ? 1 : 0) | (entry.stale ? 2 : 0) | (entry.upkeepShort ? 4 : 0), 1);
}

/**
 * Reads an observation to its last byte. There is one encoding of each: chains and strategies ascend, none is twice or empty.
 * @throws CodecError and nothing else.
 */
export function decodeObservation(bytes: Uint8Array): ChainObservation[] {
  if (bytes.length > observationBytes(MAX_ENTRIES)) throw new CodecError('The observation is too large');
  const reader = new ByteReader(bytes);
  const format = reader.number(1);
  if (format !== FORMAT) throw new CodecError(`Observations of format ${format} are not known`);
  const count = reader.number(1);
  const chains = Array.from({ length: count }, () => readChain(reader));
  reader.end();
  requireCanonical(chains);
  return chains;
}

export type ObservedPrice = { observer: number; pps: bigint };

/** What each observer read of each strategy, by `strategyKey`. An observation that is none says nothing. */
export function observedPrices(observations: readonly AttributedObservation[]): Map<string, ObservedPrice[]> {
  const prices = new Map<string, ObservedPrice[]>();
  for (const { observer, observation } of observations) {
    for (const { chainId, entries } of decodedOrNone(observation)) {
      for (const { strategy, pps } of entries) {
        const key = strategyKey(chainId, strategy);
        prices.set(key, [...(prices.get(key) ?? []), { observer, pps }]);
      }
    }
  }
  return prices;
}

function decodedOrNone(observation: Uint8Array): ChainObservation[] {
  try {
    return decodeObservation(observation);
  } catch (error) {
    if (error instanceof CodecError) return [];
    throw error;
  }
}

function readChain(reader: ByteReader): ChainObservation {
  const head = {
    chainId: reader.number(8),
    blockNumber: reader.uint(8),
    blockHash: reader.hex(32),
    timestamp: reader.uint(8),
  };
  const count = reader.number(2);
  if (count > MAX_ENTRIES) throw new CodecError(`${count} entries are too many`);
  return { ...head, entries: Array.from({ length: count }, () => readEntry(reader)) };
}

function readEntry(reader: ByteReader): PriceEntry {
  const entry = {
    strategy: reader.hex(20),
    pps: reader.uint(16),
    nonce: reader.uint(8),
    lastPps: reader.uint(16),
    lastUpdate: reader.uint(8),
    lastUnpause: reader.uint(8),
    minInterval: reader.uint(8),
    deviationThreshold: reader.uint(32),
  };
  const flags = reader.number(1);
  if (flags > 7) throw new CodecError(`Flags ${flags} are not known`);
  return { ...entry, paused: (flags & 1) !== 0, stale: (flags & 2) !== 0, upkeepShort: (flags & 4) !== 0 };
}

function requireCanonical(chains: readonly ChainObservation[]): void {
  if (chains.length > MAX_CHAINS) throw new CodecError('Too many chains');
  let previous = 0;
  let total = 0;
  for (const { chainId, timestamp, entries } of chains) {
    if (chainId <= previous) throw new CodecError('Chains do not ascend');
    previous = chainId;
    total += entries.length;
    if (entries.length === 0) throw new CodecError('A chain has no entries');
    if (timestamp === 0n) throw new CodecError('A chain has no time');
    requireEntries(entries);
  }
  if (total > MAX_ENTRIES) throw new CodecError(`${total} entries are too many`);
}

function requireEntries(entries: readonly PriceEntry[]): void {
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    if (before && BigInt(entry.strategy) <= BigInt(before.strategy)) throw new CodecError('Strategies do not ascend');
    const fault = entryFault(entry);
    if (fault !== null) throw new CodecError(`${entry.strategy}: ${fault}`);
  }
}
