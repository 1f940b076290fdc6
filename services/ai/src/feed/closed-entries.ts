import type { LogEntry } from '@castellan/contracts';

/** Told of a transaction once its block is read: who sent it. */
const transactionObserved = 'transaction_observed';

/** Senders by transaction, as far as the entries tell. */
export function sendersIn(entries: readonly LogEntry[]): ReadonlyMap<string, string> {
  const senders = new Map<string, string>();
  for (const { name, tx_hash, args } of entries)
    if (name === transactionObserved && tx_hash !== null && typeof args.from === 'string')
      senders.set(tx_hash, args.from);
  return senders;
}

/**
 * How many of the entries, from the first, have all of their block beside them, so that the sender of each is known if he ever
 * will be. A block's entries come together, logs before transactions; a rollback ends every block before it.
 * @param indexedBlock - Nothing is added to the log any more for this block and those before it.
 * @param endsLog - The entries reach to the log's end.
 */
export function closedCount(entries: readonly LogEntry[], indexedBlock: number | null, endsLog: boolean): number {
  const last = entries.at(-1);
  if (!last) return 0;
  const ended = entries.findLastIndex(({ kind }) => kind === 'rollback') + 1;
  const tail = entries.slice(ended);
  // The answer's block may be older than its entries: a sender that is missing shows that the block is not whole.
  const senders = sendersIn(tail);
  const isWhole = tail.every(
    ({ kind, block_number, vault_address, tx_hash }) =>
      kind !== 'log' ||
      block_number !== last.block_number ||
      vault_address === null ||
      tx_hash === null ||
      senders.has(tx_hash),
  );
  const until = Math.min(indexedBlock ?? -1, endsLog && isWhole ? last.block_number : last.block_number - 1);
  const open = tail.findIndex(({ block_number }) => block_number > until);
  return open < 0 ? entries.length : ended + open;
}
