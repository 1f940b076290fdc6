import { expect, test } from '@jest/globals';
import { ActionConfig, ConvictionConfig, RuleTree, strategyDefinition } from './shapes.ts';

const address = `0x${'1'.repeat(40)}`;
const config = {
  action: 'DEPOSIT',
  size_expr: '1',
  execution_name: 'Deposit',
  execution_address: address,
  target_address: address,
};
const faultOf = (over: object) => ActionConfig.safeParse({ ...config, ...over }).error?.issues[0]?.path;

test('error: a strategy may not lose more than half', () => {
  expect(faultOf({ max_slippage_bps: 5_000 })).toBeUndefined();
  expect(faultOf({ max_slippage_bps: 5_001 })).toEqual(['max_slippage_bps']);
});

test('error: a parameter of the hook has a name', () => {
  expect(faultOf({ execution_params: { min_out: '1', A: true, [`a${'1'.repeat(63)}`]: null } })).toBeUndefined();
  for (const name of ['', '1a', '_a', '$set', 'a.b', 'a b', '__proto', `a${'1'.repeat(64)}`])
    expect(faultOf({ execution_params: { [name]: '1' } })).toEqual(['execution_params', name]);
});

test('behavior: a least score may have a unit', () => {
  const scored = (min_score: string) =>
    ConvictionConfig.safeParse({ mode: 'expr', expr: '1', min_score, required_ticks: 1 }).success;
  expect(['0.5', '-3', '1_000 USDC', '5 %', '30bps'].filter((text) => !scored(text))).toEqual([]);
  expect(['', 'USDC', '5  %', '5.', '1\n2'].filter(scored)).toEqual([]);
});

test('error: at most 60 names, each of an address', () => {
  const { names } = strategyDefinition;
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_item, index) => [`${index}`, address]));
  expect(names.safeParse(many(60)).success).toBe(true);
  expect(names.safeParse(many(61)).success).toBe(false);
  expect(names.safeParse({ Prime: 'x' }).success).toBe(false);
});

const expression = { type: 'EXPR', expr: 'free > 1' };

test('default: a rule is an expression, or rules joined', () => {
  const rule = {
    type: 'AND',
    children: [expression, { type: 'NOT', child: { type: 'VOTE', threshold: 1, children: [expression] } }],
  };
  expect(RuleTree.safeParse(rule).data).toEqual(rule);
});

test.each([
  ['text', 'must be a rule node'],
  [{ type: 'XOR', children: [] }, 'type must be one of EXPR, AND, OR, NOT, VOTE'],
  [{ ...expression, child: 1 }, '"child" does not belong to EXPR'],
  [{ type: 'EXPR', expr: 1 }, 'expr must be a text of at most 2000 characters'],
  [{ type: 'OR', children: [] }, 'children must hold at least one node'],
  [{ type: 'VOTE', threshold: 0.5, children: [expression] }, 'threshold must be an integer'],
])('error: %j is no rule: %s', (rule, message) => {
  expect(RuleTree.safeParse(rule).error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test('error: a rule that nests too deep, or has too many nodes, is refused without being walked to its end', () => {
  let deep: unknown = expression;
  for (let depth = 0; depth < 50_000; depth += 1) deep = { type: 'NOT', child: deep };
  expect(RuleTree.safeParse(deep).error?.issues[0]?.message).toBe('nests more than 12 deep');
  const wide = { type: 'OR', children: Array.from({ length: 200 }, () => expression) };
  expect(RuleTree.safeParse(wide).error?.issues[0]?.message).toBe('has more than 100 nodes');
});
