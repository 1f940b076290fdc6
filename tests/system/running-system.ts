import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export type RunningSystem = {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly stateDir: string;
  readonly portOffset: number;
  /** Of the process that started all others. */
  readonly pid: number;
  /** Seconds from the command to the table. */
  readonly readyAfterSeconds: number;
  stop(): Promise<number | null>;
};

/**
 * Runs what `npm start` runs, in a state folder of its own and on shifted ports, and waits for its table.
 * @throws Error with everything the command printed when it ends or takes longer than `withinMs`.
 */
export async function startSystem(options: {
  portOffset: number;
  stateDir?: string;
  withinMs?: number;
  /** Beside the environment of this process. */
  env?: Readonly<Record<string, string>>;
}): Promise<RunningSystem> {
  const { portOffset, withinMs = 900_000 } = options;
  const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), 'castellan-e2e-'));
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [join(root, 'tools/start/main.ts'), '--port-offset', String(portOffset), '--state-dir', stateDir],
    // By the channel it learns that this process is gone, however that ended.
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], cwd: root, env: { ...process.env, ...options.env } },
  );
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  while (!output.includes('Castellan is ready')) {
    if (child.exitCode !== null) throw new Error(`npm start ended with code ${child.exitCode}:\n${output}`);
    if (performance.now() - started > withinMs) {
      child.kill('SIGTERM');
      await exited;
      throw new Error(`npm start was not ready within ${withinMs / 1000} s:\n${output}`);
    }
    // biome-ignore lint/plugin: between two reads of the output
    await sleep(100);
  }
  return {
    baseUrl: `http://127.0.0.1:${8080 + portOffset}`,
    rpcUrl: `http://127.0.0.1:${8545 + portOffset}`,
    stateDir,
    portOffset,
    pid: child.pid as number,
    readyAfterSeconds: (performance.now() - started) / 1000,
    stop: async () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/** Forgets a system's state folder. */
export const forget = (system: RunningSystem): void => rmSync(system.stateDir, { recursive: true, force: true });

/** Process ids by name, as the supervisor last wrote them. */
export const pidsOf = (stateDir: string): Record<string, number> =>
  Object.fromEntries(
    (JSON.parse(readFileSync(join(stateDir, 'pids.json'), 'utf8')) as { name: string; pid: number }[]).map(
      ({ name, pid }) => [name, pid],
    ),
  );
