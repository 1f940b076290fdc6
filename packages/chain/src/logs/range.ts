import { type Refusal, rangeRefusalOf } from '../rpc/refusals.ts';
import { causesOf, refusalIn } from '../rpc/unavailable.ts';

/**
 * How the next log request is made; adapts to what the node can answer. `blooms` is `useless` once a block had logs and
 * an empty bloom filter: some chains leave all filters empty.
 */
export type RangeState = { size: number; max: number; blooms?: 'useless' };

/** What a refusal says of the range that would do; null where it says nothing. */
export type SuggestedRange = { blocks: number | null; limit: number | null };

/** Above this many logs a range is left as it is: the next block may hold more, and memory is bounded. */
const COMFORTABLE_LOGS = 5_000;
const NOTHING_SUGGESTED: SuggestedRange = { blocks: null, limit: null };
/** Too large, and gateways that gave up waiting for the node. */
const tooMuchStatus = new Set<unknown>([413, 408, 504, 524]);

/** A range to begin with. `max` bounds how far it grows: many providers refuse more than 10 000 blocks. */
export const newRange = (size = 2_000, max = 10_000): RangeState => ({ size: Math.min(size, max), max });

/** The range after a node answered: twice as large unless it already brings many logs. */
export const afterSuccess = (range: RangeState, logCount: number): RangeState =>
  logCount > COMFORTABLE_LOGS ? range : { ...range, size: Math.min(range.max, range.size * 2) };

/**
 * The range after a node refused `blocks` blocks: what it suggests, or half of them; null when one block alone is too much.
 * A limit that it names is kept to from now on.
 */
export function afterTooLarge(
  range: RangeState,
  blocks: number,
  { blocks: suggested, limit }: SuggestedRange = NOTHING_SUGGESTED,
): RangeState | null {
  if (blocks <= 1) return null;
  const wanted = suggested ?? limit;
  // A suggestion that is no smaller than what was refused is of no use, and some nodes make it.
  const size = wanted !== null && wanted > 0 && wanted < blocks ? wanted : Math.ceil(blocks / 2);
  return { ...range, size, max: limit !== null && limit >= size ? Math.min(range.max, limit) : range.max };
}

type ErrorLike = { name?: unknown; message?: unknown; details?: unknown; status?: unknown };

const someCause = (error: unknown, matches: (item: ErrorLike) => boolean): boolean =>
  causesOf(error).some((item) => typeof item === 'object' && item !== null && matches(item as ErrorLike));

/** Whether the node did not answer in time. */
export const isTimeout = (error: unknown): boolean => someCause(error, ({ name }) => name === 'TimeoutError');

const ofRange = (refusal: Refusal | null): SuggestedRange | null =>
  refusal?.kind === 'range_too_large' ? { blocks: refusal.blocks, limit: refusal.limit } : null;

/**
 * What a failed `eth_getLogs` says of the range, when it may succeed with fewer blocks: the node says so in one of its many
 * wordings, or it timed out. Request bodies, which viem puts into messages, are not searched.
 * @returns null when fewer blocks would not help.
 */
export function rangeRefusal(error: unknown): SuggestedRange | null {
  if (someCause(error, ({ status }) => status === 429)) return null;
  const refusal = refusalIn(error, 'eth_getLogs');
  if (refusal) return ofRange(refusal);
  const isTooMuch = someCause(
    error,
    ({ name, status }) => name === 'TimeoutError' || name === 'ResponseBodyTooLargeError' || tooMuchStatus.has(status),
  );
  if (isTooMuch) return NOTHING_SUGGESTED;
  for (const cause of causesOf(error)) {
    const { details, message } = cause as ErrorLike;
    const text = typeof details === 'string' ? details : typeof message === 'string' ? message.split('\n')[0] : '';
    const said = ofRange(rangeRefusalOf(text ?? ''));
    if (said) return said;
  }
  return null;
}

/** Whether a failed `eth_getLogs` may succeed with fewer blocks. */
export const isRangeTooLarge = (error: unknown): boolean => rangeRefusal(error) !== null;
