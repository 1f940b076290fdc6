import { expect, test } from '@jest/globals';
import type { ContextFigure } from '../domain/figure.ts';
import { finalCheck } from './final-check.ts';

const wait = (path: string, value: number): ContextFigure => ({
  path,
  label: path,
  unit: 'seconds',
  value,
  direction: 'magnitude',
  symbol: null,
  decimals: null,
});

test('behavior: a figure that is rounded to the same as the one that was quoted is not cited for it', () => {
  const figures = [wait('redemptions.p50_seconds', 21_592), wait('cadence.p50_seconds', 21_600)];
  const given = [{ metric: 'between reports', path: 'cadence.p50_seconds', value: 21_600 }];
  const { citations, ungrounded_figures } = finalCheck('Reports come every 6 hours.', given, {
    figures,
    identifiers: new Set(),
  });
  expect(citations.map(({ path }) => path)).toEqual(['cadence.p50_seconds']);
  expect(ungrounded_figures).toEqual([]);
});
