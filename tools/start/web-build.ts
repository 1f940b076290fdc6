import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildInputs, changedInput, inputsFile } from '../../web/build/inputs.ts';
import { withProcessLock } from './process-lock.ts';

/** Runs the build. @throws Error with the build's own output. */
async function runVite(root: string): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build'], {
    cwd: join(root, 'web'),
    // Whatever this process is run for, people get the build for people: a test's environment would bring React's other one.
    env: { ...process.env, NODE_ENV: 'production', WEB_COMPRESSION: 'quick' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`The web build failed:\n${output}`);
}

/** @returns why `web/dist` must be built; undefined when it is what a build would make now. */
export function staleness(root: string): string | undefined {
  const dist = join(root, 'web/dist');
  const record = join(dist, inputsFile);
  if (!existsSync(join(dist, 'index.html')) || !existsSync(record)) return 'web/dist';
  const inputs = JSON.parse(readFileSync(record, 'utf8')) as BuildInputs;
  if (inputs.node_env !== 'production') return 'NODE_ENV';
  return changedInput(root, inputs);
}

/**
 * Builds `web/dist` when it is missing or anything that the last build read has changed. Of several processes that ask at
 * the same time one builds and the others wait for it.
 * @returns whether this process built.
 */
export async function buildWeb(root: string, build: (root: string) => Promise<void> = runVite): Promise<boolean> {
  if (staleness(root) === undefined) return false;
  return withProcessLock(join(root, 'node_modules/.cache/castellan/web-build.lock'), async () => {
    // The process that was waited for may have built it.
    if (staleness(root) === undefined) return false;
    await build(root);
    return true;
  });
}
