import { describe, expect, test } from '@jest/globals';
import {
  compileRule,
  type Findings,
  MAX_RULE_DEPTH,
  MAX_RULE_NODES,
  noAliases,
  placeOf,
  printProgram,
  readProgram,
  takesOutOf,
  vocabularyOf,
  type WrittenNode,
  type WrittenProgram,
} from '../src/index.ts';
import { condition, core, editor, group, lexicon, other, prime, ruleOf, twin } from './written-strategies.ts';

const aProgram = (parts: Partial<WrittenProgram> = {}): WrittenProgram => ({
  indicators: [{ alias: 'idle', expr: 'vault_free_assets / vault_tvl' }],
  rule: group('AND', [
    condition('idle > 5 %'),
    group('NOT', [group('OR', [condition('between(tick_hour, 0, 6)'), condition('not (tick_dow < 6)')])]),
    group('VOTE', [condition('price > 0.995 USD'), condition('Morpho Prime.apy >\n  2 %')], '2'),
  ]),
  score: { expr: 'idle * 2', least: '0.5' },
  action: 'REBALANCE',
  size: '"Gauntlet (Core)".shares / 2',
  target: prime,
  from: core,
  hook: { name: 'Deposit', address: other },
  parameters: {},
  settings: {
    required_ticks: '2',
    objective: 'MIN_SLIPPAGE',
    max_slippage: '50 bps',
    max_duration: '1 min',
    max_amount: '3 units',
    min_free_assets: '',
    max_concurrent: '1',
    cooldown: '6 h',
  },
  ...parts,
});

const sample = `let idle = vault_free_assets / vault_tvl

when all of:
  idle > 5 %
  not:
    any of:
      between(tick_hour, 0, 6)
      not (tick_dow < 6)
  at least 2 of:
    price > 0.995 USD
    Morpho Prime.apy >
          2 %
score: idle * 2
least score: 0.5
evaluations in a row: 2

then REBALANCE "Gauntlet (Core)".shares / 2
out of: "Gauntlet (Core)"
into: Morpho Prime
hook: "Deposit" at ${other}

objective: least slippage
max slippage: 50 bps
longest execution: 1 min
most at once: 3 units
intents at once: 1
cooldown: 6 h
`;

const read = (text: string) => readProgram(text, editor);
function programIn(text: string): WrittenProgram {
  const found = read(text);
  if (!found.ok) throw new Error(found.faults.map(({ message }) => message).join('\n'));
  return found.program;
}
/** What is wrong, as "line:column code message". */
const faultsIn = (text: string): string[] => {
  const found = read(text);
  return found.ok ? [] : found.faults.map((each) => `${each.position.line}:${each.position.column} ${each.message}`);
};
const replaced = (before: string | RegExp, after: string) => sample.replace(before, after);

describe('one text', () => {
  test('default: a strategy as people read it', () => {
    expect(printProgram(aProgram(), editor)).toBe(sample);
    expect(programIn(sample)).toEqual(aProgram());
  });

  test('behavior: a rule of one condition stands behind when; not as a word of an expression is no group', () => {
    const rule = condition('not (vault_tvl > 1 WETH) and true');
    const text = printProgram(aProgram({ rule }), editor);
    expect(text).toContain('\nwhen not (vault_tvl > 1 WETH) and true\n');
    expect(programIn(text).rule).toEqual(rule);
    const inGroup = group('NOT', [condition('vault_tvl > 1 WETH and true')]);
    expect(programIn(printProgram(aProgram({ rule: inGroup }), editor)).rule).toEqual(inGroup);
  });

  test('behavior: what is not written yet is a question mark', () => {
    const open = aProgram({
      indicators: [{ alias: '', expr: '' }],
      rule: group('VOTE', [condition('')], ''),
      score: { expr: '', least: '' },
      size: '',
      target: '',
      from: '',
      hook: { name: '', address: '' },
    });
    const text = printProgram(open, editor);
    expect(text).toMatch(/^let \? = \?\n\nwhen at least \? of:\n {2}\?\nscore: \?\n/);
    expect(text).toContain('\nthen REBALANCE ?\nout of: ?\ninto: ?\nhook: ? at ?\n');
    expect(programIn(text)).toEqual(open);
  });

  test('behavior: a source without a name of its own, or whose name stood for another, is its address', () => {
    expect(printProgram(aProgram({ target: twin }), editor)).toContain(`into: ${twin}\n`);
    const moved = vocabularyOf(lexicon, { names: { 'Morpho Prime': twin } });
    expect(printProgram(aProgram(), moved)).toContain(`into: ${prime}\n`);
  });

  test('behavior: each action names what it is about by where its assets go', () => {
    const lines = (action: WrittenProgram['action']) =>
      printProgram(aProgram({ action, from: takesOutOf(action) ? core : null }), editor).match(/^(out of|into): .*$/gm);
    expect(lines('DEPOSIT')).toEqual(['into: Morpho Prime']);
    expect(lines('WITHDRAWAL')).toEqual(['out of: Morpho Prime']);
    expect(lines('REBALANCE')).toEqual(['out of: "Gauntlet (Core)"', 'into: Morpho Prime']);
    expect(lines('SWAP')).toEqual(['out of: "Gauntlet (Core)"', 'into: Morpho Prime']);
    expect(lines('CLAIM')).toEqual(['out of: Morpho Prime']);
  });

  test('behavior: a claim takes all there is, without a size and a limit', () => {
    const claim = aProgram({ action: 'CLAIM', size: '', from: null });
    const all = { ...claim, settings: { ...claim.settings, max_amount: '' } };
    expect(printProgram(all, editor)).toMatch(/\nthen CLAIM\nout of: Morpho Prime\nhook: /);
    expect(programIn(printProgram(all, editor))).toEqual(all);
  });

  test('behavior: lines end as any system ends them, and settings stand in any order', () => {
    expect(programIn(sample.replaceAll('\n', '\r\n'))).toEqual(aProgram());
    expect(programIn(sample.replaceAll('\n', '\r'))).toEqual(aProgram());
    const [head = '', ...more] = sample.trim().split('\n\n');
    expect(programIn([...more, head].join('\n'))).toEqual(aProgram());
  });
});

describe('faults', () => {
  test.each([
    ['a group without a colon', replaced('all of:', 'all of'), /^3:6 A group ends with a colon: write all of: and/],
    ['a group that is none', replaced('not:', 'no:'), /^5:3 no: begins no group\. Groups are all of:, any of:/],
    ['something behind a colon', replaced('not:\n    any of:', 'not: any of:'), /^5:3 Write what not: holds in lines/],
    ['an empty group', replaced(/ {4}any of:\n.*\n.*\n/, ''), /^5:3 not: needs a condition below it, indented\.$/],
    ['two things in not:', replaced('    any of:', '    true\n    any of:'), /^7:1 not: holds one thing/],
    ['a line between two indents', replaced('    any of:', '    true\n   any of:'), /^7:1 Indent this by 4 spaces/],
    ['a tab', replaced('  idle >', '\tidle >'), /^4:1 Indent with spaces; this line is indented with a tab\.$/],
    ['a comment in a line of its own', replaced('\nwhen', '\n# at night\nwhen'), /^3:1 Comments are not kept/],
    ['a comment behind an expression', replaced('> 5 %', '> 5 % // idle'), /^4:14 Comments are not kept/],
    ['a comment behind a setting', replaced('6 h', '6 h # long'), /^27:15 Comments are not kept/],
    [
      'an unknown setting',
      replaced('cooldown:', 'cool down:'),
      /^27:1 A line at the margin .* Did you mean cooldown:\?$/,
    ],
    ['an unknown action', replaced('REBALANCE', 'rebalance'), /^17:6 .* Did you mean REBALANCE\?$/],
    ['a setting that is there twice', `${sample}cooldown: 1 h\n`, /^28:1 cooldown: is in line 27 already\.$/],
    ['a setting of two lines', replaced('6 h', '6\n  h'), /^28:3 cooldown: has one line\.$/],
    ['a missing line', replaced('cooldown: 6 h\n', ''), /^26:19 Missing: cooldown:\. Write each in a line of its own/],
    ['a missing score', replaced('score: idle * 2\n', ''), /^26:14 Missing: score:\./],
    ['a missing value', replaced('cooldown: 6 h', 'cooldown:'), /^27:10 Behind cooldown: something is missing;/],
    [
      'a missing expression',
      replaced('idle = vault_free_assets / vault_tvl', 'idle ='),
      /^1:11 An expression is missing/,
    ],
    ['a missing size', replaced('"Gauntlet (Core)".shares / 2', ''), /^17:16 An expression is missing/],
    ['an indicator without =', replaced('idle =', 'idle'), /^1:1 Write let, a name, = and an expression/],
    [
      'a name of no source',
      replaced('into: Morpho Prime', 'into: Morpho Prme'),
      /^19:7 .* Did you mean Morpho Prime \(0xabab/,
    ],
    ['no name at all', replaced('into: Morpho Prime', 'into: 0x12'), /^19:7 Write the name of a yield source/],
    [
      'a source too many',
      replaced('then REBALANCE', 'then DEPOSIT'),
      /^18:1 A DEPOSIT has no line out of:; what it is about is behind into:\.$/,
    ],
    [
      'a source in the other line',
      replaced(/REBALANCE/, 'WITHDRAWAL'),
      /^19:1 A WITHDRAWAL has no line into:; what it is/,
    ],
    ['a source too few', replaced(/out of.*\n/, ''), /Missing: out of:\./],
    ['a hook without its address', replaced(/" at .*/, '"'), /^20:7 Write the name of the hook in quotes/],
    [
      'another objective',
      replaced('least slippage', 'fast'),
      /^22:12 The objective is one of: balanced, least slippage/,
    ],
    [
      'a list as a parameter',
      replaced('objective', 'parameter a: [1]\nobjective'),
      /^22:14 A parameter is a text in quotes/,
    ],
    [
      'a parameter twice',
      replaced('objective', 'parameter a: 1\nparameter a: 2\nobjective'),
      /^23:1 The parameter a is here twice/,
    ],
    ['an indented beginning', `  ${sample}`, /^1:3 A line at the margin begins with/],
    ['a limit left open', replaced('3 units', '?'), /^25:15 Write an amount, or take this line out/],
    ['a size of a claim', replaced('REBALANCE', 'CLAIM'), /^17:12 A CLAIM takes all there is\. It has no size\.$/],
    ['a limit of a claim', replaced('REBALANCE', 'CLAIM'), /^25:1 A CLAIM takes all there is\. It has no most at once/],
    ['nothing', '', /^1:1 Missing: when, then, hook:,/],
  ])('error: %s', (_what, text, wanted) => {
    expect(faultsIn(text).join('\n')).toMatch(new RegExp(wanted.source, 'm'));
  });

  test('behavior: an unknown name comes with the likely one, to be put in its place', () => {
    const found = read(replaced('into: Morpho Prime', 'into: Morpho Prme'));
    expect(found.ok ? [] : found.faults).toMatchObject([
      { code: 'UNKNOWN_NAME', suggestion: 'Morpho Prime', position: { length: 'Morpho Prme'.length } },
    ]);
  });

  test('behavior: what the compiler reports has its place in the whole text, in further lines of an expression too', () => {
    const text = replaced('          2 %', '          2 % +\n      vault_tlv');
    const found = read(text);
    if (!found.ok) throw new Error(found.faults[0]?.message);
    const findings: Findings = { faults: [], warnings: [] };
    compileRule(ruleOf(found.program.rule), { aliases: noAliases, vocabulary: editor }, findings);
    const fault = findings.faults.find(
      ({ code, message }) => code === 'UNKNOWN_IDENTIFIER' && /vault_tlv/.test(message),
    );
    const place = fault && placeOf(found.places, fault);
    expect(place).toMatchObject({ line: 13, column: 7, length: 9 });
    expect(text.slice(place?.offset, (place?.offset ?? 0) + 9)).toBe('vault_tlv');
    const at = (path: string) => placeOf(found.places, { path });
    expect(at('rules.children.2.threshold')).toMatchObject({ line: 9, column: 3 });
    expect(at('action_config.target_type')).toMatchObject({ line: 18, column: 6 });
    expect(at('cooldown_ms')).toMatchObject({ line: 28, column: 11 });
    expect(at('name')).toBeUndefined();
  });
});

describe('bounds', () => {
  const nested = (depth: number): WrittenNode => (depth === 1 ? condition('true') : group('AND', [nested(depth - 1)]));
  const wide = (count: number) =>
    aProgram({
      rule: group(
        'AND',
        Array.from({ length: count }, () => condition('true')),
      ),
    });
  const faults = (program: WrittenProgram) => faultsIn(printProgram(program, editor));

  test('behavior: rules nest as deep and have as many nodes as can be saved, and no more', () => {
    expect(faults(aProgram({ rule: nested(MAX_RULE_DEPTH) }))).toEqual([]);
    expect(faults(aProgram({ rule: nested(MAX_RULE_DEPTH + 1) })).join()).toMatch(/A rule nests at most 12 deep/);
    expect(faults(wide(MAX_RULE_NODES - 1))).toEqual([]);
    expect(faults(wide(MAX_RULE_NODES)).join()).toMatch(/A rule has at most 100 nodes/);
  });

  test('behavior: indicators are counted', () => {
    const many = (length: number) =>
      aProgram({ indicators: Array.from({ length }, (_, index) => ({ alias: `a${index}`, expr: '1' })) });
    expect(faults(many(32))).toEqual([]);
    expect(faults(many(33)).join()).toMatch(/^33:1 At most 32 indicators/);
  });

  test('behavior: a text of any size and form is read in time that grows with it, or refused', () => {
    expect(faultsIn('x'.repeat(300_001)).join()).toMatch(/^1:1 The text of a strategy has at most 300000 characters/);
    const parts = [
      '"',
      '\\',
      ' ',
      '\n',
      'let a = 1\n',
      'at least ',
      'a b ',
      '\n  not:',
      ' of:',
      '/',
      'when all of:\n ',
      '?:',
    ];
    const begins = [
      '',
      'let a = ',
      'when at least ',
      'hook: "',
      'when all of:\n  at least ',
      'parameter a: "',
      'into: ',
    ];
    for (const [part, begin] of parts.flatMap((each) => begins.map((start) => [each, start] as const))) {
      const text = `${begin}${part.repeat(Math.floor(100_000 / part.length))}`;
      // Of the processor: a machine with other work takes longer.
      const start = process.cpuUsage();
      read(text);
      expect([part, begin, process.cpuUsage(start).user < 2_000_000]).toEqual([part, begin, true]);
    }
  });

  test('behavior: faults are named as far as they help', () => {
    expect(faultsIn('strange\n'.repeat(500))).toHaveLength(20);
  });

  test('behavior: a draft that nests too deep is printed all the same', () => {
    let rule = condition('true');
    for (let depth = 0; depth < 3_000; depth += 1) rule = group('NOT', [rule]);
    expect(printProgram(aProgram({ rule }), editor)).toContain('not:');
  });
});
