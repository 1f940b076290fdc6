import { expect, test } from '@jest/globals';
import {
  compileStrategy,
  compileWritten,
  decide,
  laneOf,
  resolveVariable,
  type StrategyDefinition,
  sizeCounts,
} from '../src/index.ts';
import { aDefinition, asEditor, editor, other, prime, sources } from './written-strategies.ts';

/** Claims and swaps of rewards: what their sizes count, what limits them, and what of them is refused. */

const claimed = `merkl_${prime}_amount`;
const held = `token_${other}_amount`;
const claim = (over: Partial<StrategyDefinition> = {}) => ({
  ...aDefinition({ size: claimed, action: 'CLAIM' }),
  ...over,
});
const swap = (size_expr: string, over: Partial<StrategyDefinition> = {}): StrategyDefinition => ({
  ...aDefinition({}),
  action_config: { action: 'SWAP', size_expr, target_address: prime, from_address: other },
  ...over,
});
const at = (values: Record<string, string | null>) => ({ block_number: 1, block_time: 1, values });
const sizeOf = (definition: StrategyDefinition, values: Record<string, string | null>) => {
  const { program, faults } = compileStrategy(definition, { sources });
  if (!program) throw new Error(JSON.stringify(faults));
  return decide(program, at(values)).size;
};
const faultsOf = (definition: StrategyDefinition) =>
  compileWritten(definition, { sources, vocabulary: editor, bareNumbers: 'refused' }).faults.map(({ path, code }) => [
    path,
    code,
  ]);

test('default: variables of rewards and of tokens count base units of a token, and what it is worth in assets', () => {
  const unitOf = (name: string) => {
    const found = resolveVariable(name, sources);
    return found.known ? found.variable.unit : found.message;
  };
  expect([claimed, held, `token_${other}_worth`].map(unitOf)).toEqual(['tokens', 'tokens', 'assets']);
  expect(unitOf(`token_${other}_apy`)).toBe('A token_ variable ends in amount, worth.');
  expect([laneOf('CLAIM'), laneOf('SWAP')]).toEqual(['WITHDRAWAL', 'REBALANCE']);
  expect([sizeCounts(claim().action_config), sizeCounts(swap(held).action_config)]).toEqual([
    { unit: 'tokens' },
    { unit: 'tokens' },
  ]);
});

test('default: a claim is of all that there is, and of nothing where that is not known', () => {
  expect(sizeOf(claim(), { [claimed]: '700' })).toMatchObject({ amount: '700', limited_by: null });
  expect(sizeOf(claim(), { [claimed]: '0' })).toMatchObject({ amount: null });
  expect(sizeOf(claim(), { [claimed]: null })).toMatchObject({
    amount: null,
    because: expect.stringContaining('no value'),
  });
});

test('default: a swap is of no more than the vault holds of its token, and than it may at once', () => {
  expect(sizeOf(swap('500'), { [held]: '300' })).toMatchObject({ amount: '300', limited_by: held });
  const limited = swap(held, { risk_params: { max_amount: '7', min_free_assets: null } });
  expect(sizeOf(limited, { [held]: '300' })).toMatchObject({ amount: '7', limited_by: 'max_amount' });
  expect(sizeOf(swap('500'), { [held]: null })).toMatchObject({ amount: null, limited_by: held });
});

test.each<[string, StrategyDefinition, string[][]]>([
  ['nothing of a claim of everything', claim(), []],
  [
    'a part of what can be claimed',
    aDefinition({ size: `${claimed} / 2`, action: 'CLAIM' }),
    [['action_config.size_expr', 'WRONG_SIZE']],
  ],
  [
    'what can be claimed from another distributor',
    aDefinition({ size: `merkl_${other}_amount`, action: 'CLAIM' }),
    [['action_config.size_expr', 'WRONG_SIZE']],
  ],
  [
    'a most at once of a claim',
    claim({ risk_params: { max_amount: '5', min_free_assets: null } }),
    [['risk_params.max_amount', 'WRONG_SIZE']],
  ],
  ['nothing of a swap of a part', swap(`${held} / 2`), []],
  ['assets as the size of a swap', swap('vault_free_assets'), [['action_config.size_expr', 'WRONG_UNIT']]],
  ['a number without a unit beside a reward', swap(`min(${held}, 5)`), [['action_config.size_expr', 'BARE_NUMBER']]],
])('error: %s is refused where it stands', (_name, definition, faults) => expect(faultsOf(definition)).toEqual(faults));

test('error: rewards are neither assets nor shares', () => {
  expect(asEditor({ rule: `${held} > vault_free_assets` }).faults).toMatchObject([{ code: 'WRONG_UNIT' }]);
  expect(asEditor({ rule: `token_${other}_worth > 100 WETH and ${held} > 5 units` }).faults).toEqual([]);
});

test('error: an alias cannot take the place of a token', () => {
  const of = (alias: string) => compileStrategy({ ...claim(), indicators: [{ alias, expr: '1' }] });
  const { faults } = of('token_0x1');
  // Strategies of before there were such variables may have one.
  expect(of('token_ratio').faults).toEqual([]);
  expect(faults).toMatchObject([{ code: 'ALIAS_INVALID' }]);
});
