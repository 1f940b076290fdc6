import { readFileSync } from 'node:fs';
import { answer } from '../src/analyst/rules/answer.ts';
import { tools } from '../src/tools/run-tool.ts';
import { directRights } from './direct-rights.ts';
import { aContext } from './fixtures.ts';

/**
 * A question of a person about the vault of the fixtures. `says` has to stand in the sentence that answers; `refuses` is why it must
 * not be answered. `after` is the question before it. Those that are held out were read only when the recogniser was tuned to the others.
 */
export type PersonsQuestion = {
  ask: string;
  after?: string;
  says?: string[];
  refuses?: string;
  held_out?: boolean;
};
export type Graded = PersonsQuestion & { grade: 'right' | 'declined' | 'wrong'; lead: string; text: string };

/**
 * Sets of questions written after the first, each before the rules were changed for it. `first_look` is how its questions fared when
 * they were put for the first time; what was found then was mended for all, so that a set is unseen only once.
 */
type LaterSet = {
  set: string;
  first_look: { right: number; declined: number; wrong: number };
  questions: PersonsQuestion[];
};

export const laterSets = JSON.parse(
  readFileSync(new URL('later-questions.json', import.meta.url), 'utf8'),
) as LaterSet[];

export const questions = JSON.parse(
  readFileSync(new URL('questions.json', import.meta.url), 'utf8'),
) as PersonsQuestion[];

const refusal = /^I cannot answer that/;

/** Right, declined although it could be answered, or answered wrongly as if it were right. */
export async function grade(question: PersonsQuestion): Promise<Graded> {
  const { ask, after, says } = question;
  const { signal } = new AbortController();
  const history = after === undefined ? [] : [{ role: 'user' as const, text: after }];
  const { text } = await answer(
    { context: aContext(), history, text: ask },
    { tools, rights: directRights(), signal, onEvent: () => undefined },
  );
  const [lead = ''] = text.split('\n\n');
  const isRefused = refusal.test(lead);
  const isRight = says === undefined ? isRefused : !isRefused && says.every((each) => lead.includes(each));
  return { ...question, lead, text, grade: isRight ? 'right' : isRefused ? 'declined' : 'wrong' };
}
