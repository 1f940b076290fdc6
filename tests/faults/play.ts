import { setImmediate as turn } from 'node:timers/promises';
import type { TestStore } from '@castellan/testkit';
import { type Connection, endLeases } from './gated-store.ts';
import { type Statement, statement } from './statement.ts';
import { awayMs, type Moment, type Part, Process, World } from './world.ts';

/** What one process does: a step at a time, so that the clock moves between them. */
export type Work = { step(): Promise<'more' | 'rest'>; stop?(): Promise<void> | void };

/** What was made of what there was to do, under its name. */
export type Account = { what: string; expected: readonly string[]; seen: readonly string[] };

export type Scene = {
  connection: Connection;
  /** Begins a process: at first, and after one was killed or stood still for longer than its lease. */
  start(process: Process): Promise<Work> | Work;
  /** Happens while something is away; without a fault at the first rest. */
  meanwhile(): Promise<void> | void;
  accounts(): Promise<Account[]>;
};

export type Component = { name: string; needs: readonly Part[]; open(world: World, store: TestStore): Promise<Scene> };

export type Outcome = { hasHappened: boolean; statements: Record<string, Statement>; world: World };

const retryMs = 10_000;
const restMs = 5_000;
const restsAtTheEnd = 4;
const mostSteps = 3_000;

type Held = { process: Process; step: Promise<unknown> };
type Running = { process: Process; work: Work };

class Run {
  readonly #world: World;
  readonly #scene: Scene;
  readonly #held: Held[] = [];
  readonly #begun: Running[] = [];
  #hasIntervened = false;
  #rests = 0;

  constructor(world: World, scene: Scene) {
    this.#world = world;
    this.#scene = scene;
  }

  async #begin(): Promise<Running> {
    const process = new Process();
    const running = { process, work: await this.#scene.start(process) };
    this.#begun.push(running);
    return running;
  }

  /** Another process begins where this one is not any more. */
  async #replace(): Promise<Running> {
    this.#rests = 0;
    await this.#intervene();
    this.#world.pass(awayMs);
    await endLeases(this.#scene.connection);
    return this.#begin();
  }

  async #intervene(): Promise<void> {
    if (this.#hasIntervened) return;
    this.#hasIntervened = true;
    await this.#scene.meanwhile();
  }

  /** Steps until everything has been at rest for a while, those included that stood still. */
  async toItsEnd(): Promise<void> {
    let running = await this.#begin();
    for (let steps = 0; this.#rests < restsAtTheEnd; steps += 1) {
      if (steps > mostSteps) throw new Error('The component never comes to rest.');
      const { process, work } = running;
      const step = work.step().catch((error: Error) => error);
      const end = await Promise.race([step, process.frozen]);
      // What the step left running may find out only now that its process has ended.
      await turn();
      if (end === 'frozen') this.#held.push({ process, step });
      if (end === 'frozen' || process.isKilled) running = await this.#replace();
      else await this.#after(end);
    }
    for (const { process, work } of this.#begun) {
      process.isKilled = true;
      await work.stop?.();
    }
  }

  async #after(end: 'more' | 'rest' | Error): Promise<void> {
    if (this.#world.hasHappened) await this.#intervene();
    if (end === 'rest') {
      this.#world.pass(restMs);
      this.#rests = this.#world.isAnythingAway ? 0 : this.#rests + 1;
      if (this.#rests < restsAtTheEnd || (this.#hasIntervened && this.#held.length === 0)) return;
      await this.#intervene();
      await this.#wake();
    }
    this.#rests = 0;
    if (end instanceof Error) this.#world.pass(retryMs);
  }

  /** Those that stood still go on with what they were doing; another has long taken their place. */
  async #wake(): Promise<void> {
    for (const { process, step } of this.#held.splice(0)) {
      process.resume();
      await step;
    }
  }
}

/** Plays a component's scene with one thing away at one moment, or with nothing away. */
export async function play(component: Component, store: TestStore, moment?: Moment): Promise<Outcome> {
  const world = new World(moment);
  const scene = await component.open(world, store);
  try {
    await new Run(world, scene).toItsEnd();
    const statements: Record<string, Statement> = {};
    for (const { what, expected, seen } of await scene.accounts()) {
      if (expected.length === 0) throw new Error(`Nothing is expected of ${what}.`);
      statements[what] = statement(expected, seen);
    }
    return { hasHappened: world.hasHappened, statements, world };
  } finally {
    await scene.connection.close();
  }
}
