import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { operatorCommands } from './castellan/commands.ts';
import { publishedCommands } from './castellan/published.ts';
import { cliPage, target } from './cli-docs.ts';

test('behavior: docs/cli.md is what the commands say; else run node tools/cli-docs.ts', () => {
  expect(readFileSync(target, 'utf8')).toBe(cliPage());
});

test('behavior: no two commands have one name, and all that ask the API print JSON', () => {
  const paths = [...publishedCommands, ...operatorCommands].map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  const silent = publishedCommands.filter(({ options = {}, hasOwnArguments }) => !hasOwnArguments && !options.json);
  expect(silent.map(({ path }) => path)).toEqual(['completion']);
});
