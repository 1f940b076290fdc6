import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MandateDocument, promiseKinds } from '@castellan/contracts';
import { addressOf, cast } from '@castellan/devnet';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { schemaText, target } from './mandate-schema.ts';

const page = readFileSync(join(fileURLToPath(new URL('../', import.meta.url)), 'docs/mandates.md'), 'utf8');

test('default: the JSON schema of mandates is that of the contract; node tools/mandate-schema.ts writes it', () => {
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual(JSON.parse(schemaText()));
});

test('behavior: sources of the example are sources of the vault of the local chain that it is about', () => {
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const recorded = JSON.parse(
    readFileSync(new URL('../services/gateway/src/openapi/generated/examples.json', import.meta.url), 'utf8'),
  ) as { yieldSources: { answer: { yield_sources: { source_address: string }[] } } };
  const known = recorded.yieldSources.answer.yield_sources.map(({ source_address }) => source_address);
  const named = MandateDocument.parse(parse(example)).promises.flatMap((promise) => {
    if (promise.kind === 'layer_share') return promise.sources;
    return promise.kind === 'source_share' && promise.source !== undefined ? [promise.source] : [];
  });
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((source) => !known.includes(source))).toEqual([]);
});

test('behavior: the example allows every secondary manager of a vault of the local chain, so that it is held there', () => {
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const allowed = MandateDocument.parse(parse(example)).promises.flatMap((promise) =>
    promise.kind === 'managers' ? promise.allowed : [],
  );
  const deputies = [...cast.secondaryManagers, cast.keeper, cast.systemKeeper].map(addressOf);
  expect(allowed).toEqual(deputies);
});

test('behavior: the example of the page is a mandate with a promise of every kind', () => {
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { promises } = MandateDocument.parse(parse(example));
  expect(new Set(promises.map(({ kind }) => kind))).toEqual(new Set(promiseKinds));
});
