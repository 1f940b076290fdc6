import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BusServiceName, busServiceNames } from '@castellan/contracts';
import type { Env } from '@castellan/service-kit';

/** A process of the system and what it is configured with. */
export type Process = { name: BusServiceName; env: Env };

export const isProcessName = (name: string): name is BusServiceName => busServiceNames.some((each) => each === name);

/** `NAME=value` on each line, as systemd's EnvironmentFile and compose's env_file have it. */
export function readEnvFile(text: string): Env {
  const env: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (name) env[name] = value.trim().replace(/^(['"])(.*)\1$/, '$2');
  }
  return env;
}

/** @param given - `service=file`. @throws RangeError when the service is unknown; what reading the file throws. */
export function processOfFile(given: string, pathOf: (path: string) => string): Process {
  const at = given.indexOf('=');
  const name = given.slice(0, at);
  if (!isProcessName(name))
    throw new RangeError(`--env takes SERVICE=FILE, where SERVICE is one of ${busServiceNames.join(', ')}.`);
  return { name, env: readEnvFile(readFileSync(pathOf(given.slice(at + 1)), 'utf8')) };
}

/** What a running process was started with; undefined where Linux shows it to its user and to root alone, or it is not there. */
function environmentOf(pid: number): Env | undefined {
  const environ = `/proc/${pid}/environ`;
  if (!existsSync(environ)) return undefined;
  const lines = readFileSync(environ, 'utf8').split('\0');
  const entries = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
  return Object.fromEntries(entries.filter(([key]) => key !== ''));
}

/** @param given - `service=pid`. @throws RangeError when the service is unknown or there is no such process. */
export function processOfPid(given: string): Process {
  const [name = '', pid = ''] = given.split('=');
  if (!isProcessName(name))
    throw new RangeError(`--process takes SERVICE=PID, where SERVICE is one of ${busServiceNames.join(', ')}.`);
  const env = /^[1-9]\d*$/.test(pid) ? environmentOf(Number(pid)) : undefined;
  if (env === undefined) throw new RangeError(`No process ${pid || 'without a number'} runs ${name} here.`);
  return { name, env };
}

type Entry = { name?: unknown; pid?: unknown };

/** The processes of the `npm start` that runs in a folder, with the environments that it gave them; none where /proc has them not. */
export function runningProcesses(stateDir: string): Process[] {
  const file = join(stateDir, 'pids.json');
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as Entry[]).flatMap(({ name, pid }) => {
    if (typeof name !== 'string' || !isProcessName(name) || typeof pid !== 'number') return [];
    const env = environmentOf(pid);
    return env === undefined ? [] : [{ name, env }];
  });
}
