import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { World } from './command.ts';

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Asks on the terminal; what is typed for a secret is not shown. */
async function ask(question: string, isSecret = false): Promise<string> {
  const lines = createInterface({
    input: process.stdin,
    output: isSecret ? nowhere() : process.stderr,
    terminal: true,
  });
  try {
    if (isSecret) process.stderr.write(question);
    return await lines.question(isSecret ? '' : question);
  } finally {
    lines.close();
    if (isSecret) process.stderr.write('\n');
  }
}

/** A line with the seconds so far, which is taken away at the end; for a terminal, never for a file. */
export function busyOn(stream: Pick<NodeJS.WriteStream, 'write'>, now: () => number): NonNullable<World['busy']> {
  return (what) => {
    const begun = now();
    const show = () => stream.write(`\r${what} ${Math.round((now() - begun) / 1000)} s`);
    const timer = setInterval(show, 1000);
    return () => {
      clearInterval(timer);
      // Back to the beginning of the line, and clear it.
      stream.write('\r\u001b[K');
    };
  };
}

/** Waits for what may take long, and says so. */
export async function whileBusy<T>({ busy }: World, what: string, work: Promise<T>): Promise<T> {
  const done = busy?.(what);
  try {
    return await work;
  } finally {
    done?.();
  }
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser, without a shell. Where there is none, the address that was printed is enough. */
function browse(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

/** Aborts at the first Ctrl-C; the next one ends the process. */
function interrupted(): AbortSignal {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort(new Error('Interrupted.')));
  return stopping.signal;
}

/** The terminal of this process. Ctrl-C ends the process, unless a command has asked for `signal`. */
export function terminal(): World {
  let signal: AbortSignal | undefined;
  // What reads the output has read enough, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    get signal() {
      signal ??= interrupted();
      return signal;
    },
    ...(process.stdin.isTTY ? { ask, browse } : {}),
    ...(process.stderr.isTTY ? { busy: busyOn(process.stderr, Date.now) } : {}),
  };
}
