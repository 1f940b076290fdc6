import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildWeb, staleness } from './web-build.ts';

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let root: string;

const write = (name: string, content: string): void => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
};

/** A small repository whose web reads what ours reads: a package, a runbook through a plugin, a folder by a pattern. */
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'castellan-web-build-'));
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(join(repository, 'node_modules/vite'), join(root, 'node_modules/vite'));
  write('package-lock.json', '{}');
  write('packages/strategy/package.json', '{}');
  write('packages/strategy/src/index.ts', 'export const strategy: number = 1;');
  write('docs/runbooks/alerts.md', '# Alerts');
  write('web/index.html', '<script type="module" src="/src/main.ts"></script>');
  write(
    'web/src/main.ts',
    `import { strategy } from '../../packages/strategy/src/index.ts';
console.log(strategy, import.meta.glob<string>(['./pages/**/*.ts', '!./pages/none.ts']));`,
  );
  write('web/src/pages/first.ts', 'export const page = 1;');
  write('web/public/robots.txt', 'none');
  write('web/name.ts', "export const name = 'runbooks';");
  write(
    'web/vite.config.ts',
    `import { readFileSync } from 'node:fs';
import { recordInputs } from ${JSON.stringify(join(repository, 'web/build/record-inputs.ts'))};
import { name } from './name.ts';
const file = ${JSON.stringify(join(root, 'docs/runbooks/alerts.md'))};
const runbooks = {
  name,
  buildStart() {
    this.addWatchFile(file);
  },
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'alerts.html', source: readFileSync(file, 'utf8') });
  },
};
export default { plugins: recordInputs(${JSON.stringify(root)}, [runbooks]) };`,
  );
  expect(await buildWeb(root)).toBe(true);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Changes a file, asks, and puts it back. */
function whenChanged(name: string, from: string): string | undefined {
  write(name, `${from}\n`);
  try {
    return staleness(root);
  } finally {
    write(name, from);
  }
}

test('default: nothing is built when nothing changed', async () => {
  expect(staleness(root)).toBeUndefined();
  expect(await buildWeb(root, () => Promise.reject(new Error('It was built.')))).toBe(false);
});

test('behavior: what the build read and has changed is named', () => {
  const changed = (name: string, from: string) => expect(whenChanged(name, from)).toBe(name);
  changed('packages/strategy/src/index.ts', 'export const strategy: number = 1;');
  changed('packages/strategy/package.json', '{}');
  changed('docs/runbooks/alerts.md', '# Alerts');
  changed('web/src/pages/first.ts', 'export const page = 1;');
  changed('web/public/robots.txt', 'none');
  changed('web/name.ts', "export const name = 'runbooks';");
  changed('package-lock.json', '{}');
  expect(staleness(root)).toBeUndefined();
});

test('behavior: a file that a pattern of the build would match is noticed', () => {
  for (const name of ['web/src/pages/deeper/second.ts', 'web/public/icon.svg', 'web/.env.production']) {
    write(name, '');
    expect([name, staleness(root)]).toEqual([name, expect.stringMatching(/^web\/.*\*/)]);
    rmSync(join(root, name));
  }
  expect(staleness(root)).toBeUndefined();
});

test('behavior: a file that the build does not read triggers nothing', () => {
  write('docs/other.md', 'new');
  write('packages/strategy/src/index.test.ts', 'new');
  expect(staleness(root)).toBeUndefined();
});

test('behavior: of two that find a change at the same time, one builds and the other waits for it', async () => {
  write('docs/runbooks/alerts.md', '# Other alerts');
  let builds = 0;
  const build = async () => {
    builds += 1;
    await new Promise((resolve) => setImmediate(resolve));
    write('docs/runbooks/alerts.md', '# Alerts');
  };
  expect(await Promise.all([buildWeb(root, build), buildWeb(root, build)])).toEqual([true, false]);
  expect(builds).toBe(1);
});

test('error: a build that fails leaves nothing that passes for one', async () => {
  write('packages/strategy/src/index.ts', 'export const {');
  await expect(buildWeb(root)).rejects.toThrow('The web build failed');
  expect(staleness(root)).toBeDefined();
  // What the other tests find, in whatever order they run.
  write('packages/strategy/src/index.ts', 'export const strategy: number = 1;');
  await buildWeb(root);
});
