import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  actions,
  MAX_RULE_NODES,
  objectives,
  printProgram,
  readProgram,
  takesAll,
  takesOutOf,
  type WrittenNode,
  type WrittenProgram,
} from '../src/index.ts';
import { numberTrees, truths, write, writeTruth } from './second-evaluator.ts';
import { condition, core, editor, group, other, prime, twin } from './written-strategies.ts';

const read = (text: string) => readProgram(text, editor);
function programIn(text: string): WrittenProgram {
  const found = read(text);
  if (!found.ok) throw new Error(found.faults.map(({ message }) => message).join('\n'));
  return found.program;
}

const spaces = fc.constantFrom(' ', '  ', '\n', ' \n  ', '\n\n', '\n \n\t', '\t');
/** Text of the language with spaces and lines where they may stand. */
const laidOut = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.array(spaces, { minLength: 1, maxLength: 9 })).map(([plain, gaps]) => {
    let next = 0;
    return plain.replaceAll(/(?<=[(,])|(?=[),])/g, () => {
      next += 1;
      return next % 3 === 0 ? (gaps[next % gaps.length] ?? '') : '';
    });
  });
const truth = fc.oneof(
  fc.constantFrom('Morpho Prime.apy > 5 %', '"Gauntlet (Core)".tvl >\n\n 1 WETH', '-1 < 2'),
  laidOut(truths.map(writeTruth)),
);
const number = fc.oneof(fc.constantFrom('1_000.5 WETH', '-\n1'), laidOut(numberTrees.map(write)));
const { node: rules } = fc.letrec<{ node: WrittenNode; nodes: WrittenNode[] }>((tie) => ({
  nodes: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
  node: fc.oneof(
    { maxDepth: 5 },
    truth.map(condition),
    fc.tuple(fc.constantFrom('AND' as const, 'OR' as const), tie('nodes')).map(([type, nodes]) => group(type, nodes)),
    tie('node').map((node) => group('NOT', [node])),
    fc.tuple(fc.nat(3), tie('nodes')).map(([n, nodes]) => group('VOTE', nodes, `${1 + (n % nodes.length)}`)),
  ),
}));
const countOf = (node: WrittenNode): number => 1 + node.children.reduce((sum, each) => sum + countOf(each), 0);
const address = fc.constantFrom(prime, core, twin, other);
const scalar = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const programs: fc.Arbitrary<WrittenProgram> = fc
  .record({
    indicators: fc.array(fc.record({ alias: fc.constantFrom('a', 'let', 'idle_2', 'when'), expr: number }), {
      maxLength: 3,
    }),
    rule: rules.filter((rule) => countOf(rule) <= MAX_RULE_NODES),
    score: fc.option(fc.record({ expr: number, least: fc.constantFrom('0.5', '-1_000 units', '5 %') })),
    action: fc.constantFrom(...actions),
    size: number,
    target: address,
    from: address,
    hook: fc.record({
      name: fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
      address: fc.constantFrom(prime, other.toUpperCase().replace('X', 'x')),
    }),
    parameters: fc.dictionary(fc.stringMatching(/^[A-Za-z]\w{0,9}$/), fc.option(scalar), { maxKeys: 3 }),
    settings: fc.record({
      required_ticks: fc.constantFrom('1', '100'),
      objective: fc.constantFrom(...Object.keys(objectives)),
      max_slippage: fc.constantFrom('50 bps', '0.5 %', ''),
      max_duration: fc.constantFrom('1 min', '10 s'),
      max_amount: fc.constantFrom('', '1_000 WETH', '3 units'),
      min_free_assets: fc.constantFrom('', '0.000001 WETH'),
      max_concurrent: fc.constantFrom('1', '2'),
      cooldown: fc.constantFrom('0 s', '30 d'),
    }),
  })
  .map((program) => ({ ...program, from: takesOutOf(program.action) ? program.from : null }))
  .map((program) =>
    takesAll(program.action) ? { ...program, size: '', settings: { ...program.settings, max_amount: '' } } : program,
  );

describe('properties', () => {
  test('behavior: what is printed reads back as the same strategy, and prints the same again', () => {
    fc.assert(
      fc.property(programs, (program) => {
        const text = printProgram(program, editor);
        const again = programIn(text);
        // JSON knows no -0, and objects of it have another prototype than those of fast-check.
        expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(program)));
        expect(printProgram(again, editor)).toBe(text);
      }),
      runs(600),
    );
  });

  test('behavior: no text makes it throw, and every fault stands in the text', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .tuple(programs, fc.nat(), fc.nat(40), fc.oneof(fc.string(), fc.constantFrom('\n', '  ', '\t', '"', ':', '?')))
        .map(([program, at, length, put]) => {
          const text = printProgram(program, editor);
          const start = at % text.length;
          return `${text.slice(0, start)}${put}${text.slice(start + length)}`;
        }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const found = read(text);
        if (found.ok) {
          expect(read(printProgram(found.program, editor))).toMatchObject({ ok: true, program: found.program });
          return;
        }
        expect(found.faults.length).toBeGreaterThan(0);
        for (const { message, position } of found.faults) {
          const before = text.slice(0, position.offset).split(/\r\n|\r|\n/);
          expect(message).toMatch(/[.?…]$/);
          expect([position.line, position.column]).toEqual([before.length, (before.at(-1)?.length ?? 0) + 1]);
          expect(position.offset + (position.length ?? 0)).toBeLessThanOrEqual(text.length);
        }
      }),
      runs(600),
    );
  });
});
