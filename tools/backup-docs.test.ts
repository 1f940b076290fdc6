import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, 'docs', file), 'utf8');
/** `12 100` as a number. */
const numberOf = (text = '') => Number(text.replaceAll(' ', ''));

test('behavior: how long a rebuild of a million entries takes is what was measured', () => {
  const measured = read('performance.md');
  const page = read('operations/backup.md');
  const figures = {
    'the log, from the chain': /\*\*([\d ]+) events a second by the clock\*\*/,
    'analytics, from the log': /projected\s+at ([\d ]+) events a second/,
  };
  for (const [what, pattern] of Object.entries(figures)) {
    const perSecond = numberOf(pattern.exec(measured)?.[1]);
    const [, stated, seconds] = new RegExp(`\\| ${what} \\| ([\\d ]+) \\| (\\d+) s \\|`).exec(page) ?? [];
    expect([what, numberOf(stated), Number(seconds)]).toEqual([what, perSecond, Math.round(1e6 / perSecond)]);
  }
});
