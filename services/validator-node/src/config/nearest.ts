/** Edits that turn one word into the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const swap = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

/** The known name most like this one, when it is near enough to be what was meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const scored = known.map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate) }));
  scored.sort((a, b) => a.edits - b.edits);
  const best = scored[0];
  return best && best.edits <= Math.max(2, Math.floor(name.length / 2)) ? best.candidate : undefined;
}
