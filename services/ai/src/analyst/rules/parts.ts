import type { VaultContext } from '../../context/vault-context.ts';
import { type ReadQuestion, readQuestion } from './question.ts';
import { type Recognised, recognise, recognised, type Understood } from './recognise.ts';

/** What a question asks, part by part; `rest` is why a part of it is not answered. */
export type Asked = { understood: readonly Understood[]; rest: Exclude<Recognised, Understood> | null };

const joints = /[?!;]+\s*|\.\s+|,\s+(?:and |also )?|\s+(?:and|&|\+|n|plus|also|as well as)\s+/i;
const mostParts = 3;
/** What holds for the whole of a question: a condition, two things compared, or a reason to decline that one part does not undo. */
const isOne = (text: string): boolean =>
  /^(?:if|when|suppose|assuming|given|imagine|what if)\b|\b(?:between|difference)\b/i.test(text.trim());
const whole = new Set(['rules', 'chat', 'action', 'howto', 'own', 'past', 'meaning']);
/** Intents that stand alone: what they say is not one sentence among others. */
const alone = new Set(['self', 'help', 'prepare', 'compare', 'summary', 'timeline']);

const isUnderstood = (found: Recognised): found is Understood => 'intent' in found;
type Declined = Exclude<Recognised, Understood>;
const isDeclined = (found: Recognised): found is Declined => !isUnderstood(found);

/** A part without a time of its own is about the time that the question names, where its figure is given for it. */
function withWindow(
  found: Recognised,
  part: ReadQuestion,
  question: ReadQuestion,
  again: (part: ReadQuestion) => Recognised,
) {
  if (!isUnderstood(found) || part.windows.length > 0 || question.windows.length !== 1) return found;
  const timed = again({ ...part, windows: question.windows, window: question.window });
  return isUnderstood(timed) ? timed : found;
}

function inParts(text: string, context: VaultContext, earlier: readonly string[]): Recognised[] {
  const question = readQuestion(text, context);
  const found: Recognised[] = [];
  const before = [...earlier];
  for (const said of text.split(joints)) {
    const read = readQuestion(said, context);
    const part = found.length === 0 ? read : { ...read, isMore: true };
    if (part.words.size === 0 && part.unknown === 0 && part.outside === null && !part.isElsewhere) continue;
    const again = (one: ReadQuestion) => recognised(one, context, before);
    found.push(withWindow(again(part), part, question, again));
    before.push(said);
  }
  return found;
}

/** A further question in the same sentence: "…, and how much of it is idle?". */
const further = /(?:[?;,.]|\band\b|&)\s*(?:and )?(?:how|what|who|when|why|where|which|is|are|do|does|did|can)\b/i;

/** Two questions in one text, each understood and each about something else; null for a single one. */
function severalIn(text: string, context: VaultContext, earlier: readonly string[]): Asked | null {
  if (!further.test(text) || isOne(text)) return null;
  const parts = inParts(text, context, earlier);
  const understood = parts.filter(isUnderstood);
  const subjects = new Set(understood.map(({ intent }) => intent));
  const isSeveral = parts.length > 1 && parts.length <= mostParts && understood.length === parts.length;
  return isSeveral && subjects.size === parts.length && ![...subjects].some((one) => alone.has(one))
    ? { understood, rest: null }
    : null;
}

/**
 * What a question asks, as a whole if it is understood so, else by its parts. A later part that is not understood is said not to be
 * answered; a question that begins with such a part, or of which more than half is not understood, is declined.
 */
export function askedIn(text: string, context: VaultContext, earlier: readonly string[]): Asked {
  const found = recognise(text, context, earlier);
  if (isUnderstood(found)) return severalIn(text, context, earlier) ?? { understood: [found], rest: null };
  const declined: Asked = { understood: [], rest: found };
  if (whole.has(found.declined) || isOne(text)) return declined;
  const parts = inParts(text, context, earlier);
  const understood = parts.filter(isUnderstood);
  const rest = parts.filter(isDeclined);
  const [first] = parts;
  const isBegun = first !== undefined && isUnderstood(first);
  const isEnough = isBegun && understood.length >= rest.length && parts.length > 1 && parts.length <= mostParts;
  if (!isEnough || understood.some(({ intent }) => alone.has(intent))) return declined;
  return { understood, rest: rest[0] ?? null };
}
