import { ListLogEntries, type LogEntry, type ResultOf } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';

const pageSize = 1000;

/** Name of the entry that says who sent a transaction, written once its block is read. */
const transactionObserved = 'transaction_observed';

/** Senders by transaction, as far as the entries tell. */
export function sendersIn(entries: readonly LogEntry[]): ReadonlyMap<string, string> {
  const senders = new Map<string, string>();
  for (const { name, tx_hash, args } of entries)
    if (name === transactionObserved && tx_hash !== null && typeof args.from === 'string')
      senders.set(tx_hash, args.from);
  return senders;
}

type Reach = {
  /** Nothing is added to the log any more for this block and those before it. */
  indexedBlock: number | null;
  /** The entries reach to the log's end. */
  endsLog: boolean;
  /** Whether the sender of the entry's transaction matters to its readers; asked for entries of a vault. */
  needsSender: (entry: LogEntry) => boolean;
};

/**
 * How many of the entries, from the first, have all of their block beside them, so that the sender of each is known if he ever
 * will be. A block's entries come together, logs before transactions; a rollback ends every block before it.
 */
export function closedCount(entries: readonly LogEntry[], { indexedBlock, endsLog, needsSender }: Reach): number {
  const last = entries.at(-1);
  if (!last) return 0;
  const ended = entries.findLastIndex(({ kind }) => kind === 'rollback') + 1;
  const tail = entries.slice(ended);
  // The answer's block may be older than its entries: a sender that is missing shows that the block is not whole.
  const senders = sendersIn(tail);
  const isWhole = tail.every(
    (entry) =>
      entry.block_number !== last.block_number ||
      entry.vault_address === null ||
      entry.tx_hash === null ||
      !needsSender(entry) ||
      senders.has(entry.tx_hash),
  );
  const until = Math.min(indexedBlock ?? -1, endsLog && isWhole ? last.block_number : last.block_number - 1);
  const open = tail.findIndex(({ block_number }) => block_number > until);
  return open < 0 ? entries.length : ended + open;
}

/** Log entries, cut at the end of a block. */
export type WholeBlocks = {
  /** Entries whose block is whole. */
  entries: LogEntry[];
  /** Entries behind them, of a block that is not. */
  open: number;
  endsLog: boolean;
  /** `traceparent` of the readings in which the entries were stored, as far as they are recorded. */
  traces: string[];
  indexedTime: ResultOf<typeof ListLogEntries>['indexed_time'];
};

/** Reads the log after an entry, page by page, until a block is whole or the log ends. */
export async function readWholeBlocks(
  callAction: CallAction,
  { chainId, afterSeq, needsSender }: { chainId: number; afterSeq: number; needsSender: Reach['needsSender'] },
): Promise<WholeBlocks> {
  const entries: LogEntry[] = [];
  const traces: NonNullable<ResultOf<typeof ListLogEntries>['traces']> = [];
  for (;;) {
    const after_seq = entries.at(-1)?.seq ?? afterSeq;
    const page = await callAction(ListLogEntries, { chain_id: chainId, after_seq, limit: pageSize });
    entries.push(...page.entries);
    traces.push(...(page.traces ?? []));
    const endsLog = page.entries.length === 0 || (entries.at(-1)?.seq ?? afterSeq) >= page.head_seq;
    const closed = closedCount(entries, { indexedBlock: page.indexed_block, endsLog, needsSender });
    if (closed > 0 || endsLog) {
      const whole = entries.slice(0, closed);
      const lastSeq = whole.at(-1)?.seq ?? 0;
      return {
        entries: whole,
        open: entries.length - closed,
        endsLog,
        traces: [...new Set(traces.filter(({ seq }) => seq <= lastSeq).map(({ traceparent }) => traceparent))],
        indexedTime: page.indexed_time,
      };
    }
  }
}
