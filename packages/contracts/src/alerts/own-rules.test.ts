import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { routes } from '../all-routes.ts';
import { alertMetricNames, alertMetrics, type Metric } from './metrics.ts';
import { OwnRule, OwnRuleDefinition } from './own-rules.ts';
import { AlertSettings, BacktestAlertRule, SetAlertRule } from './rules.ts';

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

  test('behavior: pictures of several emoji are one, as people type them', () => {
    const title = '\u{1f469}\u{1f3fd}\u{200d}\u{1f680} and \u{2764}\u{fe0f}\u{200d}\u{1f525}';
    expect(OwnRuleDefinition.parse({ ...few, title })).toMatchObject({ title });
  });

  test.each([
    'a\u{200d}b',
    '\u{200d}\u{1f525}',
    '\u{1f525}\u{200d}',
    '\u{1f525}\u{200d}\u{200d}\u{1f525}',
    '\u{1f525}\u{200d}a',
  ])('error: a joiner that joins no pictures is refused: %j', (title) => {
    expect(faultsOf({ title })).toEqual([expect.stringContaining('invisible characters')]);
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

describe('the owner of a rule of the catalogue', () => {
  const vault = { chain_id: 31_337, vault_address: `0x${'ab'.repeat(20)}`, rule_id: 'low_gas' };
  const body = (owner: string) => ({ chain_id: vault.chain_id, vault_address: vault.vault_address, version: 0, owner });
  const accepted = (owner: string) => [
    SetAlertRule.params.safeParse({ ...vault, version: 0, owner }).success,
    BacktestAlertRule.params.safeParse({ ...vault, settings: { owner } }).success,
    routes.setAlertRule.body.safeParse(body(owner)).success,
  ];

  test('default: a line', () => {
    expect(accepted('Night desk')).toEqual([true, true, true]);
    expect(routes.setAlertRule.body.parse(body(' Desk '))).toMatchObject({ owner: 'Desk' });
  });

  test.each(['Desk\nnobody', 'Desk\u0007', 'Desk \u202ekseD', '\u200b', ' '])('error: %j is refused', (owner) => {
    expect(accepted(owner)).toEqual([false, false, false]);
  });

  test('behavior: one that was stored before is still shown', () => {
    expect(AlertSettings.shape.owner.parse('Desk\nnobody')).toBe('Desk\nnobody');
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
