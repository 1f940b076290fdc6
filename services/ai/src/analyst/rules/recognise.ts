import type { VaultContext } from '../../context/vault-context.ts';
import { type IntentName, intents, unanswered } from './intents.ts';
import { type Outside, type ReadQuestion, readQuestion, type Window } from './question.ts';

/** What a question asks, with as much of it as changes the answer; or that it is declined, and why. */
export type Recognised =
  | {
      intent: IntentName;
      question: ReadQuestion;
    }
  | { declined: Outside | 'unknown' }
  | { declined: 'missing'; reason: string }
  | { declined: 'window'; has: readonly Window[] };

/**
 * The part of a question that the phrases found in it have to account for: of two or three words all, of four all but one. A word that is left over may turn the question into another one.
 */
const leastConfidence = 0.7;

const split = (phrase: string): string[] => phrase.split(' ');
const phrasesIn = (phrases: readonly string[], words: ReadonlySet<string>): string[][] =>
  phrases.map(split).filter((phrase) => phrase.every((word) => words.has(word)));
/** Words of the longest phrase that is asked; 0 when none is. */
const longest = (phrases: readonly string[], words: ReadonlySet<string>): number =>
  Math.max(0, ...phrasesIn(phrases, words).map(({ length }) => length));

/** The asset may be named in any question; only its price is about it. */
const optional = new Set(['symbol']);

type Scored = { score: number; confidence: number };

function scored(phrases: readonly string[], { words, unknown }: ReadQuestion): Scored {
  const explained = new Set(phrasesIn(phrases, words).flat());
  const asked = [...words].filter((word) => !optional.has(word) || explained.has(word)).length;
  return { score: longest(phrases, words), confidence: explained.size / (asked + unknown || 1) };
}

function bestOf(question: ReadQuestion): { name: IntentName; found: Scored } {
  const names = Object.keys(intents) as IntentName[];
  const all = names.map((name) => ({ name, found: scored(intents[name].phrases, question) }));
  return all.reduce((best, one) => (one.found.score > best.found.score ? one : best));
}

function windowsOf(name: IntentName): readonly Window[] | null {
  const intent: { phrases: readonly string[]; windows?: readonly Window[] } = intents[name];
  return intent.windows ?? null;
}

const isAhead = (name: IntentName): boolean => 'isAhead' in intents[name];

/** A question that has no subject of its own, only another time; or another count, which only a run has. */
function isMoreOf(intent: IntentName, { words, unknown, window, largest, hours }: ReadQuestion): boolean {
  const counts = intent === 'bankrun' && (largest !== null || hours !== null);
  const without = counts ? ['last', 'large', 'holder', 'hour'] : ['last'];
  return unknown === 0 && (window !== null || counts) && [...words].every((word) => without.includes(word));
}

function atWindow(intent: IntentName, question: ReadQuestion): Recognised {
  const has = windowsOf(intent);
  if (question.window === 'today')
    return atWindow(intent, { ...question, window: has?.includes('h24') ? 'h24' : 'current' });
  if (question.window === null || has?.includes(question.window)) return { intent, question };
  // What has no time of its own is asked "this week" as well, meaning now; a time that nothing is given for is never taken so.
  if (has === null && question.window !== 'other') return { intent, question };
  return { declined: 'window', has: has ?? [] };
}

/**
 * What a question asks. It is declined where what it asks is outside of what figures say, where too little of it is understood,
 * and where the figure is not given over the time it names.
 * @param earlier - Questions before it in the same conversation, oldest first.
 */
export function recognise(text: string, context: VaultContext, earlier: readonly string[] = []): Recognised {
  const question = readQuestion(text, context);
  const { name, found } = bestOf(question);
  const { outside } = question;
  if (outside !== null && !(outside === 'future' && found.score > 0 && isAhead(name))) return { declined: outside };
  const before = earlier.at(-1);
  const same = before === undefined ? null : recognise(before, context, earlier.slice(0, -1));
  if (same !== null && 'intent' in same && isMoreOf(same.intent, question))
    return atWindow(same.intent, { ...question, source: same.question.source, words: same.question.words });
  const missing = unanswered.find(
    ({ phrases }) => longest(phrases, question.words) >= found.score && longest(phrases, question.words) > 0,
  );
  if (missing) return { declined: 'missing', reason: missing.reason };
  if (found.score === 0 || found.confidence < leastConfidence) return { declined: 'unknown' };
  return atWindow(name, question);
}
