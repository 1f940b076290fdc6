import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { operatorCommands } from './castellan/commands.ts';
import { publishedCommands } from './castellan/published.ts';
import { cliPage, target } from './cli-docs.ts';

test('behavior: docs/cli.md is what the commands say; else run node tools/cli-docs.ts', () => {
  expect(readFileSync(target, 'utf8')).toBe(cliPage());
});

test('behavior: no two commands have one name, and all that have a result print JSON', () => {
  const all = [...publishedCommands, ...operatorCommands];
  const paths = all.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  const silent = all.filter(({ options = {}, hasOwnArguments }) => !hasOwnArguments && !options.json);
  expect(silent.map(({ path }) => path)).toEqual(['completion']);
});
