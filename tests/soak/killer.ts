import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@castellan/devnet';
import { until } from '../system/actors.ts';
import { pidsOf } from '../system/running-system.ts';
import type { PlayedFault } from './answers.ts';
import type { Pairs } from './pairs.ts';

const readyMs = 240_000;
/** Between the end of a fault and the next. */
const pauseMs = { least: 3_000, most: 8_000 };

/** What may happen to a process. @returns once it is over and the process is ready again. */
type Fault = { kind: string; targets: readonly string[]; play(process: string): Promise<void> };

/** Plays one fault after another, as the seed has them, until it is stopped. */
export class Killer {
  readonly played: PlayedFault[] = [];
  readonly #pairs: Pairs;
  readonly #random: Random;
  readonly #say: (line: string) => void;
  readonly #stopping = new AbortController();
  readonly #faults: readonly Fault[];

  constructor(pairs: Pairs, random: Random, say: (line: string) => void) {
    this.#pairs = pairs;
    this.#random = random;
    this.#say = say;
    const instances = [...pairs.doors.keys()];
    this.#faults = [{ kind: 'killed', targets: instances, play: (name) => this.#kill(name) }];
  }

  /** The fault at hand is played to its end. */
  stop(): void {
    this.#stopping.abort();
  }

  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const { kind, targets, play } = this.#random.pick(this.#faults);
      const process = this.#random.pick(targets);
      this.played.push({ at: Date.now(), kind, process });
      const startedAt = performance.now();
      await play(process);
      this.#say(`${process} ${kind}; ready again after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      // biome-ignore lint/plugin: between two faults
      await sleep(this.#random.int(pauseMs.least, pauseMs.most), undefined, { signal }).catch(() => undefined);
    }
  }

  async #kill(name: string): Promise<void> {
    const pid = this.#pidOf(name);
    process.kill(pid, 'SIGKILL');
    await until(`${name} started again`, async () => this.#pidOf(name) !== pid, readyMs);
    await this.#ready(name);
  }

  #pidOf(name: string): number {
    const pid = pidsOf(this.#pairs.stateDir)[name];
    if (pid === undefined) throw new Error(`${name} does not run`);
    return pid;
  }

  #ready(name: string): Promise<unknown> {
    return until(`${name} is ready again`, () => this.#pairs.isReady(name), readyMs);
  }
}
