import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Graded, grade, laterSets, questions } from '../../../test/question-set.ts';

let graded: readonly Graded[];
beforeAll(async () => {
  graded = await Promise.all(questions.map(grade));
});

const shareRight = (some: readonly Graded[]): number =>
  some.filter((one) => one.grade === 'right').length / some.length;
const named = (some: readonly Graded[]): string[] => some.map(({ ask, lead }) => `${ask} -> ${lead.slice(0, 100)}`);

describe('questions of people', () => {
  test.each(laterSets)('default: nine of ten of the $set later set are right, and none is wrong', async (later) => {
    const found = await Promise.all(later.questions.map(grade));
    expect(named(found.filter((one) => one.grade === 'wrong'))).toEqual([]);
    expect(shareRight(found)).toBeGreaterThanOrEqual(0.9);
  });

  test('default: at least nine of ten are answered rightly, or declined where they must be', () => {
    expect(questions.length).toBeGreaterThanOrEqual(200);
    expect(shareRight(graded)).toBeGreaterThanOrEqual(0.9);
    expect(shareRight(graded.filter((one) => one.held_out === true))).toBeGreaterThanOrEqual(0.9);
  });

  test('behavior: none gets the answer to another, or an answer where there is none', () => {
    expect(named(graded.filter((one) => one.grade === 'wrong'))).toEqual([]);
  });

  test('behavior: what is declined says so and offers what can be asked', () => {
    const declined = graded.filter(({ refuses }) => refuses !== undefined);
    expect(declined.length).toBeGreaterThan(30);
    for (const { ask, lead, text } of declined)
      expect([ask, lead.startsWith('I cannot answer that'), text.includes('You could also ask:')]).toEqual([
        ask,
        true,
        true,
      ]);
  });

  test('behavior: an answer is a sentence, then a table, and no list of figures', () => {
    const answered = graded.filter(({ says, lead }) => says !== undefined && !lead.startsWith('I can'));
    for (const { ask, lead, text } of answered) {
      expect([ask, /^[“\p{Lu}\d$0-].*[.)]$/su.test(lead)]).toEqual([ask, true]);
      const [body = ''] = text.split('You could also ask:');
      expect([ask, /^- .*\d/m.test(body)]).toEqual([ask, false]);
    }
    const withTable = answered.filter(({ text }) => /\n\| --- \|/.test(text));
    expect(withTable.length / answered.length).toBeGreaterThan(0.7);
  });
});
