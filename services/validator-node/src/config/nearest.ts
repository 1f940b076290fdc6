import { distance } from 'fastest-levenshtein';

/** The known name most like this one, when it is near enough to be what was meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const scored = known.map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate) }));
  scored.sort((a, b) => a.edits - b.edits);
  const best = scored[0];
  return best && best.edits <= Math.max(2, Math.floor(name.length / 2)) ? best.candidate : undefined;
}
