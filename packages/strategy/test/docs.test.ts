import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  check,
  compileRule,
  compileWritten,
  dryRun,
  type Findings,
  functions,
  noAliases,
  objectives,
  parse,
  printProgram,
  type RuleNode,
  readProgram,
  rewardFields,
  type StrategyDefinition,
  sourceFields,
  tokenFields,
  unitWords,
  vaultVariables,
  vocabularyOf,
} from '../src/index.ts';
import { settings } from '../src/whole-text/written.ts';
import { ruleOf } from './written-strategies.ts';

/** The page about the language says what the language does. */

const page = readFileSync(new URL('../../../docs/strategies.md', import.meta.url), 'utf8');
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => (match[1] ?? '').trim());

const vocabulary = vocabularyOf(
  {
    asset: { symbol: 'USDC', decimals: 6 },
    share: { symbol: 'cUSDC', decimals: 6 },
    sources: [{ name: 'Morpho Prime', address: `0x${'ab'.repeat(20)}` }],
  },
  { isStrict: true },
);
/** As the editor reads. */
const scope = { aliases: noAliases, vocabulary, bareNumbers: 'refused' } as const;

describe('docs/strategies.md', () => {
  test('default: holds examples', () => {
    expect([blocks('strategy').length, blocks('rule').length, blocks('program').length]).toEqual([11, 1, 1]);
  });

  test.each(blocks('strategy'))('behavior: %s', (text) => {
    const parsed = parse(text, vocabulary);
    expect(parsed).toMatchObject({ ok: true });
    if (parsed.ok) expect(check(parsed.expr, scope)).toMatchObject({ faults: [], warnings: [] });
  });

  test.each(blocks('rule'))('behavior: a rule compiles', (text) => {
    const findings: Findings = { faults: [], warnings: [] };
    compileRule(JSON.parse(text) as RuleNode, scope, findings);
    expect(findings).toEqual({ faults: [], warnings: [] });
  });

  test.each(blocks('program'))('behavior: a whole text is read, printed as it stands, and compiles', (text) => {
    const read = readProgram(text, vocabulary);
    if (!read.ok) throw new Error(read.faults[0]?.message);
    expect(printProgram(read.program, vocabulary)).toBe(`${text}\n`);
    const { indicators, rule, action, size, target } = read.program;
    const definition: StrategyDefinition = {
      indicators,
      rules: ruleOf(rule),
      conviction_config: { mode: 'BINARY', required_ticks: 2 },
      action_config: { action, size_expr: size, target_address: target },
      risk_params: { max_amount: null, min_free_assets: null },
      max_concurrent: 1,
      cooldown_ms: 0,
    };
    const { asWritten, faults, warnings } = compileWritten(definition, { vocabulary, bareNumbers: 'refused' });
    expect([faults, warnings, asWritten && dryRun(asWritten)]).toEqual([[], [], []]);
  });

  test('behavior: names every line that a whole text may have', () => {
    const words = [
      ...Object.values(objectives),
      ...settings.map((each) => `${each.words}:`),
      'out of:',
      'least score:',
    ];
    expect(words.filter((each) => !page.includes(each))).toEqual([]);
  });

  test('behavior: names every unit', () => {
    const named = vocabulary.units.filter(({ word }) => !page.includes(`${word}\``));
    expect(named).toEqual([]);
    const counted = new Set(vaultVariables.map(({ unit }) => unitWords[unit]));
    const later = new Set([unitWords.instant_ms]);
    expect([...counted].filter((words) => !later.has(words) && !page.includes(words))).toEqual([]);
  });

  test('behavior: names every variable and every function', () => {
    const suffixes = [...sourceFields, ...rewardFields, ...tokenFields].map(({ name }) => `_${name}`);
    const times = vaultVariables.map(({ name }) => name).filter((name) => name.startsWith('tick_'));
    const plain = vaultVariables.map(({ name }) => name).filter((name) => !name.startsWith('tick_'));
    const wanted = [
      ...plain,
      ...suffixes,
      ...times.map((name) => name.slice(4)),
      ...Object.keys(functions).map((name) => `${name}(`),
    ];
    expect(wanted.filter((name) => !page.includes(name))).toEqual([]);
  });
});
