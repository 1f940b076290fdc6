import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { routes } from '../all-routes.ts';
import { alertMetricNames, alertMetrics, type Metric } from './metrics.ts';
import { OwnRule, OwnRuleDefinition } from './own-rules.ts';

const few = { title: 'Few depositors', metric: 'depositors', comparison: 'below', threshold: 10, severity: 'info' };
const faultsOf = (given: object) =>
  OwnRuleDefinition.safeParse({ ...few, ...given }).error?.issues.map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );

describe('an own rule', () => {
  test('default: what is left out has the values of other rules', () => {
    expect(OwnRuleDefinition.parse({ ...few, title: '  Few depositors ' })).toEqual({
      ...few,
      text: '',
      within_seconds: null,
      enabled: true,
      for_seconds: 0,
      clear_seconds: 300,
      owner: 'Primary manager',
      channels: null,
    });
  });

  test('behavior: one that was stored before its words were refused is still shown', () => {
    const words = OwnRule.pick({ title: true, text: true, owner: true });
    const stored = { title: '\u200b', text: 'Call \u202ethem', owner: 'Desk\nnobody' };
    expect(words.parse(stored)).toEqual(stored);
  });

  test.each([
    [{ threshold: '10' }, 'threshold: must be a number'],
    [{ metric: 'tvl_asset' }, 'threshold: must be a decimal string of base units of the asset'],
    [{ comparison: 'changes' }, 'within_seconds: is needed to say within how long it changes'],
    [{ within_seconds: 60 }, 'within_seconds: belongs to the comparison "changes" alone'],
    [
      { comparison: 'changes', within_seconds: 60, threshold: -1 },
      'threshold: must not be negative: a change counts in either direction',
    ],
    [{ title: 'Few\ndepositors' }, 'title: must be one line without control, text-direction or invisible characters'],
    [{ text: 'Call \u202ethem' }, 'text: must be one line without control, text-direction or invisible characters'],
    [{ title: '\u200b' }, 'title: must be one line without control, text-direction or invisible characters'],
    [{ owner: 'Desk\nnobody' }, 'owner: must be one line without control, text-direction or invisible characters'],
    [{ owner: 'Desk \u202ekseD' }, 'owner: must be one line without control, text-direction or invisible characters'],
    [{ owner: ' ' }, expect.stringContaining('owner: ')],
    [{ title: ' ' }, expect.stringContaining('title: ')],
    [{ channels: [] }, expect.stringContaining('channels: ')],
    [{ metric: 'something' }, expect.stringContaining('metric: ')],
  ])('error: %o is refused', (given, fault) => {
    expect(faultsOf(given)).toEqual([fault]);
  });
});

test.each(alertMetricNames)('behavior: the answer that %s names has its field', (name) => {
  const { source }: Metric = alertMetrics[name];
  if ('promise' in source) return;
  const { result } = routes[source.read as keyof typeof routes];
  const found = source.field.split('.').reduce<z.ZodType | undefined>((shape, field) => {
    const plain = shape instanceof z.ZodNullable ? (shape.unwrap() as z.ZodType) : shape;
    return plain instanceof z.ZodObject ? (plain.shape[field] as z.ZodType | undefined) : undefined;
  }, result as z.ZodType);
  expect(found).toBeDefined();
});
