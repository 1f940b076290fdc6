import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** More than a reader takes in at once: split the file by subject. */
const mostLines = 400;

test('default: no file of a package is too long', () => {
  const files = globSync('packages/*/{src,test}/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(350);
  const lines = files.map((file) => ({ file, count: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }));
  expect(lines.filter(({ count }) => count > mostLines)).toEqual([]);
});
