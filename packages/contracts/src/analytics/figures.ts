import { z } from 'zod';
import { Eip55, Hash, IsoTime, Seconds, UintString } from '../primitives.ts';

/** `ok`; `partial`: computed over less than was asked for; `insufficient`: too little history, the value is null; `stale`: old inputs. */
export const FigureStatus = z.enum(['ok', 'partial', 'insufficient', 'stale']);
export type FigureStatus = z.infer<typeof FigureStatus>;

/** How far a figure can be trusted: the window it really covers and how many observations it rests on. */
export const Quality = z.object({
  status: FigureStatus,
  reason: z.string().nullable(),
  from: IsoTime.nullable(),
  to: IsoTime.nullable(),
  actual_seconds: Seconds.nullable(),
  sample_size: z.int().nonnegative(),
});
export type Quality = z.infer<typeof Quality>;

/** One value that went into a figure, and where on the chain it is written. */
export const ReceiptInput = z.object({
  name: z.string(),
  value: z.unknown(),
  unit: z.string(),
  t: IsoTime.nullable(),
  block: z.int().nullable(),
  tx_hash: Hash.nullable(),
  log_index: z.int().nullable(),
  /** The event or observation it was read from, e.g. `PPSUpdated` or `state_observed`. */
  source: z.string(),
});
export type ReceiptInput = z.infer<typeof ReceiptInput>;

/**
 * How a figure came about: `method` names a published formula; applied to `inputs` it gives `value` again.
 * `rests_on` says whether chain logs alone give the inputs, or also observations (readings of state at a block).
 */
export const Receipt = z.object({
  value: z.unknown(),
  unit: z.string(),
  method: z.string(),
  formula: z.string(),
  status: FigureStatus,
  window: z.object({ from: IsoTime, to: IsoTime, actual_seconds: Seconds }).nullable(),
  sample_size: z.int().nonnegative(),
  gaps: z.array(z.object({ from: IsoTime, to: IsoTime, reason: z.string() })),
  rests_on: z.enum(['logs', 'logs_and_observations']),
  inputs: z.array(ReceiptInput),
  /** One command that computes the figure again. */
  verify: z.string(),
});
export type Receipt = z.infer<typeof Receipt>;

/** What every analytics answer carries besides its figures. */
export const answerFields = {
  chain_id: z.int().positive(),
  vault_address: Eip55,
  /** The moment the figures are true for, chain time. */
  as_of: IsoTime,
  /** The last block that was taken into account. */
  block_number: z.int(),
  /** Only figures whose status is not `ok`, by path. */
  quality: z.record(z.string(), Quality),
  receipts: z.record(z.string(), Receipt).optional(),
};

/** A fraction, e.g. 0.0847 for 8.47 %; null without enough history. */
export const Fraction = z.number().nullable();
/** US dollars; null when the asset had no price then. */
export const Usd = z.number().nullable();
/** A number of things. */
export const Count = z.int().nonnegative();

/**
 * A net price in raw units without rounding. The integer beside it is rounded down and only for display; every figure of the net
 * price is computed from this one.
 */
export const ExactPps = z.object({ numerator: UintString, denominator: UintString });

/** Yield sources at the last observation; idle assets are none. */
export const SourceCounts = {
  /** Those that hold assets. */
  strategies: Count.nullable(),
  /** Those on the list that hold none. */
  empty_sources: Count.nullable(),
};

/** What a series answer carries: the range it covers, its bucket, and its points. */
export const seriesFields = {
  period: z.string().nullable(),
  from: IsoTime,
  to: IsoTime,
  interval_seconds: Seconds,
};
