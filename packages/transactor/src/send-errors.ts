import { isRpcUnavailable } from '@castellan/chain';

/**
 * A node's answer to a signed transaction, from its text alone: viem knows fewer classes, and takes "already known" for
 * a nonce too low.
 * - accepted: it has the transaction.
 * - underpriced: a higher price would do.
 * - nonce_too_low: its nonce is used, by this transaction or another.
 * - nonce_gap: it waits for a transaction of a lower nonce.
 * - insufficient_funds: the account cannot pay it.
 * - fee_above_node_limit: the node has a limit of its own on what may be paid.
 * - fatal: no node will ever take it.
 * - unavailable: the node does not take transactions now.
 * - unknown: words that are not in the table.
 */
export type SendClass =
  | 'accepted'
  | 'underpriced'
  | 'nonce_too_low'
  | 'nonce_gap'
  | 'insufficient_funds'
  | 'fee_above_node_limit'
  | 'fatal'
  | 'unavailable'
  | 'unknown';

/** In this order: the text of a later class may contain that of an earlier one, and a known transaction is no error. */
const classes: readonly (readonly [Exclude<SendClass, 'unknown'>, RegExp])[] = [
  [
    'accepted',
    /already ?known|already imported|known transaction|same hash was already|existing txn with same hash|already (?:exists )?in (?:the )?(?:mempool|cache|system)|already exists in cache|transaction already exists|alreadyexists/,
  ],
  [
    'underpriced',
    /underpriced|replacementnotallowed|could not replace existing tx|insufficient gas price to replace|another tx(?:n|ransaction)? (?:which has|with) (?:the )?same nonce|fee ?too ?low|feetoolowtocompete|less than block base ?fee|gas price (?:is )?(?:too low|below|less than)|is below configured minimum|below minimum/,
  ],
  [
    'nonce_too_low',
    /nonce (?:is )?too low|oldnonce|nonce has already been used|invalid transaction nonce|ownnoncealreadyused/,
  ],
  [
    'nonce_gap',
    /nonce (?:is )?too (?:high|distant)|noncegap|nonce too far in (?:the )?future|noncetoofarinfuture|future transaction tries to replace|transaction with a lower nonce exists/,
  ],
  [
    'insufficient_funds',
    /insufficient ?funds|insufficient balance|insufficient_payer|upfront cost exceeds|not enough funds|cause overdraft|had insufficient/,
  ],
  ['fee_above_node_limit', /exceeds the configured cap|fee cap exceeded|transaction fee cap exceeded/],
  [
    'fatal',
    /intrinsic ?gas|exceeds block gas limit|gas limit (?:is )?(?:too high|reached)|gaslimitexceeded|gas limit is greater than|oversized data|transaction too large|maxtxsizeexceeded|rlp too long|invalid sender|failed to (?:recover|resolve) sender|failedtoresolvesender|sender ?(?:not an eoa|iscontract)|chain ?id|signed for another chain|invalid signature|type not supported|not supported by the current|unsupported transaction type|notsupportedtxtype|max ?priority ?fee ?per ?gas.*(?:higher|greater|exceeds)|invalid transaction type|transaction invalid|transaction cost overflow|initcode|nonce has max value|gasuintoverflow|gas uint64 overflow|negative value/,
  ],
  [
    'unavailable',
    /timed? ?out|timeout|too many requests|rate limit|limit exceeded|is full|syncing|sync is still in progress|pool not enabled|service unavailable|bad gateway|connection|fetch failed|econn|no node of .* answered|http request failed|resource (?:not found|unavailable)|internal error|transactions in the queue|spammer/,
  ],
];

/** The node's own words inside what viem threw; viem's messages quote the request and advise the reader, so they do not count. */
export function nodeText(error: unknown): string {
  const texts: string[] = [];
  let deepest: unknown = error;
  for (let item = error, depth = 0; typeof item === 'object' && item !== null && depth < 10; depth += 1) {
    const { details, cause } = item as { details?: unknown; cause?: unknown };
    if (typeof details === 'string' && details !== '') texts.push(details);
    deepest = item;
    item = cause;
  }
  if (texts.length > 0) return texts.at(-1) as string;
  return deepest instanceof Error ? deepest.message : String(deepest);
}

/** What a node's refusal of a transaction means, by its words; `unavailable` when no node answered, `unknown` for other words. */
export function classifySendError(error: unknown): SendClass {
  const text = nodeText(error).toLowerCase();
  const known = classes.find(([, pattern]) => pattern.test(text))?.[0];
  return known ?? (isRpcUnavailable(error) ? 'unavailable' : 'unknown');
}
