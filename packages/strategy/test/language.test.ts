import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  check,
  type Expr,
  evaluate,
  lookupIn,
  MAX_LENGTH,
  MAX_STEPS,
  noAliases,
  type Outcome,
  type Position,
  parse,
  parseRational,
  print,
  ratio,
  showRational,
} from '../src/index.ts';
import { number, numberTrees, truth, truths, type Values, valuesOf, write, writeTruth } from './second-evaluator.ts';

const START: Position = { offset: 0, line: 1, column: 1 };

function expr(text: string): Expr {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.fault.message}`);
  return parsed.expr;
}
const lookupOf =
  (values: Values) =>
  (name: string): Outcome => {
    const value = values[name];
    return value ? { known: true, value: ratio(value.n, value.d) } : { known: false, why: { code: 'NO_VALUE', name } };
  };
const run = (text: string, values: Values = {}) =>
  evaluate(expr(text), { lookup: lookupOf(values), budget: { steps: MAX_STEPS } });
function shown(text: string, values: Values = {}): string {
  const outcome = run(text, values);
  if (!outcome.known) return outcome.why.code;
  return typeof outcome.value === 'boolean' ? String(outcome.value) : showRational(outcome.value);
}

/** Without places, which printing changes. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, item) => (key === 'at' ? undefined : typeof item === 'bigint' ? `${item}` : item)),
  );

describe('reading', () => {
  test.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['10 - 4 - 3', '3'],
    ['2 * -3', '-6'],
    ['7 % 3', '1'],
    ['-7 % 3', '2'],
    ['1_500_000 == 1.5e6', 'true'],
    ['0.1 + 0.2 == 0.3', 'true'],
    ['1 / 3 * 3 == 1', 'true'],
    ['1 / 3', '1/3'],
    ['not 1 > 2 and 3 > 2', 'true'],
    ['true or false and false', 'true'],
    ['1 < 2 && !(2 < 1)', 'true'],
    ['if(1 > 2, 10, 20)', '20'],
    ['clamp(50, 10, 20) + min(3, 1, 2) + max(1, 4) + abs(-5)', '30'],
    ['floor(-1.5) + ceil(1.2) + round(2.5)', '3'],
    ['between(5, 1, 5)', 'true'],
  ])('default: %s is %s', (text, value) => expect(shown(text)).toBe(value));

  test.each([
    ['', 'EMPTY', 0, 'empty'],
    ['1 +', 'UNEXPECTED_TOKEN', 3, 'Expected a value, found the end'],
    ['1 +\n  * 2', 'UNEXPECTED_TOKEN', 6, 'Expected a value'],
    ['(1 + 2', 'UNEXPECTED_TOKEN', 6, 'Expected ")"'],
    ['1 2', 'UNEXPECTED_TOKEN', 2, 'operator or the end'],
    ['a = 1', 'UNEXPECTED_CHARACTER', 2, 'Write == to compare'],
    ['1 < 2 < 3', 'UNEXPECTED_TOKEN', 6, 'do not chain'],
    ['1 == not true', 'UNEXPECTED_TOKEN', 5, 'parentheses'],
    ['1__0', 'NUMBER_MALFORMED', 0, '1500000'],
    ['1.', 'NUMBER_MALFORMED', 0, '1500000'],
    ['max(1,)', 'UNEXPECTED_TOKEN', 6, 'Expected a value'],
    ['constructor["x"]', 'UNEXPECTED_CHARACTER', 11, 'means nothing'],
    ['`1`', 'UNEXPECTED_CHARACTER', 0, 'means nothing'],
    ['😀', 'UNEXPECTED_CHARACTER', 0, '😀'],
    [`${'('.repeat(500)}1`, 'TOO_DEEP', 61, 'at most 60 deep'],
    [`1${'+1'.repeat(400)}`, 'TOO_DEEP', 682, 'at most 60 deep'],
    ['-'.repeat(1_000), 'TOO_DEEP', 61, 'at most 60 deep'],
    ['1'.repeat(MAX_LENGTH + 1), 'TOO_LONG', 0, '2000 characters'],
    ['1e999', 'NUMBER_MALFORMED', 0, 'not a number'],
  ])('error: %j is %s', (text, code, offset, message) => {
    const parsed = parse(text);
    expect(parsed).toMatchObject({ ok: false, fault: { code, position: { offset } } });
    expect(parsed.ok ? '' : parsed.fault.message).toContain(message);
  });

  test('error: a fault on a later line says so', () => {
    expect(parse('1 +\n  * 2')).toMatchObject({ fault: { position: { offset: 6, line: 2, column: 3 } } });
  });

  test('behavior: any text is read or refused, never more', () => {
    const pieces = fc.constantFrom(
      '1',
      '0.5',
      '+',
      '-',
      '*',
      '/',
      '%',
      '(',
      ')',
      ',',
      '<',
      '==',
      'and',
      'not',
      'if',
      'price',
      ' ',
      '!',
      '=',
      '_',
      'é',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parse(text);
        if (!parsed.ok) {
          expect(parsed.fault.position.offset).toBeLessThanOrEqual(text.length);
          return;
        }
        check(parsed.expr, { aliases: noAliases });
        evaluate(parsed.expr, { lookup: lookupOf({}), budget: { steps: MAX_STEPS } });
        expect(bare(expr(print(parsed.expr)))).toEqual(bare(parsed.expr));
      }),
      runs(3_000),
    );
  });
});

describe('names, types and units', () => {
  const faultOf = (text: string, sources?: string[]) => check(expr(text), { sources, aliases: noAliases });
  const source = `0x${'ab'.repeat(20)}`;

  test.each([
    ['vault_free_asset > 0', 'UNKNOWN_IDENTIFIER', 0, 'vault_free_assets'],
    ['1 + vault_tlv', 'UNKNOWN_IDENTIFIER', 4, 'vault_tvl'],
    [`ys_${source}_amont > 0`, 'UNKNOWN_IDENTIFIER', 0, `ys_${source}_amount`],
    [`ys_${source.toUpperCase().replace('X', 'x')}_amount > 0`, 'UNKNOWN_IDENTIFIER', 0, `ys_${source}_amount`],
    ['mim(1, 2)', 'UNKNOWN_FUNCTION', 0, 'min'],
    ['constructor(1)', 'UNKNOWN_FUNCTION', 0, undefined],
    ['__proto__ > 0', 'UNKNOWN_IDENTIFIER', 0, undefined],
    ['abs(1, 2)', 'WRONG_ARGUMENT_COUNT', 0, undefined],
    ['1 and true', 'WRONG_TYPE', 0, undefined],
    ['1 + (2 > 1)', 'WRONG_TYPE', 7, undefined],
    ['true == 1', 'WRONG_TYPE', 8, undefined],
    ['if(1, 2, 3)', 'WRONG_TYPE', 3, undefined],
    ['if(true, 2, false)', 'WRONG_TYPE', 12, undefined],
  ])('error: %s is %s', (text, code, offset, suggestion) => {
    const [fault] = faultOf(text, [source]).faults;
    expect(fault).toMatchObject({ code, position: { offset } });
    expect(fault?.suggestion).toBe(suggestion);
  });

  test('error: a source the vault does not have is refused', () => {
    const other = `0x${'ab'.repeat(19)}ac`;
    expect(faultOf(`ys_${other}_apy > 0.05`, [source]).faults).toMatchObject([
      { code: 'UNKNOWN_IDENTIFIER', suggestion: `ys_${source}_apy` },
    ]);
    expect(faultOf(`ys_${other}_apy > 0.05`).faults).toEqual([]);
  });

  test('behavior: amounts of different things are warned about, not refused', () => {
    const { faults, warnings } = faultOf('vault_free_assets + vault_total_supply > 0');
    expect([faults, warnings]).toMatchObject([
      [],
      [{ code: 'WRONG_UNIT', message: expect.stringContaining('assets and shares') }],
    ]);
    expect(faultOf('vault_free_assets / vault_tvl > 0.1').warnings).toEqual([]);
    expect(faultOf('vault_free_assets - vault_tvl * 0.05').checked).toEqual({ type: 'number', unit: 'assets' });
  });

  test('behavior: checking takes time with the length, not with the nesting', () => {
    const nested = `${'('.repeat(50)}true${' == true)'.repeat(50)}`;
    const choices = `${'if('.repeat(50)}true${', true, true)'.repeat(50)}`;
    const before = performance.now();
    for (const text of [nested, choices]) expect(faultOf(text).faults).toEqual([]);
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});

describe('working out', () => {
  const zero = { vault_tvl: { n: 0n, d: 1n }, vault_free_assets: { n: 5n, d: 1n } };
  test.each([
    ['vault_free_assets / vault_tvl > 1', 'DIVISION_BY_ZERO'],
    ['1 % vault_tvl > 1', 'DIVISION_BY_ZERO'],
    ['vault_tvl > 0 and vault_free_assets / vault_tvl > 1', 'false'],
    ['vault_free_assets / vault_tvl > 1 and vault_tvl > 0', 'false'],
    ['if(vault_tvl > 0, 1 / vault_tvl, 7)', '7'],
    ['price > 1', 'NO_VALUE'],
    ['price > 1 or vault_free_assets == 5', 'true'],
    ['price > 1 and vault_free_assets == 5', 'NO_VALUE'],
    ['not (price > 1)', 'NO_VALUE'],
  ])('behavior: %s is %s', (text, value) => expect(shown(text, zero)).toBe(value));

  test('behavior: numbers that grow without end have no value', () => {
    expect(shown(`${Array(50).fill('1e100').join(' * ')} > 1`)).toBe('TOO_LARGE');
  });

  test('behavior: work without end has no value', () => {
    const text = `max(${Array(12).fill('1/3*1/7*1/9*1/11*1/13').join(', ')}) > 0`;
    const budget = { steps: 100 };
    expect(evaluate(expr(text), { lookup: lookupOf({}), budget })).toMatchObject({ why: { code: 'TOO_MANY_STEPS' } });
  });

  test('behavior: agrees with the second evaluator on numbers', () => {
    fc.assert(
      fc.property(numberTrees, valuesOf, (tree, values) => {
        const text = write(tree);
        fc.pre(text.length <= MAX_LENGTH && parse(text).ok);
        const mine = run(text, values);
        if (!mine.known && mine.why.code === 'TOO_LARGE') return;
        const theirs = number(tree, values);
        const value = theirs && showRational(ratio(theirs.n, theirs.d));
        expect(mine.known ? showRational(mine.value as never) : null).toBe(value);
      }),
      runs(2_000),
    );
  });

  test('behavior: agrees with the second evaluator on conditions', () => {
    fc.assert(
      fc.property(truths, valuesOf, (tree, values) => {
        const text = writeTruth(tree);
        fc.pre(text.length <= MAX_LENGTH && parse(text).ok);
        expect(check(expr(text), { aliases: noAliases }).faults).toEqual([]);
        const mine = run(text, values);
        if (!mine.known && mine.why.code === 'TOO_LARGE') return;
        expect(mine.known ? mine.value : null).toBe(truth(tree, values));
      }),
      runs(2_000),
    );
  });
});

describe('printing', () => {
  test.each([
    ['((1+2))*3', '(1 + 2) * 3'],
    ['1-(2-3)', '1 - (2 - 3)'],
    ['!a && (b||c)', 'not a and (b or c)'],
    ['1_000.50', '1000.5'],
    ['1e-3', '0.001'],
    ['MAX', 'MAX'],
    ['(1<2)==(3<4)', '(1 < 2) == (3 < 4)'],
    ['(not a) == b', '(not a) == b'],
    ['not (a and b)', 'not (a and b)'],
    ['-(1 + 2) * 3', '-(1 + 2) * 3'],
    ['- -1', '--1'],
  ])('default: %s becomes %s', (text, canonical) => expect(print(expr(text))).toBe(canonical));

  test('behavior: what is printed reads as the same expression, and prints the same again', () => {
    fc.assert(
      fc.property(fc.oneof(truths.map(writeTruth), numberTrees.map(write)), (text) => {
        fc.pre(text.length <= MAX_LENGTH && parse(text).ok);
        const once = print(expr(text));
        expect(bare(expr(once))).toEqual(bare(expr(text)));
        expect(print(expr(once))).toBe(once);
      }),
      runs(2_000),
    );
  });

  test('behavior: numbers read back as they were', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 10n ** 30n }), (n, d) => {
        const value = ratio(n, d);
        expect(parseRational(showRational(value))).toEqual(value);
      }),
      runs(500),
    );
  });
});

describe('a snapshot', () => {
  const at = {
    block_number: 1,
    block_time: Date.UTC(2026, 10, 21, 16, 5, 9) / 1000,
    values: { price: '1.0001', vault_pps: 'x', vault_tvl: null },
  };
  const value = (name: string) => {
    const outcome = lookupIn(at)(name);
    return outcome.known ? showRational(outcome.value as never) : outcome.why.code;
  };
  test.each([
    ['price', '1.0001'],
    ['vault_tvl', 'NO_VALUE'],
    ['vault_pps', 'NO_VALUE'],
    ['toString', 'NO_VALUE'],
    ['tick_hour', '16'],
    ['tick_minute', '5'],
    ['tick_second', '9'],
    ['tick_dow', '6'],
    ['tick_day', '21'],
    ['tick_month', '11'],
    ['tick_year', '2026'],
    ['tick_unix_ms', `${at.block_time}000`],
  ])('default: %s is %s', (name, wanted) => expect(value(name)).toBe(wanted));
});

test('behavior: the place of a fault is counted in lines and columns from 1', () => {
  expect(parse('')).toMatchObject({ fault: { position: START } });
});
