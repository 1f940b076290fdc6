import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../ports.ts';
import { until } from '../until.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../../embedded/src/store-main.ts');

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** The embedded document store in a process of its own, on a free port and a temporary folder. */
export async function startStoreProcess(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-store-'));
  const port = await freePort();
  const child = spawn(process.execPath, [main], {
    // Scenes play on clocks of their own, often in the past: nothing of them may expire by the real one.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      STORE_PORT: String(port),
      STORE_DATA_DIR: folder,
      STORE_TTL_SECONDS: '86400',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const isUp = () => {
    if (child.exitCode !== null) throw new Error(`The document store ended with code ${child.exitCode}.`);
    return accepts(port);
  };
  await until('the document store', isUp, 60_000);
  return {
    url: `mongodb://127.0.0.1:${port}`,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await gone;
      }
      process.removeListener('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
