/** How many blocks the next log request asks for; adapts to what the node can answer. */
export type RangeState = { size: number; max: number };

/** Above this many logs a range is left as it is: the next block may hold more, and memory is bounded. */
const COMFORTABLE_LOGS = 5_000;

/** A range to begin with. `max` bounds how far it grows: many providers refuse more than 10 000 blocks. */
export const newRange = (size = 2_000, max = 10_000): RangeState => ({ size: Math.min(size, max), max });

/** The range after a node answered: twice as large unless it already brings many logs. */
export const afterSuccess = (range: RangeState, logCount: number): RangeState =>
  logCount > COMFORTABLE_LOGS ? range : { ...range, size: Math.min(range.max, range.size * 2) };

/** The range after a node refused `blocks` blocks: half of them; null when one block alone is too much. */
export const afterTooLarge = (range: RangeState, blocks: number): RangeState | null =>
  blocks <= 1 ? null : { ...range, size: Math.ceil(blocks / 2) };

const tooLargePattern =
  /too many|too large|more than \d+|limit exceeded|exceeds?( the| max)?|range|response size|block span|query returned|timed? ?out|timeout/i;

type ErrorLike = { name?: unknown; message?: unknown; details?: unknown; status?: unknown; cause?: unknown };

function someCause(error: unknown, matches: (item: ErrorLike) => boolean): boolean {
  let item: unknown = error;
  for (let depth = 0; typeof item === 'object' && item !== null && depth < 10; depth += 1) {
    if (matches(item)) return true;
    item = (item as ErrorLike).cause;
  }
  return false;
}

/** Whether the node did not answer in time. */
export const isTimeout = (error: unknown): boolean => someCause(error, ({ name }) => name === 'TimeoutError');

/**
 * Whether a failed `eth_getLogs` may succeed with fewer blocks: the node says so in one of its many wordings, or it timed
 * out. Request bodies, which viem puts into messages, are not searched.
 */
export function isRangeTooLarge(error: unknown): boolean {
  return someCause(error, ({ name, details, status, message }) => {
    if (name === 'TimeoutError' || name === 'ResponseBodyTooLargeError' || status === 413) return true;
    const text = typeof details === 'string' ? details : typeof message === 'string' ? message.split('\n')[0] : '';
    return tooLargePattern.test(text ?? '');
  });
}
