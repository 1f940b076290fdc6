import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@castellan/devnet';
import { until } from '../system/actors.ts';
import { reorganise, sendAgain } from '../system/reorg.ts';
import { pidsOf } from '../system/running-system.ts';
import type { PlayedFault } from './answers.ts';
import type { Pairs } from './pairs.ts';
import { passTime } from './pass-time.ts';

const readyMs = 300_000;
/** Between the end of a fault and the next. */
const pause = { least: 2_000, most: 6_000 };
/** How long a process is stopped or cut off: shorter and longer than leases and heartbeats last. */
const away = { least: 1_000, most: 15_000 };
const deepestReorg = 10;
/** Part of the faults that come with a second one, of another service. */
const twoAtOnce = 0.2;

/** What may happen to a process; `play` resolves once it is over. */
type Kind = { kind: string; weight: number; targets: readonly string[]; play(process: string): Promise<void> };
type Chosen = { kind: Kind; target: string };

const serviceOf = (process: string): string => process.replace(/-\d$/, '');

/** Plays one fault after another, as the seed has them, until it is stopped. */
export class Killer {
  readonly played: PlayedFault[] = [];
  readonly #pairs: Pairs;
  readonly #random: Random;
  readonly #say: (line: string) => void;
  readonly #stopping = new AbortController();
  readonly #kinds: readonly Kind[];

  constructor(pairs: Pairs, random: Random, say: (line: string) => void) {
    this.#pairs = pairs;
    this.#random = random;
    this.#say = say;
    const instances = [...pairs.doors.keys()];
    const processes = pairs.processes.filter((name) => name !== 'devnet');
    this.#kinds = [
      { kind: 'killed', weight: 5, targets: processes, play: (name) => this.#kill(name) },
      { kind: 'frozen', weight: 3, targets: [...processes, 'anvil'], play: (name) => this.#freeze(name) },
      { kind: 'cut off', weight: 3, targets: instances, play: (name) => this.#cut([name]) },
      { kind: 'cut', weight: 1, targets: ['bus'], play: () => this.#cut(instances) },
      { kind: 'reorganised', weight: 1, targets: ['chain'], play: () => this.#reorganise() },
    ];
  }

  /** The fault at hand is played to its end. */
  stop(): void {
    this.#stopping.abort();
  }

  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const chosen = this.#choose();
      await Promise.all(chosen.map((one) => this.#play(one, chosen.length === 1)));
      await passTime(this.#random.int(pause.least, pause.most), signal);
    }
  }

  /** One fault, or two of different services. */
  #choose(): Chosen[] {
    const first = this.#pick();
    const second = this.#pick();
    const targets = new Set([first, second].map(({ target }) => serviceOf(target)));
    const isApart = targets.size === 2 && !targets.has('bus');
    return this.#random.chance(twoAtOnce) && isApart ? [first, second] : [first];
  }

  #pick(): Chosen {
    const kind = this.#random.pick(this.#kinds.flatMap((one) => Array<Kind>(one.weight).fill(one)));
    return { kind, target: this.#random.pick(kind.targets) };
  }

  async #play({ kind: { kind, play }, target }: Chosen, isAlone: boolean): Promise<void> {
    const from = Date.now();
    await play(target);
    const to = Date.now();
    // What two faults at once cost is no measure of either.
    this.played.push({ kind: isAlone ? kind : `${kind} with another`, process: target, from, to });
    this.#say(`${target} ${kind}; over after ${((to - from) / 1000).toFixed(1)} s`);
  }

  async #kill(name: string): Promise<void> {
    const pid = this.#pidOf(name);
    process.kill(pid, 'SIGKILL');
    await until(`${name} started again`, async () => this.#pidOf(name) !== pid, readyMs);
    await this.#ready(name);
  }

  async #freeze(name: string): Promise<void> {
    const pid = this.#pidOf(name);
    process.kill(pid, 'SIGSTOP');
    await this.#while();
    process.kill(pid, 'SIGCONT');
    if (name !== 'anvil') await this.#ready(name);
  }

  async #cut(names: readonly string[]): Promise<void> {
    const doors = names.flatMap((name) => this.#pairs.doors.get(name) ?? []);
    for (const door of doors) door.cut();
    await this.#while();
    for (const door of doors) door.mend();
    for (const name of names) await this.#ready(name);
  }

  async #reorganise(): Promise<void> {
    await sendAgain(await reorganise(this.#random.int(1, deepestReorg)));
  }

  #while(): Promise<void> {
    return passTime(this.#random.int(away.least, away.most));
  }

  #pidOf(name: string): number {
    const { stateDir } = this.#pairs;
    if (name === 'anvil') return Number(readFileSync(join(stateDir, 'devnet/anvil.pid'), 'utf8'));
    const pid = pidsOf(stateDir)[name];
    if (pid === undefined) throw new Error(`${name} does not run`);
    return pid;
  }

  #ready(name: string): Promise<unknown> {
    return until(`${name} is ready again`, () => this.#pairs.isReady(name), readyMs);
  }
}
