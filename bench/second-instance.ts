import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { freePort } from '@castellan/testkit';

/** Ports that an instance of a service takes, by the names of their settings. */
const portNames = ['MONITORING_PORT', 'HTTP_PORT', 'AI_HTTP_PORT'] as const;

export type SecondInstance = {
  readonly child: ChildProcess;
  readonly ports: Readonly<Partial<Record<(typeof portNames)[number], number>>>;
};

const listIn = (pid: number, file: string): string[] =>
  readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean);

/** Starts what a running process is once more beside it: the same program with the same settings, on ports of its own. */
export async function startSecond(pid: number): Promise<SecondInstance> {
  const [program = process.execPath, ...args] = listIn(pid, 'cmdline');
  const env: Record<string, string> = Object.fromEntries(
    listIn(pid, 'environ').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const ports: Record<string, number> = {};
  for (const name of portNames) if (env[name] !== undefined) ports[name] = await freePort();
  const own = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
  // What it was started beside may be gone, so it gets no channel to it.
  const { NODE_CHANNEL_FD: _channel, ...kept } = env;
  const child = spawn(program, args, { env: { ...kept, ...own }, stdio: ['ignore', 'ignore', 'inherit'] });
  return { child, ports };
}
