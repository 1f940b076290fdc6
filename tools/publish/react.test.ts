import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildReact, externals } from './build-react.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
let folder: string;
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const importsOf = (text: string) =>
  [...text.matchAll(/(?:from|import) ?["']([^"']+)["']/g)].map(([, id]) => String(id));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-react-'));
  await buildReact(root, folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('default: what is published imports the SDK, React and react-query, and files of its own that are there', () => {
  const files = globSync('**/*.{js,ts}', { cwd: folder });
  expect(files.length).toBeGreaterThan(6);
  for (const file of files)
    for (const id of importsOf(read(file)))
      if (!id.startsWith('.')) expect([file, id]).toEqual([file, expect.stringMatching(externals)]);
      else expect(files).toContain(join(file, '..', id).replace(/\.js$/, file.endsWith('.d.ts') ? '.d.ts' : '.js'));
});

test('behavior: the hooks that read bring no checks of calls along; the manifest names the SDK of its own version', () => {
  expect(importsOf(read('index.js'))).not.toContain('@castellan/sdk/calls');
  expect(importsOf(read('calls.js'))).toContain('@castellan/sdk/calls');
  const { version, dependencies, private: hidden, devDependencies } = JSON.parse(read('package.json')) as Manifest;
  expect({ dependencies, hidden, devDependencies }).toEqual({ dependencies: { '@castellan/sdk': version } });
});

type Manifest = { version: string; dependencies: object; private?: boolean; devDependencies?: object };
