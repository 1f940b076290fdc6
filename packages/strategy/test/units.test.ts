import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compileStrategy,
  compileWritten,
  MAX_LENGTH,
  namesUsed,
  parse,
  resolveText,
  type StrategyDefinition,
  shownWith,
  spellingOf,
  spellName,
  spellStrategy,
  tick,
  vocabularyOf,
} from '../src/index.ts';
import { numberTrees, truths, write, writeTruth } from './second-evaluator.ts';
import {
  aDefinition,
  api,
  asApi,
  asEditor,
  bare,
  core,
  editor,
  lexicon,
  other,
  prime,
  sources,
  spelledRule,
  twin,
} from './written-strategies.ts';

describe('units', () => {
  test.each([
    ['vault_free_assets > 1000 WETH', 'vault_free_assets > 1000000000000000000000'],
    ['vault_free_assets>1_000.5WETH', 'vault_free_assets>1000500000000000000000'],
    ['vault_total_supply > 2 svWETH', 'vault_total_supply > 2000000000000000000'],
    ['vault_pps > 1.05 WETH per share', 'vault_pps > 1050000000000000000'],
    [`Morpho Prime.apy > 2.5 %`, `ys_${prime}_apy > 0.025`],
    [`Morpho Prime.apy > 2.5 % and 1 < 2`, `ys_${prime}_apy > 0.025 and 1 < 2`],
    [`"Gauntlet (Core)".apy > 30 bps`, `ys_${core}_apy > 0.003`],
    ['tick_unix % 1 d < 6 h', 'tick_unix % 86400 < 21600'],
    ['tick_unix % 1 w < 90 min or tick_unix % 60 s == 0', 'tick_unix % 604800 < 5400 or tick_unix % 60 == 0'],
    ['price < 0.98 USD', 'price < 0.98'],
    ['min(vault_tvl, 3 WETH) > 0', 'min(vault_tvl, 3000000000000000000) > 0'],
    ['vault_tvl > 7 % 3 * 1 WETH', 'vault_tvl > 7 % 3 * 1000000000000000000'],
    ['vault_tvl > (5 %) - 2 %\n and true', 'vault_tvl > (0.05) - 0.02\n and true'],
    ['vault_tvl > 1500000 units', 'vault_tvl > 1500000'],
    ['vault_tvl / 1 WETH * price > 1000 USD', 'vault_tvl / 1000000000000000000 * price > 1000'],
  ])('default: %s is stored as %s', (text, stored) => expect(resolveText(text, editor)).toBe(stored));

  test('behavior: a symbol that is no plain word stands in quotes', () => {
    const tether = vocabularyOf({ ...lexicon, asset: { symbol: 'USD₮0', decimals: 6 } });
    expect(resolveText('vault_tvl > 5 "USD₮0"', tether)).toBe('vault_tvl > 5000000');
    expect(spellStrategy(aDefinition({ rule: 'vault_tvl > 5e6' }), tether).rules).toMatchObject({
      expr: 'vault_tvl > 5 "USD₮0"',
    });
  });

  test('behavior: a symbol that is a unit already stands for that unit only', () => {
    const odd = vocabularyOf({ ...lexicon, asset: { symbol: 'USD', decimals: 6 } });
    expect(resolveText('price > 5 USD', odd)).toBe('price > 5');
    expect(spellingOf(aDefinition({ rule: 'vault_tvl > 5000000' }), odd)['rules.expr']).toBe(
      'vault_tvl > 5_000_000 units',
    );
  });

  test.each([
    ['vault_free_assets > 1000', 'BARE_NUMBER', 20, 4, '1000 WETH'],
    ['1000 < vault_free_assets', 'BARE_NUMBER', 0, 4, '1000 WETH'],
    ['vault_tvl > 2 * 1_000.5', 'BARE_NUMBER', 16, 7, '1000.5 WETH'],
    ['vault_tvl > 5e20', 'BARE_NUMBER', 12, 4, '500 WETH'],
    ['vault_pps > 1.05', 'BARE_NUMBER', 12, 4, '1.05 WETH per share'],
    ['vault_total_supply > 3', 'BARE_NUMBER', 21, 1, '3 svWETH'],
    ['Morpho Prime.shares > 3', 'BARE_NUMBER', 22, 1, '3 units'],
    ['min(vault_tvl, 7) > 0', 'BARE_NUMBER', 15, 1, '7 WETH'],
    ['if(true, vault_tvl, -7) > 0', 'BARE_NUMBER', 21, 1, '7 WETH'],
    ['vault_tvl * price > 1000', 'BARE_NUMBER', 20, 4, '1000 units'],
    ['vault_tvl * price > 1000 USD', 'WRONG_UNIT', 18, undefined, undefined],
    ['vault_tvl > 5 %', 'WRONG_UNIT', 10, undefined, undefined],
    ['vault_tvl > 5 svWETH', 'WRONG_UNIT', 10, undefined, undefined],
    ['vault_pps > 1 WETH', 'WRONG_UNIT', 10, undefined, undefined],
    ['vault_redeem_queue_count > 5 WETH', 'WRONG_UNIT', 25, undefined, undefined],
    ['tick_hour > 6 h', 'WRONG_UNIT', 10, undefined, undefined],
    ['tick_unix_ms % 6 h > 1', 'WRONG_UNIT', 13, undefined, undefined],
    ['tick_unix > 6 h', 'WRONG_UNIT', 10, undefined, undefined],
    ['vault_free_assets + vault_total_supply > 0', 'WRONG_UNIT', 18, undefined, undefined],
    ['Morpho Prime.shares > "Gauntlet (Core)".shares', 'WRONG_UNIT', 20, undefined, undefined],
    ['vault_tvl > 1000 weth', 'UNKNOWN_UNIT', 12, 9, '1000 WETH'],
    ['tick_unix % 6 hours == 0', 'UNKNOWN_UNIT', 12, 7, '6 h'],
    ['vault_tvl > 5 DAI', 'UNKNOWN_UNIT', 12, 5, undefined],
    ['vault_tvl * 5 % - 3 WETH > 0', 'UNKNOWN_UNIT', 12, 3, '(5 %)'],
    ['vault_tvl > 1e-19 WETH', 'NUMBER_MALFORMED', 12, 10, undefined],
  ])('error: the editor refuses %s: %s', (rule, code, offset, length, suggestion) => {
    const [fault] = asEditor({ rule }).faults;
    expect(fault).toMatchObject({ code, path: 'rules.expr', position: { offset } });
    expect([fault?.position.length, fault?.suggestion]).toEqual([length, suggestion]);
  });

  test('error: the question names the unit', () => {
    expect(asEditor({ rule: 'vault_free_assets > 1000' }).faults[0]?.message).toBe('1000 has no unit. 1000 WETH?');
    const six = vocabularyOf({ ...lexicon, asset: { symbol: 'USDC', decimals: 6 } });
    expect(asEditor({ rule: 'vault_free_assets > 2_000_000' }, six).faults[0]?.message).toBe(
      '2_000_000 has no unit. 2_000_000 USDC, or 2 USDC?',
    );
  });

  test.each([
    'vault_tvl > 0',
    'vault_redeem_queue_count > 3',
    'price < 0.98',
    'vault_free_assets / vault_tvl > 0.05',
    'vault_free_assets > vault_tvl * 0.05',
    'vault_free_assets > 2 * vault_tvl',
    'between(tick_hour, 8, 17)',
    'tick_unix > 1790000000',
    'vault_redeem_queue_count * 5 WETH > vault_tvl',
    'tick_unix - tick_unix % 1 d < 5 h + tick_unix',
  ])('behavior: the editor takes %s', (rule) => expect(asEditor({ rule }).faults).toEqual([]));

  test('behavior: what clients send in base units is valid, marked, and what it is read as is said', () => {
    const { faults, warnings, program, resolved } = asApi({ rule: 'vault_free_assets > 1_000' });
    expect(faults).toEqual([]);
    expect(warnings).toMatchObject([
      { code: 'BARE_NUMBER', path: 'rules.expr', message: expect.stringContaining('0.000000000000001 WETH') },
    ]);
    expect(resolved.rules).toEqual({ type: 'EXPR', expr: 'vault_free_assets > 1_000' });
    expect(program).toBeDefined();
  });

  test('behavior: an indicator without a unit is refused where it meets an amount', () => {
    expect(asEditor({ rule: 'vault_tvl > limit', limit: '5' }).faults).toMatchObject([
      { code: 'BARE_NUMBER', position: { offset: 12 } },
    ]);
    expect(asEditor({ rule: 'vault_tvl > limit', limit: '5 WETH' }).faults).toEqual([]);
  });

  test('behavior: the size of a strategy has a unit too', () => {
    expect(asEditor({ size: '1000' }).faults).toMatchObject([{ code: 'BARE_NUMBER', suggestion: '1000 WETH' }]);
    expect(asEditor({ size: '1000 WETH' }).faults).toEqual([]);
    expect(asEditor({ size: '5', action: 'REBALANCE' }).faults).toMatchObject([{ suggestion: '5 units' }]);
    const written = (size: string) => {
      const { action_config, ...rest } = aDefinition({ size, action: 'REBALANCE' });
      const definition = { ...rest, action_config: { ...action_config, from_address: core } };
      return compileWritten<StrategyDefinition>(definition, { sources, vocabulary: editor, bareNumbers: 'refused' });
    };
    expect(written('"Gauntlet (Core)".shares / 2').faults).toEqual([]);
    for (const size of ['Morpho Prime.shares / 2', '5 WETH'])
      expect(written(size).faults).toMatchObject([{ code: 'WRONG_UNIT', path: 'action_config.size_expr' }]);
    // Of a rebalance for every caller: shares of the source it fills may be as many as all that the other one holds.
    const { action_config, ...rest } = aDefinition({ size: `ys_${prime}_shares / 2`, action: 'REBALANCE' });
    const moved = { ...rest, action_config: { ...action_config, from_address: core } };
    expect(compileStrategy(moved, { sources }).faults).toMatchObject([{ code: 'WRONG_UNIT' }]);
    const ofOther = { size: '"Gauntlet (Core)".shares / 2', action: 'WITHDRAWAL' as const };
    expect(asEditor(ofOther).faults).toMatchObject([{ code: 'WRONG_UNIT' }]);
    expect(asApi(ofOther).faults).toEqual([]);
  });

  test('behavior: a ratio above 1 is asked about, not refused', () => {
    const { faults, warnings } = asEditor({ rule: 'Morpho Prime.apy > 5' });
    expect([faults, warnings]).toMatchObject([[], [{ code: 'FAR_THRESHOLD', suggestion: '5 %' }]]);
  });

  test('behavior: the least score counts what the score counts', () => {
    const scored = (min_score: string) =>
      compileWritten<StrategyDefinition>(
        {
          ...aDefinition({}),
          conviction_config: { mode: 'expr', expr: 'vault_free_assets', min_score, required_ticks: 1 },
        },
        { sources, vocabulary: editor, bareNumbers: 'refused' },
      );
    expect(scored('5').faults).toMatchObject([{ path: 'conviction_config.min_score', suggestion: '5 WETH' }]);
    expect(scored('5 %').faults).toMatchObject([{ path: 'conviction_config.min_score', code: 'WRONG_UNIT' }]);
    expect(scored('2 WETH').program?.definition.conviction_config).toMatchObject({ min_score: `${2n * 10n ** 18n}` });
  });
});

describe('names', () => {
  test.each([
    ['Morpho Prme.apy > 5 %', 'UNKNOWN_NAME', 'Morpho Prime.apy', '0xabab…abab'],
    ['Aave.apy > 5 %', 'UNKNOWN_NAME', undefined, 'Aave'],
    ['Morpho Prime.apyy > 5 %', 'UNKNOWN_IDENTIFIER', 'Morpho Prime.apy', 'reward_apy'],
  ])('error: %s is %s', (rule, code, suggestion, words) => {
    const [fault] = asEditor({ rule }).faults;
    expect([fault?.code, fault?.suggestion]).toEqual([code, suggestion]);
    expect(fault?.message).toContain(words);
  });

  test.each([
    ['the same name', 'Morpho Prime'],
    ['other case and spaces', 'morpho  prime'],
    ['letters that look alike', 'M0rpho PrIme'],
  ])('error: two sources with names that look alike: %s', (_name, name) => {
    const alike = { ...lexicon, sources: [...lexicon.sources, { name, address: twin }] };
    const doubled = vocabularyOf(alike, { isStrict: true });
    const [fault] = asEditor({ rule: 'Morpho Prime.apy > 5 %' }, doubled).faults;
    expect(fault).toMatchObject({ code: 'DUPLICATE_NAME' });
    expect(fault?.message).toContain('0xabab…abab and 0xefef…efef');
    // Their addresses stay valid, and are how they are shown.
    expect(asEditor({ rule: `ys_${prime}_apy > 5 %` }, doubled).faults).toEqual([]);
    expect(spellName(`ys_${prime}_apy`, doubled)).toBe('ys_0xabab…abab_apy');
    expect(spellingOf(aDefinition({ rule: `ys_${prime}_apy > 0` }), doubled)['rules.expr']).toBe(`ys_${prime}_apy > 0`);
  });

  test.each([
    ['gone', [], /was 0x1212…1212 when this was written; .*0xabab…abab/, { 'Morpho Prime': other }],
    ['renamed', [{ name: 'Prime II', address: other }], /called Prime II now/, { Steady: other }],
    ['removed', [], /that source is gone/, { Steady: other }],
  ])('error: a name that changed meanwhile: %s', (_name, more, words, names) => {
    const now = vocabularyOf({ ...lexicon, sources: [...lexicon.sources, ...more] }, { isStrict: true, names });
    const [fault] = asEditor({ rule: `${Object.keys(names)[0]}.apy > 5 %` }, now).faults;
    expect(fault).toMatchObject({ code: 'CHANGED_NAME' });
    expect(fault?.message).toMatch(words);
  });

  test('behavior: no name captures what is not one', () => {
    const sly = ['vault_tvl', 'and Morpho Prime', 'vault_tvl > 0 or Morpho Prime', 'Mоrpho Prime', 'x"y'].map(
      (name, index) => ({ name, address: `0x${`${index}`.repeat(40)}` }),
    );
    const words = vocabularyOf({ ...lexicon, sources: [...lexicon.sources, ...sly] }, { isStrict: true });
    const rule = 'vault_tvl > 0 or Morpho Prime.apy > 5 % and Morpho Prime.tvl > 0';
    expect(resolveText(rule, words)).toBe(`vault_tvl > 0 or ys_${prime}_apy > 0.05 and ys_${prime}_tvl > 0`);
    expect(spellName(`ys_0x${'3'.repeat(40)}_apy`, words)).toBe('ys_0x3333…3333_apy');
    expect(spellName(`ys_0x${'1'.repeat(40)}_apy`, words)).toBe('"and Morpho Prime".apy');
  });

  test('default: the addresses that names stand for', () => {
    const definition = aDefinition({ rule: 'Morpho Prime.apy > 5 %', size: '"Gauntlet (Core)".amount' });
    expect(namesUsed(definition, editor)).toEqual({ 'Morpho Prime': prime, 'Gauntlet (Core)': core });
  });

  test('error: a text that is too long with addresses is refused', () => {
    const rule = Array(45).fill('Morpho Prime.apy > 1 %').join(' or ');
    expect(rule.length).toBeLessThan(MAX_LENGTH);
    expect(asEditor({ rule }).faults).toMatchObject([{ code: 'TOO_LONG' }]);
  });
});

describe('printing with units', () => {
  test.each([
    ['vault_free_assets > 1000000000000000000000', 'vault_free_assets > 1000 WETH'],
    ['vault_free_assets > 1e22', 'vault_free_assets > 10_000 WETH'],
    ['vault_free_assets>1000', 'vault_free_assets>0.000000000000001 WETH'],
    ['vault_free_assets > 0.5', 'vault_free_assets > 0.5 units'],
    ['vault_free_assets / vault_tvl > 0.05', 'vault_free_assets / vault_tvl > 5 %'],
    [`ys_${prime}_apy > 0.003\n and true`, 'Morpho Prime.apy > 0.3 %\n and true'],
    [`ys_${core}_shares > 7`, '"Gauntlet (Core)".shares > 7 units'],
    ['vault_pps > 2e18', 'vault_pps > 2 WETH per share'],
    ['tick_unix % 86400 < 900', 'tick_unix % 1 d < 15 min'],
    ['tick_unix > 1790000000', 'tick_unix > 1790000000'],
    ['price < 0.98', 'price < 0.98 USD'],
    ['0.05 - 0.01 < vault_free_assets / vault_tvl', '(5 %) - 1 % < vault_free_assets / vault_tvl'],
    ['vault_tvl / 1e18 * price > 1000', 'vault_tvl / 1 WETH * price > 1000 USD'],
    ['vault_tvl / 10 > 5e18', 'vault_tvl / 10 > 5 WETH'],
    ['vault_tvl * price > 1000', 'vault_tvl * price > 1000 units'],
    ['2 * 1e18 < vault_tvl', '2 * 1 WETH < vault_tvl'],
  ])('default: %s is shown as %s', (stored, shown) => expect(spelledRule(stored)).toBe(shown));

  test('behavior: an indicator has the unit of what it is used beside, unless it is used as two things', () => {
    const shown = (rule: string) => spellingOf(aDefinition({ rule, limit: '5e18' }), api)['indicators.0.expr'];
    expect(shown('vault_tvl > limit')).toBe('5 WETH');
    expect(shown('vault_tvl > limit and vault_total_supply > limit')).toBe('5e18');
    expect(shown('vault_tvl > limit and limit * price > vault_free_assets')).toBeDefined();
  });

  test('default: limits have their unit', () => {
    const limited = { ...aDefinition({}), risk_params: { max_amount: '5000000000000000000', min_free_assets: '1' } };
    expect(spellingOf(limited, api)).toMatchObject({
      'risk_params.max_amount': '5 WETH',
      'risk_params.min_free_assets': '0.000000000000000001 WETH',
    });
  });

  test('default: values in reasons have their unit', () => {
    const { program, aliases } = asApi({ rule: 'vault_free_assets > 1 WETH and Morpho Prime.apy > 5 %' });
    if (!program) throw new Error('It does not compile.');
    const values = { vault_free_assets: '2000000000000000000', [`ys_${prime}_apy`]: '0.061' };
    const at = { block_number: 1, block_time: 1, values };
    const run = { held_ticks: 0, fired_at_ms: null };
    const { decision } = tick(program, run, at, 0, shownWith(api, aliases));
    expect(decision.rule.because).toBe('2 WETH > 1 WETH and 6.1 % > 5 %');
  });

  test('behavior: a part of a base unit is shown in whole tokens, as what it is compared with is', () => {
    const { program, aliases } = asApi({ rule: 'vault_free_assets > vault_tvl * 0.05' });
    if (!program) throw new Error('It does not compile.');
    const values = { vault_free_assets: '2000000000000000000', vault_tvl: '10000000000000000001' };
    const at = { block_number: 1, block_time: 1, values };
    const { decision } = tick(program, { held_ticks: 0, fired_at_ms: null }, at, 0, shownWith(api, aliases));
    expect(decision.rule.because).toBe('2 WETH > 0.50000000000000000005 WETH');
  });
});

const pool = [
  ...['vault_free_assets', 'vault_tvl', 'vault_total_supply', 'vault_pps', 'vault_redeem_queue_count', 'price'],
  ...['tick_unix', 'tick_hour', 'tick_unix_ms', 'limit'],
  ...sources.flatMap((address) => ['apy', 'shares', 'amount', 'pps', 'tvl'].map((field) => `ys_${address}_${field}`)),
];
const drawn = ['vault_free_assets', 'vault_tvl', 'price', 'vault_pps', 'vault_redeem_queue_value'];
/** A text with its variables replaced by others, so that every unit meets every other. */
const renamed = (text: string, names: readonly string[]): string =>
  text.replaceAll(/\b(?:vault_\w+|price)\b/g, (name) => names[drawn.indexOf(name)] ?? name);
const programs = fc
  .record({
    rule: truths.map(writeTruth),
    size: numberTrees.map(write),
    limit: numberTrees.map(write),
    score: numberTrees.map(write),
    least: fc.constantFrom('1', '0.5', '1000000000000000000'),
    names: fc.array(fc.constantFrom(...pool), { minLength: 5, maxLength: 5 }),
    action: fc.constantFrom('DEPOSIT' as const, 'WITHDRAWAL' as const, 'BRIDGE' as const),
  })
  .map(({ rule, size, limit, score, least, names, action }): StrategyDefinition => {
    const withoutAlias = names.map((name) => (name === 'limit' ? 'vault_tvl' : name));
    return {
      ...aDefinition({
        rule: renamed(rule, names),
        size: renamed(size, names),
        limit: renamed(limit, withoutAlias),
        action,
      }),
      conviction_config: { mode: 'expr', expr: renamed(score, names), min_score: least, required_ticks: 1 },
    };
  });

describe('any program', () => {
  test('behavior: printed with units and read again it is the very same program', () => {
    let spelledOnes = 0;
    fc.assert(
      fc.property(programs, (definition) => {
        const stored = compileStrategy(definition, { sources }).program;
        fc.pre(stored !== undefined);
        const spelled = spellStrategy(definition, api);
        if (JSON.stringify(spelled) !== JSON.stringify(definition)) spelledOnes += 1;
        const again = compileWritten(spelled, { sources, vocabulary: api, bareNumbers: 'marked' });
        expect(again.faults).toEqual([]);
        expect(again.program && bare(again.program)).toEqual(stored && bare(stored));
        // What is stored for it is read by the engine without any vocabulary.
        const run = compileStrategy(again.resolved, { sources }).program;
        expect(run && bare(run)).toEqual(stored && bare(stored));
      }),
      runs(400),
    );
    expect(spelledOnes).toBeGreaterThan(50);
  });

  test('behavior: a text of base units and addresses reads the same with and without a vocabulary', () => {
    const withoutPlaces = (value: unknown) =>
      JSON.stringify(value, (key, item) => (key === 'at' ? undefined : typeof item === 'bigint' ? `${item}` : item));
    fc.assert(
      fc.property(fc.oneof(truths.map(writeTruth), numberTrees.map(write)), (text) => {
        const plain = parse(text);
        fc.pre(plain.ok);
        expect(withoutPlaces(parse(text, api))).toBe(withoutPlaces(plain));
        expect(resolveText(text, api)).toBe(text);
      }),
      runs(400),
    );
    expect(withoutPlaces(parse('7 % -3 > 1', api))).toBe(withoutPlaces(parse('7 % -3 > 1')));
  });

  test('behavior: an amount shown with its unit is taken by the editor', () => {
    const variables = ['vault_free_assets', 'vault_total_supply', 'vault_pps', `ys_${prime}_shares`, `ys_${core}_tvl`];
    fc.assert(
      fc.property(fc.constantFrom(...variables), fc.bigInt({ min: 1n, max: 10n ** 40n }), (name, raw) => {
        const rule = spelledRule(`${name} >= ${raw}`);
        expect(asEditor({ rule }).faults).toEqual([]);
        expect(asEditor({ rule }).resolved.rules).toEqual({ type: 'EXPR', expr: `${name} >= ${raw}` });
      }),
      runs(200),
    );
  });
});
