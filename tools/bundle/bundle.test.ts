import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundle, bundleServices } from './bundle.ts';
import { writeOperatorCommands } from './operator-commands.ts';
import { copyOutside, foldersOutside, isOutside } from './outside.ts';
import { type BundledService, bundledPath, bundledServices, preload, programs } from './programs.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-bundle-'));
  await bundle(root, folder, ['validator-node', 'users']);
  for (const service of ['validator-node', 'users'] as const) copyOutside(root, service, folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of the bundle, where nothing of this repository can be found. */
async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

test('default: every service is bundled, and each of its programs exists', () => {
  expect([...bundledServices].sort()).toEqual(globSync('*', { cwd: join(root, 'services') }).sort());
  for (const service of bundledServices)
    for (const file of programs[service])
      expect([service, file, existsSync(join(root, 'services', service, file))]).toEqual([service, file, true]);
});

describe('what was bundled', () => {
  test('default: programs run without the repository: the CLI of a validator, and the verifier of the audit log', async () => {
    const cli = await run(
      '--import',
      `./${bundledPath(preload)}`,
      'services/validator-node/bin/castellan-validator.js',
      '--help',
    );
    expect(cli.output).toContain('castellan-validator');
    expect(cli.code).toBe(0);
    const verifier = await run('services/users/src/audit/verify/main.js', 'no-such-file');
    expect(verifier.output).toContain('no-such-file');
  });

  test('default: the command line of operators runs beside each service, and names the release', async () => {
    writeOperatorCommands(folder);
    writeFileSync(join(folder, 'release.env'), 'CASTELLAN_VERSION=1.2.3\nCASTELLAN_COMMIT=abc\n');
    const command = (name: string, ...args: string[]) => {
      const options = { encoding: 'utf8', env: { PATH: process.env.PATH } } as const;
      const { status, stdout, stderr } = spawnSync(join(folder, 'bin', name), args, options);
      return { code: status, output: stdout + stderr };
    };
    const castellan = (...args: string[]) => command('castellan', ...args);
    expect(castellan('--version')).toEqual({ code: 0, output: `castellan 1.2.3 (abc), Node ${process.version}\n` });
    const doctor = castellan('doctor', '--service', 'users');
    expect(doctor).toMatchObject({ code: 1, output: expect.stringContaining('NOTIFICATIONS_KEY is required') });
    expect(castellan('dead-letters')).toMatchObject({ code: 2, output: expect.stringContaining('redrive <number>') });
    expect(command('castellan-validator', '--help')).toMatchObject({ code: 0 });
    const template = castellan('validator', 'validate', '--template');
    expect(template).toMatchObject({ code: 0, output: expect.stringContaining('[monitoring]') });
    expect(castellan('restore', '--from', 'none')).not.toMatchObject({ code: 0 });
  });

  test('behavior: packages that tracing patches and native ones are loaded from node_modules, nothing else is', () => {
    const texts = globSync('{chunks,packages,services}/**/*.js', { cwd: folder }).map((file) =>
      readFileSync(join(folder, file), 'utf8'),
    );
    const specifiers = texts.flatMap((text) =>
      [...text.matchAll(/^import .*?from "([^".][^"]*)";$/gm)].map(([, name]) => String(name)),
    );
    const { builtinModules } = process.getBuiltinModule('module');
    const packages = specifiers.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
    expect([...new Set(packages)].sort()).toEqual(['undici']);
    // Mongoose is in the bundle, and requires what tracing patches.
    expect(texts.some((text) => text.includes('__require("mongodb")'))).toBe(true);
    expect(packages.every(isOutside)).toBe(true);
  });

  test('behavior: the curve of validators is the native one', async () => {
    const code = `import { createRequire } from 'node:module';
const { ecdsaSign } = createRequire(process.cwd() + '/services/validator-node/bin/castellan-validator.js')('secp256k1/bindings');
console.log(ecdsaSign(new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)).signature.length);`;
    expect(await run('--input-type=module', '--eval', code)).toEqual({ code: 0, output: '64\n' });
  });

  test('behavior: a stack trace names the source when Node is asked to read the maps', async () => {
    const map = JSON.parse(readFileSync(join(folder, `${bundledPath(preload)}.map`), 'utf8')) as {
      sources: string[];
      sourcesContent?: unknown;
    };
    expect(map.sources.join()).toContain('tracing-preload.ts');
    expect(map.sourcesContent ?? null).toBeNull();
  });
});

test('behavior: a service has the packages outside of its own bundle only, with all that they need', () => {
  const names = (service: BundledService) =>
    foldersOutside(root, service).map((path) => path.replace(/^.*node_modules\//, ''));
  expect(names('gateway')).toEqual(expect.arrayContaining(['mongodb', 'bson', 'sparse-bitfield']));
  expect(names('gateway')).not.toEqual(expect.arrayContaining(['undici']));
  expect(names('users')).toContain('undici');
  expect(names('validator-node')).toEqual(expect.arrayContaining(['secp256k1', 'node-gyp-build']));
  expect(names('users')).not.toContain('typescript');
});

describe('bundleServices', () => {
  let small: string;
  beforeAll(() => {
    small = mkdtempSync(join(tmpdir(), 'castellan-bundles-'));
    mkdirSync(join(small, 'node_modules'));
  });
  afterAll(() => rmSync(small, { recursive: true, force: true }));

  test('default: a folder whose inputs did not change is used again; another is made when one did', async () => {
    const outDir = join(small, 'out');
    let builds = 0;
    const build: typeof bundle = async (_root, to) => {
      builds += 1;
      mkdirSync(to, { recursive: true });
      const { hashOfFile } = await import('../../web/build/inputs.ts');
      writeFileSync(
        join(to, '.inputs.json'),
        JSON.stringify({ node_env: 'production', files: { 'a.ts': hashOfFile(small, 'a.ts') }, globs: {} }),
      );
    };
    let time = Date.UTC(2026, 0, 1);
    const now = () => (time += 1000);
    writeFileSync(join(small, 'a.ts'), 'one');
    const first = await bundleServices(small, outDir, { build, now });
    expect(first.built).toBe(true);
    expect(await bundleServices(small, outDir, { build, now })).toEqual({ folder: first.folder, built: false });
    writeFileSync(join(small, 'a.ts'), 'two');
    const second = await bundleServices(small, outDir, { build, now });
    expect(second).toEqual({ folder: expect.not.stringMatching(first.folder), built: true });
    // Processes may run from it yet.
    expect(existsSync(first.folder)).toBe(true);
    expect(builds).toBe(2);
  });
});
