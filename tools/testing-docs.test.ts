import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = readFileSync(join(root, 'docs/testing.md'), 'utf8');
const named = [...page.matchAll(/`([\w./-]+\.test\.tsx?)`/g)].map(([, file]) => `${file}`);

test('behavior: every test file that docs/testing.md names exists', () => {
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('behavior: every end-to-end test is in docs/testing.md', () => {
  const files = globSync('tests/e2e/**/*.e2e.test.ts', { cwd: root });
  expect(files.filter((file) => !named.includes(file))).toEqual([]);
});
