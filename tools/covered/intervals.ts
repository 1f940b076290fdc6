/** Stretches of code by offset, ordered and apart: start, end, start, end, ... */
export type Intervals = readonly number[];

/** What V8's profiler says of one function of a script: its own range first, then blocks inside of it that differ. */
export type FunctionCoverage = {
  ranges: readonly { startOffset: number; endOffset: number; count: number }[];
};

/** The code of a script that did not run. Of ranges inside of each other the innermost decides. */
export function notRun(functions: readonly FunctionCoverage[]): Intervals {
  const ranges = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset < endOffset)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const found: number[] = [];
  const open: { endOffset: number; count: number }[] = [];
  let at = 0;
  const advanceTo = (offset: number) => {
    if (offset <= at) return;
    if (open.at(-1)?.count === 0) {
      if (found.at(-1) === at) found[found.length - 1] = offset;
      else found.push(at, offset);
    }
    at = offset;
  };
  const closeUntil = (offset: number) => {
    for (let inner = open.at(-1); inner && inner.endOffset <= offset; inner = open.at(-1)) {
      advanceTo(inner.endOffset);
      open.pop();
    }
  };
  for (const { startOffset, endOffset, count } of ranges) {
    closeUntil(startOffset);
    advanceTo(startOffset);
    open.push({ endOffset, count });
  }
  closeUntil(Number.POSITIVE_INFINITY);
  return found;
}

/** What is in both: the code that ran neither here nor there. */
export function common(left: Intervals, right: Intervals): Intervals {
  const found: number[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    const leftEnd = left[l + 1] ?? 0;
    const rightEnd = right[r + 1] ?? 0;
    const start = Math.max(left[l] ?? 0, right[r] ?? 0);
    const end = Math.min(leftEnd, rightEnd);
    if (start < end) found.push(start, end);
    if (leftEnd < rightEnd) l += 2;
    else r += 2;
  }
  return found;
}

export function contains(intervals: Intervals, offset: number): boolean {
  for (let at = 0; at < intervals.length; at += 2) {
    if (offset < (intervals[at] ?? 0)) return false;
    if (offset < (intervals[at + 1] ?? 0)) return true;
  }
  return false;
}
