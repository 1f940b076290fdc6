import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Where the product writes sentences for people. */
const folders = [
  'web/src',
  'packages/contracts/src',
  ...['ai', 'analytics', 'auth', 'gateway', 'users', 'vaults'].map((service) => `services/${service}/src`),
];

const sources = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|fixture)\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name)),
);

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*|\{\/\*)/.test(line);

/** The lines of code with the words, as `file: line`. */
function linesWith(words: RegExp, within: readonly string[] = sources): string[] {
  return within.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !isComment(line) && words.test(line))
      .map((line) => `${relative(root, file).split(sep).join('/')}: ${line.trim()}`),
  );
}

describe('words that people outside the field did not understand', () => {
  test.each([
    ['payable now', /payable now/i],
    ['how many conditions hold', /\bhold; ?\$?\{?\d*\w*\}? needed/],
    ['Adds to HHI', /adds to hhi/i],
    ['Weights 1.0', /\bweights 1\.0/i],
    ['Worst day in 20', /worst day in \d/i],
    ['waits to be taken', /waits? to be taken/i],
    ['begin of', /['"`>]begin of\b/i],
    ['the entry fee is no management fee', /\bmanagement fee/i],
    ['a bearer token, to a person who reads a page', /['"`>][^'"`]*bearer token.*<\//i],
  ])('behavior: nobody reads "%s"', (_, words) => expect(linesWith(words)).toEqual([]));
});

describe('figures and dates within sentences of the services', () => {
  const sentences = sources.filter((file) => /services[\\/](users|vaults)[\\/]src[\\/]/.test(file));

  test('behavior: no percentage is a product of a double, and no time is a cut ISO string', () => {
    const services = sources.filter((file) => file.includes('services'));
    expect(linesWith(/\* 100\} ?%|\/ 100\} ?%/, services)).toEqual([]);
    expect(linesWith(/toISOString\(\)\.slice\(0, 1[06]\)\.replace/, sentences)).toEqual([]);
    expect(linesWith(/replace\('\.000Z', 'Z'\)/, sentences)).toEqual([]);
  });

  test('behavior: no alert, audit title or call review counts in basis points', () => {
    const written = sentences.filter((file) =>
      /alerts[\\/].+[\\/]domain|[\\/]titles\.ts$|prepared-calls[\\/]changes[\\/]/.test(file),
    );
    expect(written.length).toBeGreaterThan(15);
    expect(linesWith(/\} bps\b/, written)).toEqual([]);
  });
});

test('default: the folders are where sentences are', () => expect(sources.length).toBeGreaterThan(600));
