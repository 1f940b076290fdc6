import type { VaultContext } from '../../context/vault-context.ts';
import type { Outside } from './decline-reason.ts';
import type { Intent } from './intent.ts';
import { type IntentName, intents } from './intents.ts';
import { type ReadQuestion, readQuestion, type Window } from './question.ts';
import { unanswered } from './unanswered.ts';

/** What a question asks, with as much of it as changes the answer. */
export type Understood = { intent: IntentName; question: ReadQuestion };
/** What a question asks; or that it is declined, and why. */
export type Recognised =
  | Understood
  | { declined: Outside | 'unknown' | 'elsewhere' }
  | { declined: 'missing'; reason: string }
  | { declined: 'window'; has: readonly Window[] };

const phrasesIn = (phrases: readonly string[], words: ReadonlySet<string>): string[][] =>
  phrases.map((phrase) => phrase.split(' ')).filter((phrase) => phrase.every((word) => words.has(word)));
/** Words of the longest phrase that is asked; 0 when none is. */
const longest = (phrases: readonly string[], words: ReadonlySet<string>): number =>
  Math.max(0, ...phrasesIn(phrases, words).map(({ length }) => length));

/**
 * Words that change no question which has a subject of its own: the asset, "high", "so far", and verbs that go with any subject, as
 * in "do depositors pay a fee". Where they are the subject, a phrase has them.
 */
const optional = new Set([
  'symbol',
  'level',
  'sofar',
  'own',
  'happen',
  'coverage',
  'taken',
  'share',
  'money',
  'summary',
  'speed',
  'accepted',
]);

const intentOf = (name: IntentName): Intent => intents[name];

type Fit = { name: IntentName; score: number; beside: number };

/**
 * How an intent fits a question; null unless it accounts for every word of it. A word that is left over may turn the question into
 * another one, and an answer to another question is worse than none.
 */
function fitOf(name: IntentName, { words }: Pick<ReadQuestion, 'words'>): Fit | null {
  const { phrases, beside } = intentOf(name);
  const found = phrasesIn(phrases, words);
  if (found.length === 0) return null;
  const explained = new Set(found.flat());
  const others = [...words].filter((word) => !explained.has(word) && !optional.has(word));
  if (!others.every((word) => beside.has(word))) return null;
  return { name, score: Math.max(...found.map(({ length }) => length)), beside: others.length };
}

/** The intent that leaves fewest words beside its phrases; of those, the longest phrase, then the first of the table. */
function bestOf(question: Pick<ReadQuestion, 'words'>): Fit | null {
  const fits = (Object.keys(intents) as IntentName[])
    .map((name) => fitOf(name, question))
    .filter((fit) => fit !== null);
  const better = (best: Fit, one: Fit): boolean =>
    one.beside < best.beside || (one.beside === best.beside && one.score > best.score);
  return fits.reduce<Fit | null>((best, one) => (best === null || better(best, one) ? one : best), null);
}

function atWindow(intent: IntentName, question: ReadQuestion): Recognised {
  const { windows: has } = intentOf(intent);
  if (question.window === 'today') {
    const window = has?.includes('h24') ? 'h24' : 'current';
    return atWindow(intent, { ...question, window, windows: [window] });
  }
  const wanted = question.windows;
  // What is only given over a time is given over its usual one, and says so.
  if (wanted.length === 1 && wanted[0] === 'current' && has?.includes('current') === false)
    return { intent, question: { ...question, window: null, windows: [] } };
  if (wanted.every((window) => has?.includes(window))) return { intent, question };
  // What has no time of its own is asked "this week" as well, meaning now; a time that nothing is given for is never taken so.
  if (has === undefined && !wanted.includes('other')) return { intent, question };
  return { declined: 'window', has: has ?? [] };
}

/** A question that has no subject of its own, only another time; or another count, which only a run has. */
function isMoreOf(intent: IntentName, { words, unknown, window, largest, hours }: ReadQuestion): boolean {
  const counts = intent === 'bankrun' && (largest !== null || hours !== null);
  const without = counts ? ['last', 'large', 'holder', 'hour'] : ['last'];
  return unknown === 0 && (window !== null || counts) && [...words].every((word) => without.includes(word));
}

/** The question before, with what this one adds to it: `and in dollars?`, `and aave?`. */
function continued(before: Understood, question: ReadQuestion): Recognised | null {
  if (!question.isMore || question.words.size === 0 || question.words.size > 2) return null;
  const words = new Set([...before.question.words, ...question.words]);
  const fit = bestOf({ words });
  if (fit === null || fit.name !== before.intent) return null;
  const isNew = question.windows.length > 0;
  return atWindow(fit.name, {
    ...question,
    words,
    source: question.source ?? before.question.source,
    windows: isNew ? question.windows : before.question.windows,
    window: isNew ? question.window : before.question.window,
  });
}

function followUp(question: ReadQuestion, context: VaultContext, earlier: readonly string[]): Recognised | null {
  const before = earlier.at(-1);
  if (before === undefined || question.unknown > 0 || question.isElsewhere) return null;
  const same = recognise(before, context, earlier.slice(0, -1));
  if (!('intent' in same)) return null;
  if (isMoreOf(same.intent, question))
    return atWindow(same.intent, { ...question, source: same.question.source, words: same.question.words });
  return continued(same, question);
}

/**
 * What a question asks. It is declined where what it asks is outside of what figures say, where not all of it is understood,
 * and where the figure is not given over the time it names.
 * @param earlier - Questions before it in the same conversation, oldest first.
 */
export function recognise(text: string, context: VaultContext, earlier: readonly string[] = []): Recognised {
  return recognised(readQuestion(text, context), context, earlier);
}

export function recognised(question: ReadQuestion, context: VaultContext, earlier: readonly string[]): Recognised {
  const { outside } = question;
  const best = question.unknown === 0 ? bestOf(question) : null;
  const fit = best !== null && question.isPast && intentOf(best.name).isPresent === true ? null : best;
  if (outside !== null && !(outside === 'future' && fit !== null && intentOf(fit.name).isAhead === true))
    return { declined: outside };
  if (question.isElsewhere) return { declined: 'elsewhere' };
  const more = followUp(question, context, earlier);
  if (more !== null) return more;
  const missing = unanswered.find(
    ({ phrases }) => longest(phrases, question.words) > 0 && longest(phrases, question.words) >= (fit?.score ?? 0),
  );
  if (missing) return { declined: 'missing', reason: missing.reason };
  return fit === null ? { declined: 'unknown' } : atWindow(fit.name, question);
}
