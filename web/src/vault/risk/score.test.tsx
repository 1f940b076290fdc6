import '../../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { formatLoss } from '../../format/figures.ts';
import { weighingMost } from './score.tsx';

type Answer = Parameters<typeof weighingMost>[0];
const part = (name: string, score: number | null) => ({
  name,
  score,
  value: 1,
  unit: 'fraction',
  weight: 0.1,
  formula: '',
});
const answer = (more: Partial<Answer>): Answer =>
  ({
    score: 40,
    floors: [{ name: 'single key', floor: 40, reason: 'One key decides on its own.' }],
    components: [part('concentration', 0.375), part('drawdown', 0), part('volatility', null)],
    top_contributors: ['concentration', 'drawdown', 'volatility'],
    ...more,
  }) as Answer;

test('default: the danger whose floor makes the score comes first, and what adds nothing is left out', () => {
  expect(weighingMost(answer({}))).toEqual(['Single key, which sets the floor of 40', 'Concentration']);
});

test('behavior: a floor below the score is not what makes it', () => {
  expect(weighingMost(answer({ score: 52 }))).toEqual(['Concentration']);
  expect(weighingMost(answer({ score: null, floors: [] }))).toEqual(['Concentration']);
});

test('behavior: a loss is shown as the return that it is, nothing as 0.00%', () => {
  expect(formatLoss(0.012)).toBe('−1.20%');
  expect(formatLoss(-0.0003)).toBe('+0.03%');
  expect(formatLoss(0)).toBe('0.00%');
  expect(formatLoss(-0)).toBe('0.00%');
});
