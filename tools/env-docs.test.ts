import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { configurationPage, sourceOf, target } from './env-docs.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test('behavior: docs/configuration.md is what the schemas say (made by node tools/env-docs.ts)', async () => {
  expect(readFileSync(target, 'utf8')).toBe(await configurationPage());
});

test('behavior: every setting says what it does, in more words than its name', async () => {
  const rows = (await configurationPage()).split('\n').filter((row) => row.startsWith('| `'));
  expect(rows.length).toBeGreaterThan(120);
  const short = rows.filter(
    (row) =>
      (row
        .split(' | ')
        .slice(2)
        .join(' | ')
        .match(/[\w']+/g)?.length ?? 0) < 8,
  );
  expect(short).toEqual([]);
});

test.each(globSync('services/*/src/{,keeper/}config.ts', { cwd: root }))(
  'behavior: %s reads every variable of its schema',
  async (file) => {
    const { Environment } = (await import(join(root, file))) as { Environment: z.ZodObject };
    const source = sourceOf(file) + read('packages/service-kit/src/config.ts');
    // Named beside its definition, or taken under another name.
    const isRead = (name: string) => new RegExp(`\\b${name}\\b(?!\\s*:)|\\b${name}: \\w+[,} ]`).test(source);
    expect(Object.keys(Environment.shape).filter((name) => !isRead(name))).toEqual([]);
  },
);
