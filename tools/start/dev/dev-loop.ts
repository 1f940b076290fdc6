import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import type { Failure, ProcessSpec, Supervisor } from '../supervisor.ts';
import { affectedBy } from './affected.ts';
import { ChangeBatch } from './change-batch.ts';
import { forDevelopment, inspectPortOf } from './dev-specs.ts';
import { watchFolders } from './watch-folders.ts';

type Process = {
  readonly spec: ProcessSpec;
  readonly inspectPort: number;
  readonly modules: Set<string>;
  /** Holds state, as the chain does: never restarted by a change. */
  readonly isKept: boolean;
  isDown: boolean;
  /** Set while it restarts; aborting it lets the next restart begin. */
  restarting?: AbortController;
};

type Settings = { root: string; options: { portOffset: number; stateDir: string } };

const shownLines = 20;
/** Frames of Node itself, between the file that is at fault and the end of the message. */
const frameOfNode = /^\s+at .*\(node:internal/;
const shownFiles = 3;
/** A restart computes for most of its time; more at once would all be slower. */
const restartsAtOnce = availableParallelism() + 1;

/** Restarts the processes whose imports contain a file that changed; bus, document store and chain keep running. */
export class DevLoop {
  readonly #settings: Settings;
  readonly #say: (line: string) => void;
  readonly #processes = new Map<string, Process>();
  readonly #waiting = new Set<string>();
  readonly #batch = new ChangeBatch({ set: setTimeout, clear: clearTimeout }, (files) => this.#onChange(files));
  readonly #outdated = new Set<string>();
  #supervisor: Supervisor | undefined;
  #unwatch: (() => void) | undefined;
  #restarted: { names: string[]; since: number } | undefined;

  constructor(settings: Settings, say: (line: string) => void) {
    this.#settings = settings;
    this.#say = say;
  }

  /** The spec as this loop runs it. `isKept`: a change is announced, but does not restart it. */
  prepare(spec: ProcessSpec, { isKept = false } = {}): ProcessSpec {
    const { root, options } = this.#settings;
    const inspectPort = inspectPortOf(options.portOffset, this.#processes.size);
    const modules = new Set<string>();
    const onImport = (file: string) => modules.add(file);
    const prepared = forDevelopment(spec, { root, inspectPort, onImport });
    this.#processes.set(spec.name, { spec: prepared, inspectPort, modules, isKept, isDown: false });
    return prepared;
  }

  /** Starts to watch the sources. */
  watch(supervisor: Supervisor): void {
    this.#supervisor = supervisor;
    // The web's server reloads by itself what it serves; that it died is seen here.
    const folders = ['packages', 'services', 'web'].map((name) => join(this.#settings.root, name));
    this.#unwatch = watchFolders(folders, (file) => this.#batch.add(file));
  }

  close(): void {
    this.#unwatch?.();
    this.#batch.close();
  }

  /** Shows why a process did not start; it comes back with the next change. */
  onFailure({ name, how, tail }: Failure): void {
    const process = this.#processes.get(name);
    const lines = tail
      .trimEnd()
      .split('\n')
      .filter((line) => !frameOfNode.test(line))
      .slice(-shownLines);
    this.#say(`\n${name} failed (${how}):\n${lines.map((line) => `  ${line}`).join('\n')}`);
    if (!process || process.isKept) return;
    process.isDown = true;
    this.#say(`${name} starts again with the next change. Its log: ${this.#supervisor?.logOf(name) ?? name}\n`);
  }

  /** The debugger's port of every process, for people. */
  inspectPorts(): string {
    return [...this.#processes.values()]
      .map(({ spec, inspectPort }) => `  ${spec.name.padEnd(18)}127.0.0.1:${inspectPort}`)
      .join('\n');
  }

  #onChange(files: string[]): void {
    const processes = [...this.#processes.values()].map(({ spec, ...each }) => ({ ...each, name: spec.name }));
    const affected = affectedBy(
      files,
      processes.filter(({ isKept }) => !isKept),
    );
    const kept = affectedBy(
      files,
      processes.filter(({ isKept }) => isKept),
    );
    const named = this.#named(files);
    for (const name of kept.filter((each) => !this.#outdated.has(each))) {
      this.#outdated.add(name);
      this.#say(
        `${named}: ${name} holds state and keeps running as it is; stop and start the loop to load the change.`,
      );
    }
    if (affected.length === 0) return;
    this.#say(`${named}: restarting ${affected.join(', ')}`);
    this.#restarted ??= { names: [], since: performance.now() };
    for (const name of affected) {
      this.#waiting.add(name);
      this.#processes.get(name)?.restarting?.abort();
    }
    this.#next();
  }

  /** The files that a process imported; temporary files of editors, for one, are not worth a word. */
  #named(files: string[]): string {
    const isImported = (file: string) => [...this.#processes.values()].some(({ modules }) => modules.has(file));
    const imported = files.filter(isImported);
    const shown = (imported.length > 0 ? imported : files).map((file) => relative(this.#settings.root, file));
    const rest = shown.length - shownFiles;
    return rest > 0 ? `${shown.slice(0, shownFiles).join(', ')} and ${rest} more` : shown.join(', ');
  }

  #next(): void {
    const all = [...this.#processes.values()];
    let free = restartsAtOnce - all.filter(({ restarting }) => restarting).length;
    for (const name of this.#waiting) {
      if (free <= 0) return;
      const process = this.#processes.get(name);
      if (!process || process.restarting) continue;
      this.#waiting.delete(name);
      free -= 1;
      void this.#restart(process);
    }
    if (this.#waiting.size === 0 && !all.some(({ restarting }) => restarting)) this.#report();
  }

  async #restart(process: Process): Promise<void> {
    const { spec, modules } = process;
    const restarting = new AbortController();
    process.restarting = restarting;
    process.isDown = false;
    modules.clear();
    try {
      await this.#supervisor?.restart(spec, restarting.signal);
      this.#restarted?.names.push(spec.name);
    } catch (error) {
      // A process that ended was shown with its log, and one that is to restart again is not waited for.
      if (!restarting.signal.aborted && this.#supervisor?.isRunning(spec.name)) this.#say((error as Error).message);
    }
    delete process.restarting;
    this.#next();
  }

  #report(): void {
    const done = this.#restarted;
    this.#restarted = undefined;
    if (!done || done.names.length === 0) return;
    const seconds = ((performance.now() - done.since) / 1000).toFixed(1);
    const names = [...new Set(done.names)];
    this.#say(`${names.length > 3 ? `${names.length} processes` : names.join(', ')} ready after ${seconds} s`);
  }
}
