import type { LogEntry } from '@castellan/contracts';

/**
 * An entry with the trace (W3C `traceparent`) in which its block was read, where that is recorded. The first entry of each block has it for
 * all that were written with it.
 */
export type StoredEntry = LogEntry & { trace?: string };

/** More than this in one page is history, which nobody looks up by its traces. */
const MOST_MARKS = 128;

/** Gives the first entry of each block the trace, in place: an object for each entry would be made for nothing. */
export function markBlocks(entries: readonly StoredEntry[], trace: string | undefined): void {
  if (trace === undefined) return;
  let before: string | undefined;
  for (const entry of entries) {
    if (entry.block_hash !== before) entry.trace = trace;
    before = entry.block_hash;
  }
}

/** The trace of each entry of a page, as far as the page shows it: of one that begins in the middle of a block it does not. */
export function tracesOf(entries: readonly StoredEntry[]): (string | undefined)[] {
  let mark: StoredEntry | undefined;
  return entries.map((entry) => {
    if (entry.trace !== undefined) mark = entry;
    return mark?.block_hash === entry.block_hash ? mark.trace : undefined;
  });
}

/** The newest traces among entries, each with the first entry of it, in their order; undefined without any. */
export function traceMarksOf(entries: readonly StoredEntry[]): { seq: number; traceparent: string }[] | undefined {
  const marks = new Map<string, number>();
  for (const { seq, trace } of entries) if (trace !== undefined && !marks.has(trace)) marks.set(trace, seq);
  if (marks.size === 0) return undefined;
  return [...marks].slice(-MOST_MARKS).map(([traceparent, seq]) => ({ seq, traceparent }));
}
