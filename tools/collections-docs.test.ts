import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { collectionsPage, definingFiles, definitionsIn, target } from './collections-docs.ts';

test('behavior: docs/collections.md is what the definitions say (made by npm run docs:collections)', async () => {
  expect(readFileSync(target, 'utf8')).toBe(await collectionsPage());
});

test('behavior: every definition is exported, so that the page lists it', async () => {
  for (const { file, count } of definingFiles())
    expect([file, (await definitionsIn(file)).length]).toEqual([file, count]);
});
