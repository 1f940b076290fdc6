import type { Ungrounded } from './grounding.ts';
import { plainDigits } from './numerals.ts';

/** The text with each figure that could not be traced marked as such; untouched without one. */
export function markUngrounded(text: string, ungrounded: readonly Ungrounded[]): string {
  if (ungrounded.length === 0) return text;
  const plain = plainDigits(text);
  let marked = '';
  let done = 0;
  for (const { figure, index } of [...ungrounded].sort((a, b) => a.index - b.index)) {
    const end = index + figure.length;
    if (index < done && end > done && plain.startsWith(figure, index)) {
      // Two of them share a word: of the second, what is left.
      marked += plain.slice(done, end).replace(/\S.*/s, '[unverified: $&]');
      done = end;
      continue;
    }
    const at = plain.indexOf(figure, Math.max(index, done));
    if (at < 0) continue;
    // A text that was marked while it was written is marked once.
    if (plain.slice(done, at).endsWith('[unverified: ')) continue;
    marked += `${plain.slice(done, at)}[unverified: ${figure}]`;
    done = at + figure.length;
  }
  return marked + plain.slice(done);
}
