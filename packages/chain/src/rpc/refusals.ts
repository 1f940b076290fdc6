import { isEvmFailure } from '../decode/evm-failure.ts';

/** The `error` of a JSON-RPC answer. */
export type RpcErrorBody = { code: number; message: string; data?: unknown };

/**
 * What a provider's error means for the caller.
 * - `rate_limited`: later, or elsewhere. `allowedPerSecond` when the provider says how much it takes.
 * - `batch_too_large`: the same calls in smaller batches; `limit` when it says how many calls it takes at once.
 * - `range_too_large`: logs of fewer blocks. `blocks` is a range that it suggests, `limit` how many blocks it takes at most.
 * - `unavailable`: this node cannot answer now: it is away, behind, or has pruned the block.
 */
export type Refusal =
  | { kind: 'rate_limited'; retryAfterMs: number | null; allowedPerSecond: number | null }
  | { kind: 'batch_too_large'; limit: number | null }
  | { kind: 'range_too_large'; blocks: number | null; limit: number | null }
  | { kind: 'unavailable' };

const TOO_MANY_REQUESTS = 429;
/** QuickNode's own, as viem knows it too. */
const REQUEST_LIMIT_REACHED = -32_007;
/** EIP-1474: of requests, and with some providers of results. */
const LIMIT_EXCEEDED = -32_005;
const RESOURCE_UNAVAILABLE = -32_002;
/** EIP-1474's neighbour in all nodes: the contract reverted. */
const REVERTED = 3;

const revertPattern = /revert|gas required exceeds/i;
const batchPattern =
  /\bbatch(?:ed|es)?\b.*\b(?:large|limit|limited|max\w*|exceed\w*|more than|not|too|size|unsupported|disabled)\b|\b(?:large|max\w*|exceed\w*|too many|limit)\b.*\bbatch/i;
const noBatchPattern = /batch.*(?:not (?:supported|allowed|enabled)|unsupported|disabled)(?!.*free tier)/i;
const batchLimitPattern = /(?:maximum|more than|max limit of|limit of|limit|at most|up to|exceeds?)\D{0,12}(\d+)/i;
const ratePattern =
  /rate.?limit|rate exceeded|too many requests?\b|requests? (?:per second )?limit|request (?:count|rate|limit)|compute units per second|per.second capacity|\brps limit|quota|throttl|over capacity|call rate|usage limit|credits|slow down|reduce calls/i;
const missingPattern =
  /missing trie node|header not found|unknown block|\b(?:block|header|resource)\b[^.]{0,90}\bnot (?:be )?found|BlockOutOfRange|block is out of range|beyond current head|after last accepted block|no state available|(?:world |historical )?state\b[^.]{0,90}\b(?:is not available|not available|unavailable|pruned)|pruned history|history .*pruned|cannot query unfinalized|\bblock\b[^.]{0,90}\b(?:not available|does not exist|is not yet)|required historical state|due to pruning|before txNum=\d+ is not available|state already discarded|proof window|no historical RPC|indexing is in progress|still initializing/i;
const awayPattern =
  /backend (?:offline|returned|is currently)|backends? (?:is|are) |no backends? available|no available (?:node|upstream|backend)|upstream|gateway time-?out|bad gateway|service unavailable|temporarily unavailable|not healthy|request timed out|request timeout|try again later|server is busy|node is (?:syncing|behind)/i;
const rangePattern =
  /too many|too large|too wide|too high|more than \d+|limit exceeded|exceed|range|response size|block span|query returned|timed? ?out|timeout|limit the query|limited to|at most|requested blocks|max results/i;

/** The patterns are run over this much of what a provider says. */
const TEXT_LENGTH = 600;
const textOf = ({ message, data }: RpcErrorBody): string =>
  (typeof data === 'string' ? `${message} ${data}` : message).slice(0, TEXT_LENGTH);
const isHexData = (data: unknown): boolean => typeof data === 'string' && /^0x[0-9a-f]{8,}$/i.test(data);

/** Whether the node executed the call and the contract refused it. */
const isRevert = (error: RpcErrorBody): boolean =>
  error.code === REVERTED || isHexData(error.data) || revertPattern.test(textOf(error)) || isEvmFailure(textOf(error));

const numberOf = (digits: string, thousands: string | undefined): number =>
  Number(digits.replaceAll(',', '')) * (thousands ? 1_000 : 1);

/** How many blocks the provider takes, by its own words; null when it does not say. */
function limitIn(text: string): number | null {
  const patterns = [
    /(?:at most|up to an?|up to|limited to an?|limited to|ranges over|maximum of|no more than)\s+(?:0\s*-\s*)?(\d[\d,]*)\s*(k)?[\s-]*(?:blocks?\b|range)/i,
    /max(?:imum)?(?: rpc)?(?: allowed)?(?: block)? range[^\d[]{0,12}(\d[\d,]*)(k)?/i,
    /(?:number of requested blocks is|range \d+ exceeds limit of)\s+(\d[\d,]*)(k)?/i,
  ];
  for (const pattern of patterns) {
    const found = text.match(pattern);
    if (found?.[1]) return numberOf(found[1], found[2]) || null;
  }
  return null;
}

/** How many blocks the range has that the provider suggests; null when it suggests none. */
function suggestedIn(text: string, data: unknown): number | null {
  const { from, to } = (typeof data === 'object' && data !== null ? data : {}) as { from?: unknown; to?: unknown };
  const found = text.match(/\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i) ?? text.match(/range (\d+)\s*-\s*(\d+)/i);
  const [first, last] = found ? [found[1], found[2]] : [from, to];
  const blocks = Number(last) - Number(first) + 1;
  return first !== undefined && last !== undefined && Number.isSafeInteger(blocks) && blocks > 0 ? blocks : null;
}

function batchRefusal(text: string): Refusal | null {
  if (!batchPattern.test(text)) return null;
  const limit = text.match(batchLimitPattern)?.[1];
  if (limit !== undefined) return { kind: 'batch_too_large', limit: Number(limit) };
  return { kind: 'batch_too_large', limit: noBatchPattern.test(text) ? 1 : null };
}

function rateRefusal({ message, data }: RpcErrorBody): Refusal {
  const rate = (data as { rate?: { backoff_seconds?: unknown; allowed_rps?: unknown } } | null | undefined)?.rate;
  const said = message.match(/(?:retry|try again) (?:in|after) (\d+(?:\.\d+)?)\s*(ms|s)/i);
  const seconds = Number(rate?.backoff_seconds);
  const allowed = Number(rate?.allowed_rps);
  const saidMs = said ? Number(said[1]) * (said[2]?.toLowerCase() === 'ms' ? 1 : 1_000) : null;
  return {
    kind: 'rate_limited',
    retryAfterMs: seconds > 0 ? seconds * 1_000 : saidMs,
    allowedPerSecond: allowed > 0 ? allowed : null,
  };
}

/** What a provider's words about logs say of their range; null when they say nothing of it. */
export const rangeRefusalOf = (text: string, data?: unknown): Refusal | null =>
  rangePattern.test(text) ? { kind: 'range_too_large', blocks: suggestedIn(text, data), limit: limitIn(text) } : null;

/**
 * Reads a provider's error by its words first and its code second: codes are used for several things.
 * @param method - Of the call, where there is one: only logs are refused for their range.
 * @returns null when the error is the node's answer, as a revert is.
 */
export function refusalOf(error: RpcErrorBody, method?: string): Refusal | null {
  if (isRevert(error)) return null;
  const text = textOf(error);
  if (error.code === TOO_MANY_REQUESTS || error.code === REQUEST_LIMIT_REACHED) return rateRefusal(error);
  const batch = batchRefusal(text);
  if (batch) return batch;
  if (ratePattern.test(text)) return rateRefusal(error);
  if (missingPattern.test(text)) return { kind: 'unavailable' };
  const range = method === 'eth_getLogs' ? rangeRefusalOf(text, error.data) : null;
  if (range) return range;
  if (error.code === LIMIT_EXCEEDED) return rateRefusal(error);
  return error.code === RESOURCE_UNAVAILABLE || awayPattern.test(text) ? { kind: 'unavailable' } : null;
}
