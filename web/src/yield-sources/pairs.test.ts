import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { anAddress } from '../../test/builders.ts';
import { knownOf, readDrafts, readLines } from './pairs.ts';

const a = anAddress(0x30);
const b = anAddress(0x31);
const oracle = anAddress(0x40);
const none = knownOf([]);
const pair = (source_address: string) => ({ source_address, oracle_address: oracle });

describe('readLines', () => {
  test('default: commas, semicolons, tabs and spaces part a source from its oracle; blank lines are skipped', () => {
    expect(readLines(`${a}, ${oracle}\n\n${b};${oracle}\r\n`, none)).toEqual({ pairs: [pair(a), pair(b)] });
    expect(readLines(`${a}\t${oracle}\n${b.toLowerCase()} ${oracle}`, none)).toEqual({ pairs: [pair(a), pair(b)] });
  });

  test.each<[string, string, number, RegExp]>([
    ['a source that is no address', `${a}, ${oracle}\n0x12, ${oracle}`, 2, /^Source: .*40 hexadecimal/],
    ['an oracle that is no address', `${a}, nonsense`, 1, /^Oracle: .*40 hexadecimal/],
    ['a missing oracle', `\n${a}`, 2, /^Oracle: It is missing/],
    ['a third column', `${a}, ${oracle}, ${b}`, 1, /more than a source/],
    ['the same source twice', `${a}, ${oracle}\n\n${a.toLowerCase()}, ${oracle}`, 3, /stands on line 1/],
    ['nothing', ' \n ', 1, /Nothing/],
  ])('error: %s is reported with its line', (_, text, line, words) => {
    expect(readLines(text, none)).toEqual({ faults: [{ line, text: expect.stringMatching(words) }] });
  });

  test('error: a source the vault has is reported with its line, whatever its case', () => {
    const known = knownOf([{ source_address: b.toLowerCase() }]);
    expect(readLines(`${a}, ${oracle}\n${b}, ${oracle}`, known)).toEqual({
      faults: [{ line: 2, text: 'Source: The vault has this source already.' }],
    });
  });

  test('error: more than one call takes', () => {
    const text = Array.from({ length: 51 }, (_, index) => `${anAddress(0x100 + index)}, ${oracle}`).join('\n');
    expect(readLines(text, none)).toEqual({ faults: [{ line: 51, text: expect.stringContaining('50') }] });
  });
});

describe('readDrafts', () => {
  test('default: blank rows among others count for nothing', () => {
    expect(
      readDrafts(
        [
          { source: a, oracle },
          { source: ' ', oracle: '' },
        ],
        none,
      ),
    ).toEqual({ pairs: [pair(a)] });
  });

  test('error: a form with nothing in it says so in its row', () => {
    expect(readDrafts([{ source: '', oracle: '' }], none)).toMatchObject({ faults: [{ source: expect.any(String) }] });
  });

  test('error: each row has its own fault', () => {
    const drafts = [
      { source: a, oracle },
      { source: a, oracle },
      { source: b, oracle: '' },
    ];
    expect(readDrafts(drafts, none)).toEqual({
      faults: [{}, { source: 'The same source stands on row 1.' }, { oracle: expect.any(String) }],
    });
  });
});
