import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentFor } from './secrets.ts';

/** One process of the system. */
export type ProcessSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Answers true once the process can be used; polled. */
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinMs: number;
  /** Lines of stdout that are progress for the person who waits. */
  readonly onLine?: (line: string) => void;
  /** Receives what the process sends with `process.send`; without it the process has no channel. */
  readonly onMessage?: (message: unknown) => void;
};

type Running = {
  readonly spec: ProcessSpec;
  readonly child: ChildProcess;
  readonly startedAt: number;
  readonly restarts: number;
  /** It answered as ready at least once. */
  wasReady: boolean;
  /** The end of what it wrote. */
  tail: string;
};

/** A process died before it was ready: how, and the end of what it wrote. */
export type Failure = { readonly name: string; readonly how: string; readonly tail: string };

const stopWithinMs = 15_000;
/** A restart that was asked for does not wait for calls to be finished as the end of the system does. */
const restartWithinMs = 2000;
const tailLength = 4000;
/** Each answer is work for both: who takes long is asked less often. */
const pollMsAfter = (ms: number): number => Math.min(500, Math.max(60, ms / 40));
/** A process that lived this long before it died starts its back-off anew. */
const steadyMs = 30_000;

/**
 * Starts processes, restarts what dies, and stops all of them in order.
 * Each process writes to `<logDir>/<name>.log`; `pids.json` lists what runs, so that a later start can clean up after a
 * supervisor that was itself killed.
 */
export class Supervisor {
  readonly #logDir: string;
  readonly #pidFile: string;
  readonly #say: (line: string) => void;
  readonly #onFailure: ((failure: Failure) => void) | undefined;
  readonly #running = new Map<string, Running>();
  #stopping = false;

  /** With `onFailure` a process that dies before it was ready once is reported and left down until `restart`. */
  constructor(options: { stateDir: string; say: (line: string) => void; onFailure?: (failure: Failure) => void }) {
    this.#logDir = join(options.stateDir, 'logs');
    this.#pidFile = join(options.stateDir, 'pids.json');
    this.#say = options.say;
    this.#onFailure = options.onFailure;
    mkdirSync(this.#logDir, { recursive: true });
  }

  /**
   * Starts one process and waits until it is ready, or until `signal` says that nobody waits any more.
   * @throws Error naming its log when it dies or takes too long.
   */
  async start(spec: ProcessSpec, signal?: AbortSignal): Promise<void> {
    this.#spawn(spec, 0);
    const startedAt = Date.now();
    const deadline = startedAt + spec.readyWithinMs;
    while (!(await spec.isReady())) {
      if (this.#stopping) throw new Error('stopped');
      signal?.throwIfAborted();
      const running = this.#running.get(spec.name);
      if (!running) throw new Error(`${spec.name} stopped before it was ready: ${this.logOf(spec.name)}`);
      if (running.restarts >= 3) throw new Error(`${spec.name} keeps failing: see ${this.logOf(spec.name)}`);
      if (Date.now() > deadline) {
        throw new Error(
          `${spec.name} was not ready within ${spec.readyWithinMs / 1000} s: see ${this.logOf(spec.name)}`,
        );
      }
      await sleep(pollMsAfter(Date.now() - startedAt));
    }
    const running = this.#running.get(spec.name);
    if (running) running.wasReady = true;
  }

  /** Ends the process if it runs and starts it anew, at once. @throws Error as `start` does. */
  async restart(spec: ProcessSpec, signal?: AbortSignal): Promise<void> {
    const running = this.#running.get(spec.name);
    // Forgotten first: its end is neither a crash nor a failure.
    this.#running.delete(spec.name);
    if (running) await this.#end(running, restartWithinMs);
    signal?.throwIfAborted();
    if (!this.#stopping) await this.start(spec, signal);
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  logOf(name: string): string {
    return join(this.#logDir, `${name}.log`);
  }

  /**
   * Stops every process, last started first; kills what does not stop in time.
   * @param last - Names of those that stop after all others, in this order.
   */
  async stop(last: readonly string[] = []): Promise<void> {
    this.#stopping = true;
    const turn = ({ spec }: Running) => last.indexOf(spec.name);
    for (const running of [...this.#running.values()].reverse().sort((a, b) => turn(a) - turn(b))) {
      if (await this.#end(running, stopWithinMs)) continue;
      this.#say(`${running.spec.name} did not stop within ${stopWithinMs / 1000} s; it was killed.`);
    }
    this.#running.clear();
    this.#writePids();
  }

  /** @returns whether it ended within the time; otherwise it was killed. */
  async #end({ child }: Running, withinMs: number): Promise<boolean> {
    if (child.exitCode !== null || child.signalCode !== null) return true;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    const late = await Promise.race([gone.then(() => false), sleep(withinMs, true, { ref: false })]);
    if (!late) return true;
    child.kill('SIGKILL');
    await gone;
    return false;
  }

  #spawn(spec: ProcessSpec, restarts: number): void {
    // `--fresh` takes the folder away after this was made.
    mkdirSync(this.#logDir, { recursive: true });
    const log = createWriteStream(this.logOf(spec.name), { flags: 'a' });
    const child = spawn(spec.command, spec.args, {
      env: { ...environmentFor(spec.name, process.env), ...spec.env },
      stdio: ['ignore', 'pipe', 'pipe', ...(spec.onMessage ? (['ipc'] as const) : [])],
      // Not in the terminal's group: Ctrl-C reaches the supervisor, which stops them in order.
      detached: true,
    });
    const running = { spec, child, startedAt: Date.now(), restarts, wasReady: false, tail: '' };
    this.#running.set(spec.name, running);
    this.#writePids();
    if (spec.onMessage) child.on('message', spec.onMessage);
    let rest = '';
    const write = (chunk: Buffer) => {
      log.write(chunk);
      running.tail = `${running.tail}${chunk}`.slice(-tailLength);
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      write(chunk);
      if (!spec.onLine) return;
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) spec.onLine(line);
    });
    child.stderr?.on('data', write);
    child.once('error', (error) => {
      log.write(`${error.message}\n`);
      this.#running.delete(spec.name);
    });
    child.once('exit', (code, signal) => this.#onExit(running, signal ?? `code ${code}`));
    child.once('close', () => log.end());
  }

  #onExit(running: Running, how: string): void {
    const { name } = running.spec;
    if (this.#stopping || this.#running.get(name) !== running) return;
    if (this.#onFailure && !running.wasReady && running.restarts === 0) {
      this.#running.delete(name);
      this.#writePids();
      // Once its output was read to the end: the reason is in the last lines.
      running.child.once('close', () => this.#onFailure?.({ name, how, tail: running.tail }));
      return;
    }
    const steady = Date.now() - running.startedAt > steadyMs;
    const restarts = steady ? 1 : running.restarts + 1;
    const waitMs = Math.min(200 * 2 ** (restarts - 1), 10_000);
    this.#say(`${name} stopped (${how}); starting it again in ${waitMs / 1000} s.`);
    setTimeout(() => {
      // Meanwhile it may have been started otherwise.
      if (!this.#stopping && this.#running.get(name) === running) this.#spawn(running.spec, restarts);
    }, waitMs);
  }

  #writePids(): void {
    const pids = [...this.#running.values()].map(({ spec, child }) => ({
      name: spec.name,
      pid: child.pid,
      command: spec.args.at(-1) ?? spec.command,
    }));
    // Whole or not at all: others read it while processes come and go.
    writeFileSync(`${this.#pidFile}.new`, JSON.stringify(pids));
    renameSync(`${this.#pidFile}.new`, this.#pidFile);
  }
}
