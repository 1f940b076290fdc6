import '../../../../test/browser.ts';
import { printProgram, type RuleNode, readProgram } from '@castellan/strategy';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anAddress, aVault } from '../../../../test/builders.ts';
import { allocation, aStrategy, source } from '../../../../test/strategies.ts';
import type { OpenStrategy } from '../../types.ts';
import { condition, type Draft, definitionOf, draftOf, newDraft } from '../draft.ts';
import { begin, changed } from '../draft-history.ts';
import { judge } from '../judge.ts';
import { vocabularyFor } from '../vocabulary.ts';
import { placed, withProgram, writtenOf } from './program-text.ts';

const vault = aVault({ allocation });
const vocabulary = vocabularyFor(vault);
const textOf = (draft: Draft) => printProgram(writtenOf(draft), vocabulary);
function after(draft: Draft, text: string): Draft {
  const read = readProgram(text, vocabulary);
  if (!read.ok) throw new Error(read.faults.map(({ message }) => message).join('\n'));
  return withProgram(draft, read.program, vault);
}
const ys = `ys_${source.toLowerCase()}`;
const truth = fc.constantFrom(
  'vault_free_assets > 1000000',
  `${ys}_apy > 0.05\n  and vault_tvl > 5`,
  'not (tick_hour > 6 or tick_dow < 6)',
  'idle > 0.05',
);
const { rule: rules } = fc.letrec<{ rule: RuleNode; rules: RuleNode[] }>((tie) => ({
  rules: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }),
  rule: fc.oneof(
    { maxDepth: 4 },
    fc.record({ type: fc.constant('EXPR' as const), expr: truth }),
    fc.record({ type: fc.constantFrom('AND' as const, 'OR' as const), children: tie('rules') }),
    fc.record({ type: fc.constant('NOT' as const), child: tie('rule') }),
    fc.tuple(tie('rules'), fc.nat(3)).map(([children, most]) => ({
      type: 'VOTE' as const,
      threshold: 1 + (most % children.length),
      children,
    })),
  ),
}));
const other = anAddress(0x31);
const amount = fc.constantFrom(null, '0', '1', '3000000', '123456789');
const strategies = fc
  .record({
    rules,
    conviction_config: fc.oneof(
      fc.record({ mode: fc.constant('BINARY' as const), required_ticks: fc.integer({ min: 1, max: 100 }) }),
      fc.record({
        mode: fc.constant('expr' as const),
        expr: fc.constantFrom('idle * 2', `${ys}_apy`),
        min_score: fc.constantFrom('0.5', '-1'),
        required_ticks: fc.constant(2),
      }),
    ),
    action_config: fc.record({
      action: fc.constantFrom('DEPOSIT', 'WITHDRAWAL', 'REBALANCE', 'CLAIM', 'SWAP'),
      size_expr: fc.constantFrom('vault_free_assets / 2', `${ys}_shares`),
      target_address: fc.constantFrom(source, other),
      from_address: fc.constantFrom(source, other),
      execution_name: fc.constantFrom('Deposit', 'A "b" at 0x1\\'),
      execution_address: fc.constantFrom(anAddress(0x50), anAddress(0x51)),
      objective: fc.constantFrom('BALANCED' as const, 'MIN_SLIPPAGE' as const, 'MIN_TIME' as const),
      max_slippage_bps: fc.integer({ min: 0, max: 5_000 }),
      max_duration_seconds: fc.integer({ min: 10, max: 300 }),
      execution_params: fc.constantFrom({}, { mode: 'fast', n: 1.5, is_on: true, none: null }),
    }),
    risk_params: fc.record({ max_amount: amount, min_free_assets: amount }),
    max_concurrent: fc.integer({ min: 1, max: 100 }),
    cooldown_ms: fc.constantFrom(0, 1_500, 21_600_000, 2_592_000_000),
  })
  .map(({ action_config, ...parts }) => {
    const { action, target_address } = action_config;
    const from_address = action === 'REBALANCE' || action === 'SWAP' ? action_config.from_address : null;
    const size_expr = action === 'CLAIM' ? `merkl_${target_address.toLowerCase()}_amount` : action_config.size_expr;
    const indicators = [{ alias: 'idle', expr: 'vault_free_assets / vault_tvl' }];
    return aStrategy({
      ...parts,
      indicators,
      action_config: { ...action_config, size_expr, from_address },
    }) as OpenStrategy;
  });

test('behavior: the text of any strategy makes the same definition out of any draft', () => {
  const begun = draftOf(aStrategy() as OpenStrategy, vocabulary);
  fc.assert(
    fc.property(strategies, (strategy) => {
      const draft = draftOf(strategy, vocabulary);
      const text = textOf(draft);
      expect(definitionOf(after(begun, text), vocabulary)).toEqual(definitionOf(draft, vocabulary));
      // Of its own draft it changes nothing, not even the keys of its rows.
      expect(after(draft, text)).toEqual(draft);
    }),
    { seed: 2026, numRuns: 150 },
  );
});

test('behavior: a draft in which nothing is written yet has a text, and nothing of it is lost', () => {
  for (const lane of ['DEPOSIT', 'WITHDRAWAL', 'REBALANCE'] as const) {
    const draft = newDraft(lane);
    expect(after(draft, textOf(draft))).toEqual(draft);
  }
});

test('behavior: letters typed in one place of the text are one step', () => {
  const draft = draftOf(aStrategy() as OpenStrategy, vocabulary);
  const typed = ['12 USDC', '123 USDC'].map((size) =>
    after(draft, textOf(draft).replace(/DEPOSIT .*/, `DEPOSIT ${size}`)),
  );
  const [first = draft, second = draft] = typed;
  expect(changed(changed(begin(draft), first), second).past).toEqual([draft]);
});

test('behavior: faults of the page stand in the text, where space before an expression is not', () => {
  const draft: Draft = {
    ...draftOf(aStrategy() as OpenStrategy, vocabulary),
    rule: { ...condition(), type: 'OR', children: [condition('true'), condition(' \n vault_tvl >\r\n vault_tlv')] },
  };
  const text = textOf(draft);
  const definition = definitionOf(draft, vocabulary);
  const { faults } = judge(definition, { sources: [source.toLowerCase()], vocabulary }, undefined);
  const read = readProgram(text, vocabulary);
  if (!read.ok) throw new Error('not read');
  const [found, ...more] = placed([...faults, { path: 'name', message: 'Give it a name.' }], read.places, definition);
  expect(more).toEqual([]);
  expect(found?.position).toMatchObject({ line: 4, column: 8 });
  expect(text.slice(found?.position.offset).slice(0, found?.position.length)).toBe('vault_tlv');
});
