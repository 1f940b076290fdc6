import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { withProcessLock } from './process-lock.ts';

/** The system that runs in a state folder. */
export type RunningSystem = { readonly pid: number; readonly url: string };
/** Where the supervisor of a state folder answers; `key` separates its answer from that of a program that got the port later. */
type Place = RunningSystem & { readonly port: number; readonly key: string };

const answerWithinMs = 2000;
const placeFile = (stateDir: string): string => join(stateDir, 'supervisor.json');

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

function placeIn(stateDir: string): Place | undefined {
  try {
    return JSON.parse(readFileSync(placeFile(stateDir), 'utf8')) as Place;
  } catch {
    return undefined; // Nothing ever ran there.
  }
}

/** What answers at the port, `silence` when it takes the connection and says nothing, undefined when nobody is there. */
const answerAt = (port: number): Promise<string | 'silence' | undefined> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', timeout: answerWithinMs });
    const settle = (answer: string | undefined) => {
      resolve(answer);
      socket.destroy();
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.once('end', () => settle(text));
    socket.once('timeout', () => settle('silence'));
    socket.once('error', () => settle(undefined));
  });

/**
 * Asks the supervisor that wrote its place down. One that takes the question and does not answer (it is suspended, or very busy)
 * runs all the same, as long as its process lives.
 */
async function askRunning(stateDir: string): Promise<RunningSystem | undefined> {
  const place = placeIn(stateDir);
  if (!place) return undefined;
  const answer = await answerAt(place.port);
  const runs = answer === place.key || (answer === 'silence' && lives(place.pid));
  return runs ? { pid: place.pid, url: place.url } : undefined;
}

/** Answers for this process as long as it lives. */
async function answerFor(stateDir: string, url: string): Promise<void> {
  const key = randomBytes(16).toString('hex');
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(key);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  const file = placeFile(stateDir);
  writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, url, port, key }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Makes the state folder this process's own.
 * @returns the system that runs in it already, which is left as it is; undefined when there is none.
 */
export async function claimStateDir(stateDir: string, url: string): Promise<RunningSystem | undefined> {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  return withProcessLock(join(stateDir, 'start.lock'), async () => {
    const running = await askRunning(stateDir);
    if (!running) await answerFor(stateDir, url);
    return running;
  });
}

/** The message to a second system that starts in the same folder. */
export const runsAlready = (stateDir: string, { pid, url }: RunningSystem): string =>
  [
    `A system runs in ${stateDir} already, at ${url} (process ${pid}). Nothing was changed.`,
    'Stop it with Ctrl-C where it was started, or start another beside it with --state-dir <dir> and --port-offset <n>.',
    '',
  ].join('\n');
