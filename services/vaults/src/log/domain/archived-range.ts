import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { LogEntry } from '@castellan/contracts';

/** An entry with what makes writing it twice impossible: all that the store holds of it. */
export type KeyedEntry = LogEntry & { key: string };

/** What a range of the log is: its first and last entries, and the blocks and times between which all of them are. */
export type RangeSummary = {
  chain_id: number;
  from_seq: number;
  to_seq: number;
  from_block: number;
  to_block: number;
  from_time: string;
  to_time: string;
  count: number;
  /** Of the lines of the entries, in hex. */
  sha256: string;
};

/**
 * Entries that are read again only page by page, or of one vault since a moment: they may leave the store once they are archived.
 * Everything else stays, because it is read by name as far back as the log goes. A name that is not listed stays.
 */
export const archivedNames: ReadonlySet<string> = new Set([
  'state_observed',
  'transaction_observed',
  'AnswerUpdated',
  'PPSValidated',
  'UpkeepSpent',
  'ManagementFeePaid',
  'HookExecuted',
  'HooksExecuted',
  'Deposit',
  'DepositHandled',
  'Withdraw',
  'Transfer',
  'Approval',
]);

/** The file is not what was written. */
export class RangeDamaged extends Error {
  override readonly name = 'RangeDamaged';
}

const hashOf = (lines: string): string => createHash('sha256').update(lines).digest('hex');

function summaryOf(entries: readonly KeyedEntry[], lines: string): RangeSummary {
  const [first] = entries;
  if (!first) throw new RangeError('A range holds at least one entry.');
  const blocks = entries.map(({ block_number }) => block_number);
  const times = entries.map(({ block_time }) => block_time).sort();
  return {
    chain_id: first.chain_id,
    from_seq: first.seq,
    to_seq: first.seq + entries.length - 1,
    from_block: Math.min(...blocks),
    to_block: Math.max(...blocks),
    from_time: times[0] ?? '',
    to_time: times.at(-1) ?? '',
    count: entries.length,
    sha256: hashOf(lines),
  };
}

/** The place of a sequence that is missing, as the number of the entry before it; null without one. */
export const gapAfter = (entries: readonly Pick<LogEntry, 'seq'>[], afterSeq: number): number | null => {
  const at = entries.findIndex(({ seq }, index) => seq !== afterSeq + 1 + index);
  return at < 0 ? null : afterSeq + at;
};

/**
 * A range as a file: gzip of lines of JSON, first what the range is, then an entry each.
 * @param entries - In their order, without a gap; at least one.
 * @throws RangeError
 */
export function encodeRange(entries: readonly KeyedEntry[]): { range: RangeSummary; content: Buffer } {
  const before = (entries[0]?.seq ?? 1) - 1;
  if (gapAfter(entries, before) !== null) throw new RangeError('A range has no gap.');
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const range = summaryOf(entries, lines);
  return { range, content: gzipSync(`${JSON.stringify({ format: 1, ...range })}\n${lines}`) };
}

/**
 * The entries of a file. That its hash is the expected one says that they are those which were written, in their order and all of them.
 * @throws RangeDamaged
 */
export function decodeRange(content: Buffer, expected: Pick<RangeSummary, 'count' | 'sha256'>): KeyedEntry[] {
  const lines = linesIn(content);
  if (hashOf(lines) !== expected.sha256) throw new RangeDamaged('Its hash is another one.');
  const entries = lines
    .split('\n')
    .slice(0, -1)
    .map((line): KeyedEntry => JSON.parse(line));
  if (entries.length !== expected.count)
    throw new RangeDamaged(`It holds ${entries.length} entries of ${expected.count}.`);
  return entries;
}

function linesIn(content: Buffer): string {
  try {
    const text = gunzipSync(content).toString();
    return text.slice(text.indexOf('\n') + 1);
  } catch (error) {
    throw new RangeDamaged('It cannot be unpacked.', { cause: error });
  }
}
