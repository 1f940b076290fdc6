import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  check,
  compileRule,
  type Findings,
  functions,
  noAliases,
  parse,
  type RuleNode,
  rewardFields,
  sourceFields,
  tokenFields,
  unitWords,
  vaultVariables,
  vocabularyOf,
} from '../src/index.ts';

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
    expect([blocks('strategy').length, blocks('rule').length]).toEqual([10, 1]);
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
