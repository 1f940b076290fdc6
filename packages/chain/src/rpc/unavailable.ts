import { errorCodeOf } from '@castellan/contracts';
import { HttpRequestError, TimeoutError } from 'viem';
import { type Refusal, type RpcErrorBody, refusalOf } from './refusals.ts';

/** An error and what caused it, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let item = error; item !== undefined && item !== null && causes.length < 10; ) {
    causes.push(item);
    item = typeof item === 'object' ? (item as { cause?: unknown }).cause : undefined;
  }
  return causes;
}

type ErrorLike = { code?: unknown; details?: unknown; message?: unknown; data?: unknown };

/** What a node said, as viem's errors and plain ones carry it: request bodies, which viem puts into messages, left out. */
function bodyOf(cause: unknown): RpcErrorBody | undefined {
  const { code, details, message, data } = cause as ErrorLike;
  if (typeof code !== 'number') return undefined;
  const text = typeof details === 'string' && details !== '' ? details : String(message ?? '').split('\n')[0];
  return { code, message: text ?? '', data };
}

/** The refusal of a provider inside what a request or a viem action threw; null when there is none. */
export function refusalIn(error: unknown, method?: string): Refusal | null {
  const bodies = causesOf(error).flatMap((cause) => bodyOf(cause) ?? []);
  // The innermost is the node's own; viem's wrappers repeat its text under other codes.
  const innermost = bodies.at(-1);
  return innermost ? refusalOf(innermost, method) : null;
}

const prunedPattern =
  /missing trie node|pruned|due to pruning|before txNum=|already discarded|proof window|no historical RPC|no state available|historical state|\bstate\b[^.]{0,90}\b(?:is not available|not available|unavailable)/i;

/**
 * Whether the node answers, and keeps no state of a block so old: waiting does not bring it back, another node may have it.
 * @param error - Anything an RPC request or a viem action threw.
 */
export function isStatePruned(error: unknown): boolean {
  const said = causesOf(error).map((cause) =>
    String((cause as ErrorLike).details ?? (cause as ErrorLike).message ?? ''),
  );
  const text = said.at(-1) ?? '';
  const outOfRange = /block height is (\d+) but requested was (\d+)/.exec(text);
  // anvil says the same of a block that is not there yet.
  if (outOfRange) return Number(outOfRange[2]) <= Number(outOfRange[1]);
  return prunedPattern.test(text);
}

/**
 * Whether the node did not answer, as opposed to answering with an error or a revert. A node that limits the caller, or does
 * not have the block, did not answer.
 * @param error - Anything an RPC request or a viem action threw.
 */
export function isRpcUnavailable(error: unknown): boolean {
  const isAway = causesOf(error).some(
    (cause) =>
      errorCodeOf(cause) === 'RPC_UNAVAILABLE' || cause instanceof HttpRequestError || cause instanceof TimeoutError,
  );
  if (isAway) return true;
  const refusal = refusalIn(error);
  return refusal !== null && refusal.kind !== 'range_too_large';
}
