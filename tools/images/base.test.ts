import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { npmFolder } from './base.ts';

const { PATH } = process.env;
afterEach(() => {
  process.env.PATH = PATH;
});

test("behavior: npm is found where the lockfile's Node, which has none, is first on the path", () => {
  const ofLockfile = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
  process.env.PATH = `${ofLockfile}:${PATH}`;
  const { name } = JSON.parse(readFileSync(join(npmFolder(), 'package.json'), 'utf8')) as { name: string };
  expect(name).toBe('npm');
});
