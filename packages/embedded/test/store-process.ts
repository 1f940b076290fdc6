import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const entry = join(import.meta.dirname, '../src/store-main.ts');

/** How a store process ended, and what it wrote to its error output. */
export type Ended = { code: number | null; signal: NodeJS.Signals | null; said: string };

/** A store as a process of its own; `preload` is code that runs in it first, `env` are further settings. */
export function spawnStore(
  dataDir: string,
  preload?: string,
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const first = preload === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const child = spawn(process.execPath, [...first, entry], {
    env: { ...process.env, NODE_OPTIONS: '', STORE_PORT: '0', STORE_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (data) => {
    said += String(data);
  });
  const ended = new Promise<Ended>((done) => child.once('close', (code, signal) => done({ code, signal, said })));
  return { child, ended };
}
