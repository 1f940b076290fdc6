import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { meaningOf, terms } from './terms.ts';

const names = terms.flatMap((term) => term.names);

test('default: a label is found as it stands, or by the part before its comma', () => {
  expect(meaningOf('High-water mark')).toMatch(/^The price above which/);
  expect(meaningOf('Net APY, 7 days')).toBe(meaningOf('APY'));
  expect(meaningOf('Vault')).toBeUndefined();
});

test('behavior: each name stands once, and each meaning is whole sentences that fit a tooltip', () => {
  expect(new Set(names).size).toBe(names.length);
  for (const { text } of terms) {
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(text.length).toBeLessThan(200);
  }
});

test('behavior: each name is on a screen', () => {
  const root = new URL('../', import.meta.url).pathname;
  const sources = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(
      ({ name, parentPath }) => /\.tsx?$/.test(name) && !name.includes('.test.') && !parentPath.includes('glossary'),
    )
    .map(({ name, parentPath }) => readFileSync(`${parentPath}/${name}`, 'utf8').toLowerCase());
  expect(names.filter((name) => !sources.some((text) => text.includes(name)))).toEqual([]);
});
