import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { configurationPage, target } from './env-docs.ts';

test('behavior: docs/configuration.md is what the schemas say (made by node tools/env-docs.ts)', async () => {
  expect(readFileSync(target, 'utf8')).toBe(await configurationPage());
});
