import type { StoredBlock } from '@castellan/chain';
import type { Address, Hex } from 'viem';
import { z } from 'zod';
import type { ConfigRecord, TrackerState } from './config-tracker.ts';
import type { PriceEvent, WatchState } from './event-watcher.ts';

/** How what the chain's followers keep is written down: JSON has no bigint, so these are decimal strings. */

const Uint = z
  .string()
  .regex(/^(0|[1-9]\d*)$/)
  .transform(BigInt);
const Bytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((value) => value as Hex);
const Account = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((value) => value as Address);
const Block = z.object({ number: Uint, hash: Bytes });

const Tracker = z.object({
  cursor: Block.nullable(),
  history: z.array(
    z.object({
      block: Block,
      facts: z.object({
        chainId: z.int(),
        governor: Account,
        oracle: Account,
        version: Uint,
        validators: z.array(Account),
        publicKeys: z.array(Bytes),
        quorum: Uint,
        offchainConfig: Bytes,
      }),
    }),
  ),
});

const Watch = z.object({
  blocks: z.array(Block),
  events: z.array(
    z.object({
      kind: z.enum(['validated', 'stored']),
      strategy: Account,
      blockNumber: Uint,
      blockSeconds: z.int(),
    }),
  ),
  settled: z.record(z.string(), z.int()),
});

const block = ({ number, hash }: StoredBlock) => ({ number: String(number), hash });
const record = ({ block: at, facts }: ConfigRecord) => ({
  block: block(at),
  facts: { ...facts, version: String(facts.version), quorum: String(facts.quorum) },
});
const event = (price: PriceEvent) => ({ ...price, blockNumber: String(price.blockNumber) });

export const trackerToJson = ({ cursor, history }: TrackerState) => ({
  cursor: cursor && block(cursor),
  history: history.map(record),
});

/** @throws ZodError when it is not what `trackerToJson` wrote. */
export const trackerFromJson = (json: unknown): TrackerState => Tracker.parse(json);

export const watchToJson = ({ blocks, events, settled }: WatchState) => ({
  blocks: blocks.map(block),
  events: events.map(event),
  settled: { ...settled },
});

/** @throws ZodError when it is not what `watchToJson` wrote. */
export const watchFromJson = (json: unknown): WatchState => Watch.parse(json);
