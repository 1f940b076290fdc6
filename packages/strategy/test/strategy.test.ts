import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compileStrategy,
  decide,
  dryRun,
  laneOf,
  newRun,
  type Program,
  printRule,
  type RuleNode,
  type StrategyDefinition,
  type StrategyRun,
  type StrategySnapshot,
  tick,
} from '../src/index.ts';

const source = `0x${'ab'.repeat(20)}`;

const aStrategy = (over: Partial<StrategyDefinition> = {}): StrategyDefinition => ({
  indicators: [],
  rules: { type: 'EXPR', expr: 'vault_free_assets > 1_000_000' },
  conviction_config: { mode: 'BINARY', required_ticks: 1 },
  action_config: { action: 'DEPOSIT', size_expr: 'vault_free_assets - 1000000', target_address: source },
  risk_params: { max_amount: null, min_free_assets: null },
  max_concurrent: 1,
  cooldown_ms: 0,
  ...over,
});
function program(over: Partial<StrategyDefinition> = {}): Program {
  const { program: compiled, faults } = compileStrategy(aStrategy(over), { sources: [source] });
  if (!compiled) throw new Error(JSON.stringify(faults));
  return compiled;
}
const faultsOf = (over: Partial<StrategyDefinition>) =>
  compileStrategy(aStrategy(over), { sources: [source] }).faults.map(({ path, code }) => [path, code]);
const sized = (size_expr: string, action: 'DEPOSIT' | 'WITHDRAWAL' | 'SWAP' = 'DEPOSIT') => ({
  action_config: { action, size_expr, target_address: source },
});
const at = (free: string | null, seconds = 0, more: Record<string, string | null> = {}): StrategySnapshot => ({
  block_number: 100 + seconds,
  block_time: 1_790_000_000 + seconds,
  values: { vault_free_assets: free, vault_tvl: '10000000', price: '1', [`ys_${source}_shares`]: '500', ...more },
});
const yes: RuleNode = { type: 'EXPR', expr: 'true' };
const no: RuleNode = { type: 'EXPR', expr: 'false' };
const open: RuleNode = { type: 'EXPR', expr: 'vault_pps > 0' };

describe('compiling', () => {
  test('default: a sound strategy has no faults', () => expect(faultsOf({})).toEqual([]));

  test.each<[string, Partial<StrategyDefinition>, [string, string][]]>([
    ['a number for a rule', { rules: { type: 'EXPR', expr: 'vault_tvl' } }, [['rules.expr', 'WRONG_TYPE']]],
    [
      'every fault of a tree',
      {
        rules: {
          type: 'AND',
          children: [
            { type: 'EXPR', expr: '1 +' },
            { type: 'NOT', child: { type: 'EXPR', expr: 'x > 1' } },
          ],
        },
      },
      [
        ['rules.children.0.expr', 'UNEXPECTED_TOKEN'],
        ['rules.children.1.child.expr', 'UNKNOWN_IDENTIFIER'],
      ],
    ],
    ['no children', { rules: { type: 'OR', children: [] } }, [['rules', 'EMPTY']]],
    [
      'too many votes',
      { rules: { type: 'VOTE', threshold: 3, children: [yes, no] } },
      [['rules.threshold', 'THRESHOLD_OUT_OF_RANGE']],
    ],
    [
      'half a vote',
      { rules: { type: 'VOTE', threshold: 1.5, children: [yes, no] } },
      [['rules.threshold', 'THRESHOLD_OUT_OF_RANGE']],
    ],
    ['a condition for a size', sized('vault_tvl > 1'), [['action_config.size_expr', 'WRONG_TYPE']]],
    ['shares for a deposit', sized('vault_total_supply'), [['action_config.size_expr', 'WRONG_UNIT']]],
    ['assets for a withdrawal', sized('vault_free_assets', 'WITHDRAWAL'), [['action_config.size_expr', 'WRONG_UNIT']]],
    [
      'an alias of the language',
      { indicators: [{ alias: 'price', expr: '1' }] },
      [['indicators.0.alias', 'ALIAS_INVALID']],
    ],
    [
      'an alias used before',
      {
        indicators: [
          { alias: 'a', expr: 'b' },
          { alias: 'b', expr: '1' },
        ],
      },
      [['indicators.0.expr', 'UNKNOWN_IDENTIFIER']],
    ],
    [
      'an alias of itself',
      { indicators: [{ alias: 'a', expr: 'a + 1' }] },
      [['indicators.0.expr', 'UNKNOWN_IDENTIFIER']],
    ],
    [
      'a score that is none',
      { conviction_config: { mode: 'expr', expr: 'true', min_score: '1', required_ticks: 1 } },
      [['conviction_config.expr', 'WRONG_TYPE']],
    ],
  ])('error: %s', (_name, over, faults) => expect(faultsOf(over)).toEqual(faults));

  test('error: a tree without end is refused, soon', () => {
    let deep: RuleNode = yes;
    for (let level = 0; level < 5_000; level += 1) deep = { type: 'NOT', child: deep };
    expect(faultsOf({ rules: deep }).at(-1)).toEqual([`rules${'.child'.repeat(12)}`, 'TOO_DEEP']);
    const wide: RuleNode = { type: 'AND', children: Array<RuleNode>(5_000).fill(yes) };
    expect(faultsOf({ rules: wide })).toContainEqual(['rules.children.99', 'TOO_MANY_NODES']);
  });

  test('behavior: the canonical tree compiles to itself', () => {
    const rules: RuleNode = {
      type: 'VOTE',
      threshold: 2,
      children: [{ type: 'EXPR', expr: '((price))>1' }, { type: 'NOT', child: no }, yes],
    };
    const once = printRule(program({ rules }).rule);
    expect(once).toMatchObject({ children: [{ expr: 'price > 1' }, {}, {}] });
    expect(printRule(program({ rules: once }).rule)).toEqual(once);
  });

  test('default: each action has its lane', () => {
    expect((['DEPOSIT', 'CLAIM', 'BRIDGE'] as const).map(laneOf)).toEqual(['DEPOSIT', 'WITHDRAWAL', 'REBALANCE']);
  });
});

describe('the dry run', () => {
  test('error: a division nothing guards fails with every variable at 0', () => {
    const risky = program({
      rules: { type: 'EXPR', expr: 'vault_free_assets / vault_tvl > 0.1' },
      ...sized('1 / price'),
    });
    expect(dryRun(risky)).toMatchObject([
      { path: 'rules.expr', code: 'FAILS_ON_ZERO', position: { offset: 18 } },
      { path: 'action_config.size_expr', code: 'FAILS_ON_ZERO', position: { offset: 2 } },
    ]);
  });

  test('behavior: a guarded one passes', () => {
    const guarded = program({
      rules: { type: 'EXPR', expr: 'vault_tvl > 0 and vault_free_assets / vault_tvl > 0.1' },
      ...sized('if(price > 0, 1 / price, 0)'),
    });
    expect(dryRun(guarded)).toEqual([]);
  });
});

describe('a decision', () => {
  test('default: says what each node came to, and why', () => {
    const rules: RuleNode = {
      type: 'AND',
      children: [
        { type: 'EXPR', expr: 'vault_free_assets > 1000000' },
        {
          type: 'OR',
          children: [
            { type: 'EXPR', expr: 'idle_share > 0.5' },
            { type: 'NOT', child: open },
          ],
        },
      ],
    };
    const indicators = [{ alias: 'idle_share', expr: 'if(vault_tvl > 0, vault_free_assets / vault_tvl, 0)' }];
    expect(decide(program({ rules, indicators }), at('2500000')).rule).toEqual({
      type: 'AND',
      result: null,
      because: '1 of 2 hold, 1 cannot be known; 2 needed',
      children: [
        {
          type: 'EXPR',
          result: true,
          because: '2500000 > 1000000',
          reads: [{ name: 'vault_free_assets', value: '2500000' }],
        },
        {
          type: 'OR',
          result: null,
          because: '0 of 2 hold, 1 cannot be known; 1 needed',
          children: [
            { type: 'EXPR', result: false, because: '0.25 > 0.5', reads: [{ name: 'idle_share', value: '0.25' }] },
            {
              type: 'NOT',
              result: null,
              because: 'the opposite',
              children: [
                {
                  type: 'EXPR',
                  result: null,
                  because: 'vault_pps has no value at this block.',
                  reads: [{ name: 'vault_pps', value: null }],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test.each<[string, Partial<StrategyDefinition>, StrategySnapshot, object]>([
    ['rounds the size down', sized('10 / 3'), at('100'), { value: '10/3', amount: '3', limited_by: null }],
    ['deposits no more than is idle', sized('1000'), at('100'), { amount: '100', limited_by: 'vault_free_assets' }],
    [
      'withdraws no more than is held',
      sized('1000', 'WITHDRAWAL'),
      at('100'),
      { amount: '500', limited_by: `ys_${source}_shares` },
    ],
    [
      'keeps what is to stay idle',
      { ...sized('1000'), risk_params: { max_amount: null, min_free_assets: '70' } },
      at('100'),
      { amount: '30', limited_by: 'min_free_assets' },
    ],
    [
      'keeps to the largest amount',
      { ...sized('1000', 'SWAP'), risk_params: { max_amount: '7', min_free_assets: null } },
      at(null),
      { amount: '7', limited_by: 'max_amount' },
    ],
    ['drops a size of 0', sized('0'), at('100'), { amount: null, because: 'The size is not above 0.' }],
    ['drops a negative size', sized('0 - 5'), at('100'), { amount: null }],
    [
      'does nothing when idle assets are not known',
      sized('5'),
      at(null),
      { amount: null, limited_by: 'vault_free_assets' },
    ],
  ])('behavior: %s', (_name, over, snapshot, size) => expect(decide(program(over), snapshot).size).toMatchObject(size));

  test('behavior: what is not known counts neither as yes nor as no', () => {
    const node = fc.constantFrom(yes, no, open);
    const trees = fc.letrec<{ tree: RuleNode }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        node,
        fc.record({ type: fc.constant('NOT' as const), child: tie('tree') }),
        fc.record({
          type: fc.constantFrom('AND' as const, 'OR' as const),
          children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
        }),
        fc
          .array(tie('tree'), { minLength: 1, maxLength: 4 })
          .chain((children) =>
            fc
              .integer({ min: 1, max: children.length })
              .map((threshold) => ({ type: 'VOTE' as const, threshold, children })),
          ),
      ),
    })).tree;
    /** Both ends of what a tree may come to, when each unknown may be either. */
    const range = (tree: RuleNode): [boolean, boolean] => {
      if (tree === yes) return [true, true];
      if (tree === no) return [false, false];
      if (tree === open) return [false, true];
      if (tree.type === 'NOT') {
        const [low, high] = range(tree.child);
        return [!high, !low];
      }
      const children = tree.type === 'EXPR' ? [] : tree.children.map(range);
      const needed = tree.type === 'AND' ? children.length : tree.type === 'VOTE' ? tree.threshold : 1;
      return [0, 1].map((end) => children.filter((item) => item[end]).length >= needed) as [boolean, boolean];
    };
    fc.assert(
      fc.property(trees, (rules) => {
        const compiled = compileStrategy(aStrategy({ rules })).program;
        fc.pre(compiled !== undefined);
        const [low, high] = range(rules);
        expect(decide(compiled as Program, at('1')).rule.result).toBe(low === high ? low : null);
      }),
      runs(5000),
    );
  });
});

describe('tick by tick', () => {
  const over = { cooldown_ms: 60_000, conviction_config: { mode: 'BINARY', required_ticks: 2 } } as const;
  function play(compiled: Program, snapshots: StrategySnapshot[], active = 0) {
    let run: StrategyRun = newRun;
    return snapshots.map((snapshot) => {
      const { outcome, run: next } = tick(compiled, run, snapshot, active);
      run = next;
      return outcome;
    });
  }

  test('default: fires once it has held long enough, and not again before the cooldown is over', () => {
    const idle = '2000000';
    const seen = play(program(over), [at(idle), at(idle, 1), at(idle, 2), at(idle, 3), at(idle, 60), at(idle, 61)]);
    expect(seen).toEqual(['not_held_long_enough', 'fired', 'not_held_long_enough', 'cooldown', 'cooldown', 'fired']);
  });

  test('behavior: a tick in between that does not hold starts the count anew', () => {
    expect(play(program(over), [at('2000000'), at('1'), at('2000000', 2), at('2000000', 3)])).toEqual([
      'not_held_long_enough',
      'rule_false',
      'not_held_long_enough',
      'fired',
    ]);
  });

  test.each<[string, Partial<StrategyDefinition>, StrategySnapshot, number]>([
    ['rule_false', {}, at('1'), 0],
    ['no_value', {}, at(null), 0],
    ['max_concurrent', {}, at('2000000'), 1],
    ['size_zero', sized('0'), at('2000000'), 0],
    ['no_value', { rules: yes, ...sized('vault_redeem_queue_value') }, at('2000000'), 0],
    ['no_value', { rules: yes }, at(null), 0],
    [
      'score_low',
      { conviction_config: { mode: 'expr', expr: 'price', min_score: '1.5', required_ticks: 1 } },
      at('2000000'),
      0,
    ],
    [
      'no_value',
      { conviction_config: { mode: 'expr', expr: 'vault_pps', min_score: '1.5', required_ticks: 1 } },
      at('2000000'),
      0,
    ],
    [
      'fired',
      { conviction_config: { mode: 'expr', expr: 'price', min_score: '1', required_ticks: 1 } },
      at('2000000'),
      0,
    ],
  ])('behavior: %s', (outcome, changed, snapshot, active) =>
    expect(play(program(changed), [snapshot], active)).toEqual([outcome]),
  );
});
