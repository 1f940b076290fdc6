import { visible } from '../../domain/quote-untrusted.ts';
import { analysisPrompt, answerPrompt } from './system-prompt.ts';

/** What may be shown of a model's text, beyond its numbers: those are traced elsewhere. Removed text leaves a mark. */

/** A renderer may turn these into something that is fetched or opened; a text of ours needs none of them. */
const elsewhere =
  /(?:\b(?:https?|ftp|wss?|file|ipfs|blob)\s*:\s*\/\/|\b(?:javascript|data|vbscript|mailto|tel)\s*:\s*(?=\S)|(?<![\w/:])\/\/(?=[\w[])|\bwww\.)[^\s)>\]"']*/gi;
/** Mail addresses and hosts without a scheme: some renderers make links of them, and a reader does. */
const bare =
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.])(?:[\w-]+\.)+(?:com|org|net|io|xyz|app|dev|finance|fi|link|me|co|ai|eth|example|info|site|online|top)\b(?:[/:?#][^\s)>\]"']*)?/gi;
const images = /!\[[^\]]*\](?:\([^)]*\)?|\[[^\]]*\])?/g;
const markup = /<\/?[a-z!?][^>]*>?|&#?\w+;/gi;
const link = /\[([^\]]*)\]\(([^)]*)\)(?=(.?))/gsu;
const reference = /^[ \t]*\[[^\]]+\]:/gm;
/** A unit in the head of a column is not read with the number below it. */
const tableRow = /^[ \t]*(?:\|.*|.*\|.*\|.*|:?-{2,}:?(?:[ \t]*\|[ \t]*:?-{2,}:?)+)$/gm;
const review = /^\/operate\/review\/([\w-]+)$/;

/** Links are words, but for one to the review of a call that a tool prepared. */
const unlinked = (text: string, prepared: ReadonlySet<string>): string => {
  const isReview = (target: string) => prepared.has(review.exec(target.trim())?.[1] ?? '');
  return text
    .replaceAll(link, (all, label: string, target: string, next: string) =>
      isReview(target) ? `${all}${/[\p{L}\p{N}]/u.test(next) ? ' ' : ''}` : label,
    )
    .replaceAll('][', '] [')
    .replaceAll(/\]\(([^)]*)\)?/g, (all, target: string) => (isReview(target) ? all : '] '));
};

/** `**42** %` is shown as 42 %, so emphasis is left out; the star of a list stays. */
const unemphasised = (text: string): string =>
  text
    .replaceAll(/(?<!^[ \t]*)[*]+|(?<=^[ \t]*)[*]+(?!\s)|[~`\\]+/gm, '')
    .replaceAll(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '');

/**
 * Taking one thing out can put another together: emphasis goes first, what is rendered last.
 * @param prepared - Ids of calls that may be linked to.
 */
export const shown = (text: string, prepared: ReadonlySet<string> = new Set()): string =>
  unlinked(unemphasised(visible(text)).replaceAll(images, '[removed]'), prepared)
    .replaceAll(tableRow, '[removed]')
    .replaceAll(markup, '[removed]')
    .replaceAll(reference, '[removed]')
    .replaceAll(elsewhere, '[link removed]')
    .replaceAll(bare, '[link removed]');

/** The number of an item is no figure; a dash says the same. */
export const unnumbered = (text: string): string => text.replaceAll(/^([ \t]*)\d{1,3}[.)](?=\s|$)/gm, '$1-');

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
/** Long enough that nobody writes the same by chance. */
const run = 8;
const runsOf = (words: readonly string[]): string[] =>
  words.slice(0, Math.max(0, words.length - run + 1)).map((_, at) => words.slice(at, at + run).join(' '));
const prompts = [answerPrompt, analysisPrompt].map(wordsOf);
const ownRuns = new Set(prompts.flatMap(runsOf));
const ownWords = new Set(prompts.flat());

/** True when a text repeats the system prompt. */
export const repeatsPrompt = (text: string): boolean => runsOf(wordsOf(text)).some((each) => ownRuns.has(each));

/** True when `word`, behind a text that was looked at, ends such a repetition. */
export const endsRepeated = (sent: string, word: string): boolean =>
  ownWords.has(wordsOf(sent.slice(-longestWord) + word).at(-1) ?? '') && repeatsPrompt(sent.slice(-400) + word);
const longestWord = Math.max(...[...ownWords].map(({ length }) => length));
