import '../../../../test/browser.ts';
import {
  compileRule,
  type Findings,
  MAX_RULE_DEPTH,
  MAX_RULE_NODES,
  noAliases,
  type RuleNode,
  vocabularyOf,
} from '@castellan/strategy';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aVault } from '../../../../test/builders.ts';
import { allocation } from '../../../../test/strategies.ts';
import { condition, type DraftNode, nodeOf, ruleOf } from '../draft.ts';
import { lexiconOf } from '../vocabulary.ts';
import { blockText, readBlock } from './clipboard.ts';
import {
  added,
  changedType,
  doubled,
  grouped,
  loweredVotes,
  moved,
  newGroup,
  placeAfter,
  placeOver,
  removed,
  type Step,
  shifted,
} from './edits.ts';
import { blockAt, blocksOf, countOf, resultsOf } from './tree.ts';

const vocabulary = vocabularyOf(lexiconOf(aVault({ allocation })));
const expression = fc.constantFrom(
  'vault_free_assets > 1 USDC',
  'Morpho Prime.apy > 5 %',
  'tick_hour > 6 and tick_dow < 6',
);
const { rule: anyRule } = fc.letrec<{ rule: RuleNode; rules: RuleNode[] }>((tie) => ({
  rules: fc.array(tie('rule'), { minLength: 1, maxLength: 4 }),
  rule: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ type: fc.constant('EXPR' as const), expr: expression }),
    fc.record({ type: fc.constantFrom('AND' as const, 'OR' as const), children: tie('rules') }),
    fc.record({ type: fc.constant('NOT' as const), child: tie('rule') }),
    fc.tuple(tie('rules'), fc.nat(3)).map(([children, most]) => ({
      type: 'VOTE' as const,
      threshold: 1 + (most % children.length),
      children,
    })),
  ),
}));
const seeded = { seed: 2026, numRuns: 60 };

/** What the compiler says of a rule whose conditions are written. */
function faultsOf(rule: DraftNode): string[] {
  const findings: Findings = { faults: [], warnings: [] };
  const scope = { aliases: noAliases, sources: [allocation[0]?.source_address.toLowerCase() ?? ''], vocabulary };
  compileRule(ruleOf(rule), { ...scope }, findings);
  return findings.faults.map(({ message }) => message);
}
const written = (node: DraftNode): DraftNode => ({
  ...node,
  expr: node.type === 'EXPR' && node.expr === '' ? '1 < 2' : node.expr,
  children: node.children.map(written),
});
const keysOf = (rule: DraftNode) => blocksOf(rule).map(({ node }) => node.key);
const after = (step: Step) => {
  if ('refused' in step) throw new Error(step.refused);
  return step.rule;
};
const all = (...exprs: string[]) => newGroup('AND', exprs.map(condition));
const keyOf = (rule: DraftNode, number: string) => {
  const block = blocksOf(rule).find((each) => each.number === number);
  if (block === undefined) throw new Error(`no block ${number}`);
  return block.node.key;
};
/** A rule in brackets. */
const short = ({ type, expr, threshold, children }: DraftNode): string =>
  type === 'EXPR' ? expr || '_' : `${type}${type === 'VOTE' ? threshold : ''}(${children.map(short).join(' ')})`;

/** Every step that a person can make, at any two blocks. */
const steps: readonly ((rule: DraftNode, key: number, other: number) => Step)[] = [
  (rule, key) => added(rule, placeAfter(rule, key, true), condition()),
  (rule, key) => added(rule, placeAfter(rule, key), newGroup('VOTE')),
  (rule, key) => removed(rule, key),
  (rule, key) => doubled(rule, key),
  (rule, key, other) => moved(rule, key, placeAfter(rule, other, true)),
  (rule, key, other) => moved(rule, key, placeOver(rule, other, (key % 10) / 10)?.place ?? placeAfter(rule, other)),
  (rule, key) => shifted(rule, key, key % 2 === 0 ? 1 : -1),
  (rule, key) => grouped(rule, key, 'NOT'),
  (rule, key) => grouped(rule, key, 'OR'),
  (rule, key) => changedType(rule, key, (['AND', 'OR', 'NOT', 'VOTE'] as const)[key % 4] ?? 'AND'),
];

describe('blocks and the rule', () => {
  test('behavior: any rule is the same after it was blocks, and each block is found where faults name it', () => {
    fc.assert(
      fc.property(anyRule, (rule) => {
        const draft = nodeOf(rule);
        expect(ruleOf(draft)).toEqual(rule);
        for (const { node, path } of blocksOf(draft)) {
          const named = path
            .split('.')
            .slice(1)
            .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], rule);
          expect(named).toEqual(ruleOf(node));
        }
      }),
      seeded,
    );
  });

  test('behavior: a block that is copied and pasted is the same block', () => {
    fc.assert(
      fc.property(anyRule, (rule) => {
        const pasted = readBlock(blockText(nodeOf(rule)), vocabulary);
        expect(pasted && ruleOf(pasted)).toEqual(rule);
      }),
      seeded,
    );
  });

  test('behavior: whatever is done to a rule, the compiler reads what comes of it once its conditions are written', () => {
    const walk = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 25 });
    fc.assert(
      fc.property(anyRule, walk, (begun, turns) => {
        let rule = nodeOf(begun);
        fc.pre(faultsOf(rule).length === 0);
        for (const [which, first, second] of turns) {
          const keys = keysOf(rule);
          const key = keys[first % keys.length] ?? 0;
          const other = keys[second % keys.length] ?? 0;
          const step = steps[which % steps.length]?.(rule, key, other);
          if (step === undefined || 'refused' in step) continue;
          rule = step.rule;
          expect(faultsOf(written(rule))).toEqual([]);
          expect(keysOf(rule)).toContain(step.at);
          expect(new Set(keysOf(rule)).size).toBe(countOf(rule));
        }
      }),
      seeded,
    );
  });

  test('behavior: a block that moves loses nothing of the rule', () => {
    fc.assert(
      fc.property(anyRule, fc.nat(), fc.nat(), fc.integer({ min: 0, max: 10 }), (begun, from, to, share) => {
        const rule = nodeOf(begun);
        const keys = keysOf(rule);
        const place = placeOver(rule, keys[to % keys.length] ?? 0, share / 10)?.place;
        const step = place && moved(rule, keys[from % keys.length] ?? 0, place);
        if (step === undefined || 'refused' in step) return;
        expect(keysOf(step.rule)).toEqual(expect.arrayContaining(keys));
      }),
      seeded,
    );
  });

  test('behavior: a vote whose block is shifted stays the same vote', () => {
    fc.assert(
      fc.property(anyRule, fc.nat(), fc.constantFrom(-1 as const, 1 as const), (begun, which, by) => {
        const rule = nodeOf(begun);
        const keys = keysOf(rule);
        const step = after(shifted(rule, keys[which % keys.length] ?? 0, by));
        const groupsOf = (of: DraftNode) =>
          Object.fromEntries(
            blocksOf(of).map(({ node }) => [
              node.key,
              { ...node, children: node.children.map(({ key }) => key).toSorted((left, right) => left - right) },
            ]),
          );
        expect(groupsOf(step)).toEqual(groupsOf(rule));
        expect(loweredVotes(rule, step)).toBeUndefined();
      }),
      seeded,
    );
  });

  test('behavior: a block that moves elsewhere leaves each vote as it was, but that one which has too few left', () => {
    fc.assert(
      fc.property(anyRule, fc.nat(), fc.nat(), (begun, from, to) => {
        const rule = nodeOf(begun);
        const keys = keysOf(rule);
        const step = moved(rule, keys[from % keys.length] ?? 0, placeAfter(rule, keys[to % keys.length] ?? 0, true));
        if ('refused' in step) return;
        const left = blockAt(rule, keys[from % keys.length] ?? 0)?.parent;
        for (const { node } of blocksOf(step.rule)) {
          const was = blockAt(rule, node.key)?.node;
          if (was === undefined || was.threshold === node.threshold) continue;
          expect([node.key, node.threshold]).toEqual([left?.key, String(node.children.length)]);
          expect(loweredVotes(rule, step.rule)).toMatch(`at least ${node.threshold} of ${node.children.length}`);
        }
      }),
      seeded,
    );
  });
});

describe('steps', () => {
  const rule = newGroup('AND', [condition('a'), newGroup('OR', [condition('b'), condition('c')]), condition('d')]);
  const at = (number: string) => keyOf(rule, number);

  test('default: moved into a group, out of it, up and down', () => {
    expect(short(after(moved(rule, at('1'), placeAfter(rule, at('2'), true))))).toBe('AND(OR(b c a) d)');
    expect(short(after(moved(rule, at('2.1'), placeAfter(rule, at('3')))))).toBe('AND(a OR(c) d b)');
    expect(short(after(shifted(rule, at('3'), -1)))).toBe('AND(a d OR(b c))');
    expect(short(after(shifted(rule, at('1'), 1)))).toBe('AND(OR(b c) a d)');
    expect(after(shifted(rule, at('1'), -1))).toBe(rule);
    expect(after(shifted(rule, at('3'), 1))).toBe(rule);
  });

  test('default: dropped on a block: above, below, or into a group', () => {
    const over = (number: string, share: number) => {
      const found = placeOver(rule, at(number), share);
      return [found?.side, found && short(after(moved(rule, at('1'), found.place)))];
    };
    expect(over('3', 0.2)).toEqual(['before', 'AND(OR(b c) a d)']);
    expect(over('3', 0.9)).toEqual(['after', 'AND(OR(b c) d a)']);
    expect(over('2', 0.5)).toEqual(['into', 'AND(OR(b c a) d)']);
    expect(over('2.1', 0.1)).toEqual(['before', 'AND(OR(a b c) d)']);
    expect(over('', 0.1)).toEqual(['into', 'AND(OR(b c) d a)']);
    expect(placeOver(rule, -1, 0.5)).toBeUndefined();
  });

  test('behavior: a group that is emptied has a condition to be written, which what is added takes the place of', () => {
    const one = newGroup('AND', [newGroup('OR', [condition('b')]), condition('d')]);
    const emptied = after(removed(one, keyOf(one, '1.1')));
    expect(short(emptied)).toBe('AND(OR(_) d)');
    expect(short(after(added(emptied, placeAfter(emptied, keyOf(emptied, '1'), true), condition('e'))))).toBe(
      'AND(OR(e) d)',
    );
    expect(removed(emptied, keyOf(emptied, '1.1'))).toMatchObject({ refused: expect.any(String) });
  });

  test('behavior: what holds one thing makes a group of two', () => {
    const not = newGroup('AND', [newGroup('NOT', [condition('a')]), condition('b')]);
    expect(short(after(moved(not, keyOf(not, '2'), placeAfter(not, keyOf(not, '1'), true))))).toBe(
      'AND(NOT(AND(a b)))',
    );
    const single = condition('a');
    expect(short(after(added(single, placeAfter(single, single.key), condition('b'))))).toBe('AND(a b)');
  });

  test('behavior: a vote never asks for more than it has', () => {
    const vote = { ...newGroup('VOTE', ['a', 'b', 'c'].map(condition)), threshold: '3' };
    expect(short(after(removed(vote, keyOf(vote, '2'))))).toBe('VOTE2(a c)');
    expect(loweredVotes(vote, after(removed(vote, keyOf(vote, '2'))))).toMatch(/at least 2 of 2/);
    expect(short(after(shifted(vote, keyOf(vote, '1'), 1)))).toBe('VOTE3(b a c)');
    const two = newGroup('AND', [vote, { ...newGroup('VOTE', ['d', 'e'].map(condition)), threshold: '2' }]);
    expect(short(after(moved(two, keyOf(two, '1.1'), placeAfter(two, keyOf(two, '2'), true))))).toBe(
      'AND(VOTE2(b c) VOTE2(d e a))',
    );
  });

  test('error: the rule itself is neither removed nor moved, and no group goes into itself', () => {
    expect(removed(rule, rule.key)).toMatchObject({ refused: expect.any(String) });
    expect(moved(rule, rule.key, placeAfter(rule, at('2'), true))).toMatchObject({ refused: expect.any(String) });
    expect(moved(rule, at('2'), placeAfter(rule, at('2.1')))).toMatchObject({ refused: expect.any(String) });
  });

  test('error: a rule grows no further than the engine takes it', () => {
    const many = all(...Array.from({ length: MAX_RULE_NODES - 1 }, () => '1 < 2'));
    expect(added(many, placeAfter(many, many.key), condition())).toEqual({
      refused: `A rule has at most ${MAX_RULE_NODES} blocks.`,
    });
    let deep = condition('1 < 2');
    for (let level = 1; level < MAX_RULE_DEPTH; level += 1) deep = newGroup('AND', [deep]);
    expect(grouped(deep, deep.key, 'OR')).toEqual({ refused: `A rule nests at most ${MAX_RULE_DEPTH} deep.` });
  });

  test('default: an expression is pasted as a condition, any other text as nothing', () => {
    expect(readBlock(' vault_tvl > 5 USDC\n', vocabulary)?.expr).toBe('vault_tvl > 5 USDC');
    for (const text of ['', 'not a rule at all', '{"type":"AND","children":[]}', 'x'.repeat(400_000)])
      expect(readBlock(text, vocabulary)).toBeUndefined();
  });

  test('boundary: a text that nests deeper than any rule is no block', () => {
    const nested = (levels: number) =>
      `${'{"type":"AND","children":['.repeat(levels)}{"type":"EXPR","expr":"1 < 2"}${']}'.repeat(levels)}`;
    expect(readBlock(nested(MAX_RULE_DEPTH - 1), vocabulary)?.type).toBe('AND');
    for (const levels of [MAX_RULE_DEPTH, 9_000]) expect(readBlock(nested(levels), vocabulary)).toBeUndefined();
  });

  test('default: what each block came to, by its path', () => {
    const reasons = { because: '' };
    const explained = {
      ...reasons,
      type: 'AND' as const,
      result: null,
      children: [
        {
          ...reasons,
          type: 'NOT' as const,
          result: true,
          children: [{ ...reasons, type: 'EXPR' as const, result: false }],
        },
        { ...reasons, type: 'EXPR' as const, result: null },
      ],
    };
    expect([...resultsOf(explained)]).toEqual([
      ['rules', null],
      ['rules.children.0', true],
      ['rules.children.0.child', false],
      ['rules.children.1', null],
    ]);
  });
});
