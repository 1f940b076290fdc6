import { visible } from '../../domain/fence.ts';
import { analysisPrompt, answerPrompt } from './system-prompt.ts';

/** What may be shown of a model's text, beyond its numbers: those are traced elsewhere. What is taken out is told. */

/** A renderer may turn these into something that is fetched or opened; a text of ours needs none of them. */
const elsewhere =
  /(?:\b(?:https?|ftp|wss?|file|ipfs|blob)\s*:\s*\/\/|\b(?:javascript|data|vbscript|mailto|tel)\s*:\s*(?=\S)|(?<![\w/:])\/\/(?=[\w[])|\bwww\.)[^\s)>\]"']*/gi;
const images = /!\[[^\]]*\]\([^)]*\)?/g;
const markup = /<\/?[a-z!?][^>]*>?|&#?\w+;/gi;
const link = /\[([^\]]*)\]\(([^)]*)\)(?=(.?))/gsu;
const reference = /^[ \t]*\[[^\]]+\]:/gm;
const review = /^\/operate\/review\/[\w-]+$/;

/** Links are words, but for one to the review of a call. */
const unlinked = (text: string): string =>
  text
    .replaceAll(link, (all, label: string, target: string, next: string) =>
      review.test(target.trim()) ? `${all}${/[\p{L}\p{N}]/u.test(next) ? ' ' : ''}` : label,
    )
    .replaceAll('][', '] [')
    .replaceAll(/\]\((?!\/operate\/review\/[\w-]+\))[^)]*\)?/g, '] ');

/** `**42** %` is shown as 42 %, so emphasis is left out; the star of a list stays. */
const unemphasised = (text: string): string =>
  text
    .replaceAll(/(?<!^[ \t]*)[*]+|(?<=^[ \t]*)[*]+(?!\s)|[~`\\]+/gm, '')
    .replaceAll(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '');

/** Taking one thing out can put another together: emphasis goes first, what is rendered last. */
export const shown = (text: string): string =>
  unlinked(unemphasised(visible(text)).replaceAll(images, '[removed]'))
    .replaceAll(markup, '[removed]')
    .replaceAll(reference, '[removed]')
    .replaceAll(elsewhere, '[link removed]');

/** The number of an item is no figure; a dash says the same. */
export const unnumbered = (text: string): string => text.replaceAll(/^([ \t]*)\d{1,3}[.)](?=\s|$)/gm, '$1-');

const teens = 'elf|zwölf|[a-zäöü]+zehn|onze|douze|treize|quatorze|quinze|seize|dodici|tredici|doce|trece|catorce|dieci';
const tens = [
  '[a-zäöü]*(?:zwanzig|dreißig|dreissig|vierzig|fünfzig|fuenfzig|sechzig|siebzig|achtzig|neunzig)',
  'vingts?|trente|quarante|cinquante|soixante|quatre-vingts?(?:-[a-z-]+)?',
  'veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa',
  'venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta|vinte|trinta|quarenta|cinquenta|sessenta|oitenta',
  'twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig',
];
const large =
  '[a-zäöü]*(?:hundert|tausend)|millionen?|milliarden?|milliards?|cien|ciento|cientos|mille|mila|miles|millones';
const ratios =
  '\\w+fold|quadrupl\\w+|quintupl\\w+|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand)ths|couple of|hälfte|moitié|mitad|doppelt|verdoppelt';
const roman = '[IVXLCDM]{2,}(?=\\s*(?:%|percent|per cent|pct|bps|basis|dollars|USD|times|x\\b))';
const otherWords = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[teens, ...tens, large, ratios].join('|')})(?![\\p{L}\\p{N}])`,
  'giu',
);
const romanNumber = new RegExp(`(?<![\\p{L}\\p{N}])${roman}`, 'gu');
/** Texts are English: what is written in another script cannot be read for numbers, and nobody asked for it. */
const otherScript =
  /(?=[\p{L}\p{No}\p{Nl}])(?!\p{Script=Latin}|µ|ª|º)[\p{L}\p{M}\p{No}\p{Nl}](?:[\p{L}\p{M}\p{No}\p{Nl} ]*[\p{M}\p{No}\p{Nl}\p{L}])?/gu;

/** Marks what may say a number in a way that is not read as one: other languages and scripts, Roman numbers, `tenfold`. */
export const markSuspect = (text: string): string => {
  const mark = (found: string) => `[unverified: ${found}]`;
  return text.replaceAll(otherScript, mark).replaceAll(otherWords, mark).replaceAll(romanNumber, mark);
};
export const isSuspect = (text: string): boolean => markSuspect(text) !== text;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
/** Long enough that nobody writes the same by chance. */
const run = 8;
const runsOf = (words: readonly string[]): string[] =>
  words.slice(0, Math.max(0, words.length - run + 1)).map((_, at) => words.slice(at, at + run).join(' '));
const prompts = [answerPrompt, analysisPrompt].map(wordsOf);
const ownRuns = new Set(prompts.flatMap(runsOf));
const ownWords = new Set(prompts.flat());

/** True when a text repeats what the model was told first. */
export const repeatsPrompt = (text: string): boolean => runsOf(wordsOf(text)).some((each) => ownRuns.has(each));

/** True when `word`, behind a text that was looked at, ends such a repetition. */
export const endsRepeated = (told: string, word: string): boolean =>
  ownWords.has(wordsOf(told.slice(-longestWord) + word).at(-1) ?? '') && repeatsPrompt(told.slice(-400) + word);
const longestWord = Math.max(...[...ownWords].map(({ length }) => length));
