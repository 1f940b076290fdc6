import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { Plugin } from 'rolldown';
import { type BuildInputs, changedInput, hashOfFile, inputsFile } from '../../web/build/inputs.ts';
import { compileCacheIn } from '../start/compile-cache.ts';
import { withProcessLock } from '../start/process-lock.ts';
import { isOutside } from './outside.ts';
import { type BundledService, bundledPath, bundledServices, operatorProgram, preload, programs } from './programs.ts';

/** Beside what was bundled, what the result depends on: the installed packages, and how bundles are made. */
const alwaysRead = ['package-lock.json', ...['bundle', 'outside', 'programs'].map((name) => `tools/bundle/${name}.ts`)];

/** Notes which files of this repository went into the bundle. */
function inputsOf(root: string): { plugin: Plugin; inputs: () => BuildInputs } {
  let files: string[] = [];
  const plugin: Plugin = {
    name: 'castellan:inputs',
    buildEnd() {
      files = [...this.getModuleIds()]
        .filter(isAbsolute)
        .map((id) => relative(root, id))
        // Installed packages stand in the lockfile.
        .filter((file) => !file.startsWith('..') && !file.includes('node_modules/'));
    },
  };
  const hashed = () => Object.fromEntries([...files, ...alwaysRead].map((file) => [file, hashOfFile(root, file)]));
  return { plugin, inputs: () => ({ node_env: 'production', files: hashed(), globs: {} }) };
}

/** A bundle that lacks something would fail when it is run; so the build fails. */
const refuseWarnings = (_level: string, { code, message }: { code?: string; message: string }): never => {
  throw new Error(`The bundle has a fault (${code ?? 'no code'}): ${message}`);
};

/**
 * Bundles programs of services for Node, with source maps. What services share is in chunks that they share: for one system on one
 * machine. An image has a bundle of one service.
 * @param outDir - Where `services/<name>/src/main.js` and the like are written. Packages outside of the bundle must be found from there.
 */
export async function bundle(root: string, outDir: string, services: readonly BundledService[]): Promise<void> {
  const entries = [
    ...services.flatMap((service) => programs[service].map((file) => `services/${service}/${file}`)),
    preload,
    operatorProgram,
  ];
  const { plugin, inputs } = inputsOf(root);
  // Not loaded by a process that only looks for bundles.
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), join(root, file)])),
    platform: 'node',
    external: isOutside,
    plugins: [plugin],
    logLevel: 'warn',
    onLog: refuseWarnings,
  });
  try {
    await build.write({
      dir: outDir,
      format: 'esm',
      // Node would hold the text of a file with any other character at two bytes for each.
      charset: 'ascii',
      comments: { legal: true, annotation: false, jsdoc: false },
      sourcemap: true,
      // Names, lines and columns are enough for a stack trace.
      sourcemapExcludeSources: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
    });
  } finally {
    await build.close();
  }
  writeFileSync(join(outDir, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(outDir, inputsFile), JSON.stringify(inputs()));
}

/** In a process of its own: the bundler's memory, a gigabyte, would stay with the one that starts the system. */
async function bundleApart(root: string, outDir: string): Promise<void> {
  const run = promisify(execFile);
  await run(process.execPath, [join(root, 'tools/bundle/main.ts'), 'all', outDir], { cwd: root });
  // What Node compiles of the chunks that all share is kept when a process ends: by this one, instead of by all at the first start.
  const args = [
    '--import',
    `./${bundledPath(preload)}`,
    bundledPath('services/validator-node/bin/castellan-validator.ts'),
    '--help',
  ];
  await run(process.execPath, args, { cwd: outDir, env: { ...process.env, NODE_COMPILE_CACHE: compileCacheIn(root) } });
}

const day = 86_400_000;

/** A process that runs from an older folder may load a part of it yet: only what nobody started from for a week goes. */
function removeOld(outDir: string, now: number): void {
  for (const name of readdirSync(outDir)) {
    const folder = join(outDir, name);
    if (now - statSync(folder).mtimeMs > 7 * day) rmSync(folder, { recursive: true, force: true });
  }
}

/** The newest bundle whose inputs are as they were; undefined when none is. */
function currentIn(root: string, outDir: string): string | undefined {
  if (!existsSync(outDir)) return undefined;
  return readdirSync(outDir)
    .map((name) => join(outDir, name))
    .filter((folder) => existsSync(join(folder, inputsFile)))
    .find((folder) => {
      const inputs = JSON.parse(readFileSync(join(folder, inputsFile), 'utf8')) as BuildInputs;
      return changedInput(root, inputs) === undefined;
    });
}

/**
 * Bundles all services into a new folder of `outDir`, unless a folder there has what a build would make now. Of several processes
 * that ask at the same time one builds and the others wait for it.
 * @param outDir - Within the repository, so that packages outside of the bundles are found: `node_modules/.cache/castellan/services`.
 * @returns the folder in which `bundledPath('services/gateway/src/main.ts')` and the others are, and whether this process built it.
 */
export async function bundleServices(
  root: string,
  outDir: string,
  { build = bundleApart, now = Date.now }: { build?: typeof bundle; now?: () => number } = {},
): Promise<{ folder: string; built: boolean }> {
  const reuse = () => {
    const folder = currentIn(root, outDir);
    if (folder === undefined) return undefined;
    utimesSync(folder, now() / 1000, now() / 1000);
    return { folder, built: false };
  };
  return (
    reuse() ??
    withProcessLock(join(root, 'node_modules/.cache/castellan/bundle.lock'), async () => {
      mkdirSync(outDir, { recursive: true });
      const found = reuse();
      if (found) return found;
      const folder = join(outDir, now().toString(36));
      await build(root, folder, bundledServices);
      removeOld(outDir, now());
      return { folder, built: true };
    })
  );
}
