import type { ContextFigure } from '../../domain/figure.ts';
import { groundingOf } from '../../domain/grounding.ts';
import { markUngrounded } from '../../domain/mark-ungrounded.ts';
import { beginsNumber, numeralsOf, plainDigits } from '../../domain/numerals.ts';
import { beginsForeignNumber, isSuspect, markSuspect } from '../../domain/suspect.ts';
import { endsRepeated, repeatsPrompt, shown, unnumbered } from './outgoing.ts';
import { type Named, render } from './placeholders.ts';

/** What a text may quote; grows with each tool that answers. */
export type Ground = { named: Named; figures: readonly ContextFigure[]; identifiers: ReadonlySet<string> };

/** A sentence without an end is sent in parts of this length, so that nothing can hold an answer back for ever. */
const longestHeld = 1_200;
/** Text before a sentence that is read with it: the words that turn a sign, or a number that goes on behind its line. */
const lookBack = 160;
const sentenceEnd = /[.!?][)"'”’*_]*(?=\s)|\n/;
/** A word that may be or begin a figure, a link or markup: from it on, a sentence waits for its end. */
const suspicious = /[\p{N}{}$€£¥%[\]<>:&*_~`\\@]|\/\/|\w\.\w|^\W*$|www/u;
const numberWord =
  /^\W*(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozens?|hundreds?|thousands?|millions?|billions?|trillions?|couple)\b/i;
const roman = /^[IVXLCDM]{2,}/;

const mustWait = (word: string): boolean =>
  suspicious.test(word) ||
  numberWord.test(word) ||
  roman.test(word) ||
  !/^\p{ASCII}*$/u.test(word) ||
  numeralsOf(word).length > 0 ||
  isSuspect(word);

/** Units that make a number of the word before them, or a part of such a unit. */
const unit = /%|per|cent|pct|bps|basis|point/i;
const longestUnit = 12;

/** True when `piece` is, or goes on with, a number that begins before it. */
const endsNumber = (sent: string, piece: string): boolean => {
  if (!unit.test(sent.slice(-longestUnit) + piece)) return false;
  const before = sent.slice(-lookBack);
  return numeralsOf(before + piece).some(({ index, text }) => index + text.length > before.length);
};

/** What of a word has come, when its end is not known yet. */
const beginning = /^\s*[A-Za-z]+$/;

/** Lines of one paragraph are shown as one. */
const asOneLine = (text: string): string => text.replaceAll(/(?<!\n)\n(?![\n\s*-])/g, ' ');

/** Marks what of `text` cannot be traced, read behind what was sent before it. */
function traced(text: string, sent: string, { figures, identifiers }: Ground): string {
  const before = asOneLine(sent.slice(-lookBack));
  const plainBefore = plainDigits(before);
  const plain = plainDigits(text);
  const { ungrounded } = groundingOf(plainBefore + asOneLine(plain), figures, identifiers);
  const own = ungrounded.flatMap((each) => {
    const at = (plainBefore + asOneLine(plain)).indexOf(each.figure, each.index) - plainBefore.length;
    if (at >= 0) return [{ ...each, index: at, figure: plain.slice(at, at + each.figure.length) }];
    // Its first words are sent already: the rest of it is marked.
    const left = plain.slice(0, Math.max(0, at + each.figure.length));
    return left.trim() === '' ? [] : [{ ...each, figure: left.trim(), index: 0 }];
  });
  return markUngrounded(text, own);
}

/**
 * Lets a model's text through as it comes, and nothing of it that could not be traced without its mark: plain words at once, a
 * sentence with a figure when it is complete.
 * @param ground - Asked for each sentence, since tools bring figures while an answer is written.
 * @param signal - Once aborted nothing more is sent, and the text is what was.
 */
export function checkedStream(ground: () => Ground, send: (text: string) => void, signal: AbortSignal) {
  let pending = '';
  let sent = '';
  /** Letters at the end of what was sent whose word has not ended. */
  let open = '';
  const used = new Map<string, ContextFigure>();

  const say = (text: string) => {
    if (text === '' || signal.aborted) return;
    sent += text;
    send(text);
  };

  /** Checks the rest of a sentence in the light of what was sent before it, and with a word that was sent in part. */
  const finish = (rest: string) => {
    const before = sent.slice(0, sent.length - open.length);
    const raw = open + rest;
    const isAtLineStart = before === '' || before.endsWith('\n');
    const { text, used: figures } = render(raw, ground().named);
    const cleaned = markSuspect(shown(isAtLineStart ? unnumbered(text) : text, ground().identifiers));
    const isRepeated = repeatsPrompt(before.slice(-400) + cleaned);
    const checked = isRepeated ? `[removed]${raw.endsWith('\n') ? '\n' : ' '}` : traced(cleaned, before, ground());
    if (!isRepeated) for (const figure of figures) used.set(figure.path, figure);
    // Where the word turned out to be what must not be shown, all of it follows as it may be.
    say(checked.startsWith(open) ? checked.slice(open.length) : checked);
    open = '';
  };

  /** Words in front that can be no part of a figure go out while the sentence is written. */
  const letWordsThrough = () => {
    for (;;) {
      if (/^\s/.test(pending)) open = '';
      const word = /^\s*\S+\s+/.exec(pending)?.[0];
      if (word === undefined) return letBeginningThrough();
      if (mustWait((open + word).trim()) || endsNumber(sent, word) || endsRepeated(sent, word)) return;
      pending = pending.slice(word.length);
      open = '';
      say(word);
    }
  };

  /** Models send a word with the space before it: that it has ended is known with the next, which nobody waits for. */
  const letBeginningThrough = () => {
    if (!beginning.test(pending)) return;
    const word = open + pending.trimStart();
    if (mustWait(word) || beginsNumber(word) || beginsForeignNumber(word)) return;
    if (endsNumber(sent, pending) || endsRepeated(sent, pending)) return;
    open = word;
    say(pending);
    pending = '';
  };

  /** Where the first sentence ends that is complete; -1 while none is. */
  const cut = (): number => {
    const match = sentenceEnd.exec(pending);
    if (match) {
      const sentence = pending.slice(0, match.index + match[0].length);
      if (sentence.lastIndexOf('{{') <= sentence.lastIndexOf('}}')) return sentence.length;
    }
    if (pending.length <= longestHeld) return -1;
    const space = pending.lastIndexOf(' ', longestHeld);
    return space > 0 ? space : longestHeld;
  };

  return {
    push(text: string) {
      pending += text;
      for (let end = cut(); end >= 0; end = cut()) {
        const sentence = pending.slice(0, end);
        pending = pending.slice(end);
        finish(sentence);
      }
      letWordsThrough();
    },
    /** The end of the text: what still waits is checked and sent. */
    flush() {
      if (pending !== '') finish(pending);
      pending = '';
      open = '';
    },
    text: () => sent,
    used: () => [...used.values()],
  };
}
