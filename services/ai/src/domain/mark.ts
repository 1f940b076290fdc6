import type { Ungrounded } from './grounding.ts';
import { plainDigits } from './numerals.ts';

/** The text with each figure that could not be traced marked as such; untouched without one. */
export function markUngrounded(text: string, ungrounded: readonly Ungrounded[]): string {
  if (ungrounded.length === 0) return text;
  const plain = plainDigits(text);
  let marked = '';
  let done = 0;
  for (const { figure, index } of [...ungrounded].sort((a, b) => a.index - b.index)) {
    const at = plain.indexOf(figure, Math.max(index, done));
    if (at < 0) continue;
    marked += `${plain.slice(done, at)}[unverified: ${figure}]`;
    done = at + figure.length;
  }
  return marked + plain.slice(done);
}
