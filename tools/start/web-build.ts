import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const inputs = [
  'web/**/*.{ts,tsx,css,html,svg,json,webmanifest}',
  'packages/{sdk,contracts}/src/**/*.ts',
  'package-lock.json',
];

const fingerprint = (root: string): string => {
  const hash = createHash('sha256');
  const skip = /(^|\/)(dist|node_modules)\//;
  for (const file of globSync(inputs, { cwd: root })
    .filter((name) => !skip.test(name))
    .sort()) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
};

/** Builds `web/dist` when it is missing or older than its sources. @throws Error with the build's own output. */
export async function buildWeb(root: string, stateDir: string): Promise<void> {
  const mark = join(stateDir, 'web-build');
  const now = fingerprint(root);
  if (existsSync(join(root, 'web/dist/index.html')) && existsSync(mark) && readFileSync(mark, 'utf8') === now) return;
  const child = spawn(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build'], {
    cwd: join(root, 'web'),
    // Whatever this process is run for, people get the build for people: a test's environment would bring React's other one.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`The web build failed:\n${output}`);
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(mark, now);
}
