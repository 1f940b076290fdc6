import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rows = [
  ...readFileSync(join(root, 'docs/glossary.md'), 'utf8').matchAll(/^\| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$/gm),
].map(([, term = '', sentence = '', place = '']) => ({ term, sentence, place }));

test('default: forty terms at least, by the alphabet, each once', () => {
  const terms = rows.map(({ term }) => term);
  expect(terms.length).toBeGreaterThanOrEqual(40);
  expect(terms).toEqual([...new Set(terms)].sort());
});

test('behavior: each term is one sentence, and lives where the page says', () => {
  for (const { term, sentence, place } of rows) {
    expect([term, /^[A-Z][^.]*\.$/.test(sentence.replaceAll(/`[^`]*`/g, ''))]).toEqual([term, true]);
    expect([term, existsSync(join(root, place))]).toEqual([term, true]);
  }
});

test('behavior: no term is explained on the screens as well', () => {
  const source = readFileSync(join(root, 'web/src/glossary/terms.ts'), 'utf8');
  const lists = [...source.matchAll(/names: \[([^\]]*)\]/g)].map(([, list]) => `${list}`);
  const onScreens = new Set(lists.flatMap((list) => [...list.matchAll(/'([^']+)'/g)].map(([, name]) => `${name}`)));
  expect(onScreens.size).toBeGreaterThan(40);
  expect(rows.filter(({ term }) => onScreens.has(term))).toEqual([]);
});
