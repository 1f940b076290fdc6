import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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
};

type Running = { spec: ProcessSpec; child: ChildProcess; startedAt: number; restarts: number };

const stopWithinMs = 15_000;
/** A process that lived this long before it died starts its back-off anew. */
const steadyMs = 30_000;

/**
 * Starts processes in order, restarts what dies, and stops all of them in reverse order.
 * Each process writes to `<logDir>/<name>.log`; `pids.json` lists what runs, so that a later start can clean up after a
 * supervisor that was itself killed.
 */
export class Supervisor {
  readonly #logDir: string;
  readonly #pidFile: string;
  readonly #say: (line: string) => void;
  readonly #running = new Map<string, Running>();
  #stopping = false;

  constructor(options: { stateDir: string; say: (line: string) => void }) {
    this.#logDir = join(options.stateDir, 'logs');
    this.#pidFile = join(options.stateDir, 'pids.json');
    this.#say = options.say;
    mkdirSync(this.#logDir, { recursive: true });
  }

  /** Starts one process and waits until it is ready. @throws Error naming its log when it dies or takes too long. */
  async start(spec: ProcessSpec): Promise<void> {
    this.#spawn(spec, 0);
    const deadline = Date.now() + spec.readyWithinMs;
    while (!(await spec.isReady())) {
      if (this.#stopping) throw new Error('stopped');
      const running = this.#running.get(spec.name);
      if (!running) throw new Error(`${spec.name} stopped before it was ready: ${this.logOf(spec.name)}`);
      if (running.restarts >= 3) throw new Error(`${spec.name} keeps failing: see ${this.logOf(spec.name)}`);
      if (Date.now() > deadline) {
        throw new Error(
          `${spec.name} was not ready within ${spec.readyWithinMs / 1000} s: see ${this.logOf(spec.name)}`,
        );
      }
      await sleep(60);
    }
  }

  logOf(name: string): string {
    return join(this.#logDir, `${name}.log`);
  }

  /** Stops every process, last started first; kills what does not stop in time. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { spec, child } of [...this.#running.values()].reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const late = await Promise.race([gone.then(() => false), sleep(stopWithinMs, true, { ref: false })]);
      if (!late) continue;
      this.#say(`${spec.name} did not stop within ${stopWithinMs / 1000} s; it was killed.`);
      child.kill('SIGKILL');
      await gone;
    }
    this.#running.clear();
    this.#writePids();
  }

  #spawn(spec: ProcessSpec, restarts: number): void {
    // `--fresh` takes the folder away after this was made.
    mkdirSync(this.#logDir, { recursive: true });
    const log = createWriteStream(this.logOf(spec.name), { flags: 'a' });
    const child = spawn(spec.command, spec.args, {
      env: { ...process.env, ...spec.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Not in the terminal's group: Ctrl-C reaches the supervisor, which stops them in order.
      detached: true,
    });
    const running = { spec, child, startedAt: Date.now(), restarts };
    this.#running.set(spec.name, running);
    this.#writePids();
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      log.write(chunk);
      if (!spec.onLine) return;
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) spec.onLine(line);
    });
    child.stderr.on('data', (chunk: Buffer) => log.write(chunk));
    child.once('error', (error) => {
      log.write(`${error.message}\n`);
      this.#running.delete(spec.name);
    });
    child.once('exit', (code, signal) => {
      log.end();
      this.#onExit(running, signal ?? `code ${code}`);
    });
  }

  #onExit(running: Running, how: string): void {
    if (this.#stopping || this.#running.get(running.spec.name) !== running) return;
    const steady = Date.now() - running.startedAt > steadyMs;
    const restarts = steady ? 1 : running.restarts + 1;
    const waitMs = Math.min(200 * 2 ** (restarts - 1), 10_000);
    this.#say(`${running.spec.name} stopped (${how}); starting it again in ${waitMs / 1000} s.`);
    setTimeout(() => {
      if (!this.#stopping) this.#spawn(running.spec, restarts);
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
