import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MandateDocument, promiseKinds } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { schemaText, target } from './mandate-schema.ts';

const page = readFileSync(join(fileURLToPath(new URL('../', import.meta.url)), 'docs/mandates.md'), 'utf8');

test('default: the JSON schema of mandates is that of the contract; node tools/mandate-schema.ts writes it', () => {
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual(JSON.parse(schemaText()));
});

test('behavior: the example of the page is a mandate with a promise of every kind', () => {
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { promises } = MandateDocument.parse(parse(example));
  expect(new Set(promises.map(({ kind }) => kind))).toEqual(new Set(promiseKinds));
});
