import { readFileSync } from 'node:fs';
import type { CollectionDefinition } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { collectionsPage, definingFiles, definitionsIn, target } from './collections-docs.ts';
import { pageWithTable, readPage, shardKeys } from './shard-keys.ts';

test('behavior: docs/collections.md is what the definitions say (made by npm run docs:collections)', async () => {
  expect(readFileSync(target, 'utf8')).toBe(await collectionsPage());
});

test('behavior: every definition is exported, so that the page lists it', async () => {
  for (const { file, count } of definingFiles())
    expect([file, (await definitionsIn(file)).length]).toEqual([file, count]);
});

test('behavior: every collection says whether a backup holds it', async () => {
  const kept = new Set<unknown>(['truth', 'rebuilt', 'transient']);
  for (const { file } of definingFiles())
    for (const definition of await definitionsIn(file))
      expect([file, definition.name, kept.has(definition.kept)]).toEqual([file, definition.name, true]);
});

const serviceOf = (file: string) => `${file.split('/')[1]}`;

test('default: docs/operations/scaling.md has the table; else run node tools/shard-keys.ts', () => {
  expect(readPage()).toContain('| vaults | `chain_blocks`, `chain_log`, `log_archives` | `{ chain_id: 1 }` |');
  expect(readPage()).toBe(pageWithTable(readPage()));
});

test('behavior: every collection has its key, which begins each of its unique indexes, as a sharded store asks', async () => {
  const known: string[] = [];
  for (const { file } of definingFiles())
    for (const { name, indexes } of (await definitionsIn(file)) as CollectionDefinition[]) {
      known.push(`${serviceOf(file)}.${name}`);
      const key = shardKeys[serviceOf(file)]?.[name];
      expect([file, name, key]).toEqual([file, name, expect.anything()]);
      if (!key || 'whole' in key) continue;
      const fields = 'hashed' in key ? [key.hashed] : key.fields;
      for (const { keys, unique } of indexes)
        if (unique) expect([name, Object.keys(keys).slice(0, fields.length)]).toEqual([name, [...fields]]);
      // A key needs an index that begins with it; that of a hashed one is made when it is sharded, as is this one's.
      const isServed = indexes.some(({ keys }) => fields.every((field, place) => Object.keys(keys)[place] === field));
      expect([name, 'hashed' in key || isServed]).toEqual([name, true]);
    }
  const listed = Object.entries(shardKeys).flatMap(([service, keys]) =>
    Object.keys(keys).map((name) => `${service}.${name}`),
  );
  expect(listed.sort()).toEqual(known.sort());
});
