import { AppError } from '@castellan/contracts';
import { type ManualClock, manualClock } from '@castellan/testkit';
import { mongo } from 'mongoose';

/** What a component needs; `vaults` is that service as others ask it, `receiver` a webhook's. */
export type Part = 'store' | 'bus' | 'node' | 'vaults' | 'receiver';

export type Moment = {
  /** A part is unreachable, the process is killed, or it stands still and goes on after another took its place. */
  away: Part | 'killed' | 'frozen';
  /** Which of the requests to that part it begins with, of those to all parts for a process; the first is 1. */
  at: number;
  /** Whether that request still arrives: then its answer is lost. */
  side: 'before' | 'after';
  /** The request and the one before it. */
  between: string;
};

export const awayMs = 5 * 60_000;

/** This process ended in the middle of its work. */
class ProcessEnded extends Error {}

const faults: Readonly<Record<Part, () => Error>> = {
  store: () => Object.assign(new Error('no server could be selected'), { name: 'MongoServerSelectionError' }),
  bus: () => Object.assign(new Error('503'), { name: 'NatsError', code: '503' }),
  node: () => Object.assign(new Error('fetch failed'), { code: 'ECONNREFUSED' }),
  vaults: () => new AppError('SERVICE_UNAVAILABLE', 'The vaults service does not answer.'),
  receiver: () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
};

/** One run of the component's program; all it asks of others goes through its gates. */
export class Process {
  isKilled = false;
  readonly frozen: Promise<'frozen'>;
  #onFrozen: (value: 'frozen') => void = () => undefined;
  #held: Promise<void> | undefined;
  #resume: () => void = () => undefined;

  constructor() {
    this.frozen = new Promise((resolve) => {
      this.#onFrozen = resolve;
    });
  }

  get isRunning(): boolean {
    return !this.isKilled && this.#held === undefined;
  }

  freeze(): void {
    this.#held = new Promise((resolve) => {
      this.#resume = resolve;
    });
    this.#onFrozen('frozen');
  }

  resume(): void {
    this.#resume();
    this.#held = undefined;
  }

  /** @throws ProcessEnded when it was killed; waits while it stands still. */
  async demandRunning(): Promise<void> {
    if (this.#held) await this.#held;
    if (this.isKilled) throw new ProcessEnded('The process has ended.');
  }
}

type Sleeper = { until: number; wake: () => void };

/** The clock, what is away by it, and when that begins. Nothing here waits for real time. */
export class World {
  readonly clock: ManualClock = manualClock();
  readonly #moment: Moment | undefined;
  readonly #awayUntil = new Map<Part, number>();
  /** What was asked for, in order, by part and (`killed`) of all parts. */
  readonly #requests = new Map<Moment['away'], string[]>();
  readonly #onPass: (() => void)[] = [];
  #sleepers: Sleeper[] = [];
  #hasHappened = false;

  constructor(moment?: Moment) {
    this.#moment = moment;
  }

  get hasHappened(): boolean {
    return this.#hasHappened;
  }

  get isAnythingAway(): boolean {
    return [...this.#awayUntil.keys()].some((part) => this.isAway(part));
  }

  isAway(part: Part): boolean {
    return this.clock.now() < (this.#awayUntil.get(part) ?? 0);
  }

  /** The requests that can be a moment, to a part or, for a process, to all of them. */
  requestsOf(away: Moment['away']): readonly string[] {
    return this.#requests.get(away === 'frozen' ? 'killed' : away) ?? [];
  }

  onPass(listener: () => void): void {
    this.#onPass.push(listener);
  }

  pass(ms: number): void {
    this.clock.advance(ms);
    const due = this.#sleepers.filter(({ until }) => until <= this.clock.now());
    this.#sleepers = this.#sleepers.filter((sleeper) => !due.includes(sleeper));
    for (const { wake } of due) wake();
    for (const listener of this.#onPass) listener();
  }

  /** Resolves once the clock was moved that far. */
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ until: this.clock.now() + ms, wake });
    });

  /** A request that changes nothing: it fails while its part is away, and begins no moment. */
  async read<T>(process: Process, part: Part, perform: () => Promise<T>): Promise<T> {
    // What was asked for in one go is held up in one go: the process may have ended with the request before.
    do await process.demandRunning();
    while (!process.isRunning);
    if (this.isAway(part)) throw faults[part]();
    const answer = await perform();
    await process.demandRunning();
    return answer;
  }

  /** A request that the moment may begin with. @param what - The same for requests of one kind. */
  async request<T>(process: Process, part: Part, what: string, perform: () => Promise<T>): Promise<T> {
    // What was asked for in one go is held up in one go: the process may have ended with the request before.
    do await process.demandRunning();
    while (!process.isRunning);
    if (this.isAway(part)) throw faults[part]();
    const isMoment = this.#count(part, what);
    if (isMoment && this.#moment?.side === 'before') await this.#begin(process, part);
    const answer = await perform().catch((error: unknown) => {
      // A transaction that met another one is run again: that request was none of the plan, and its moment is still to come.
      if (error instanceof mongo.MongoError && error.hasErrorLabel('TransientTransactionError'))
        this.#uncount(part, what);
      throw error;
    });
    await process.demandRunning();
    if (isMoment && this.#moment?.side === 'after') await this.#begin(process, part);
    return answer;
  }

  #count(part: Part, what: string): boolean {
    let isMoment = false;
    for (const away of [part, 'killed'] as const) {
      const requests = [...this.requestsOf(away), what];
      this.#requests.set(away, requests);
      const count = requests.length;
      const isConcerned = away === this.#moment?.away || (away === 'killed' && this.#moment?.away === 'frozen');
      if (isConcerned && count === this.#moment?.at) isMoment = true;
    }
    return isMoment && !this.#hasHappened;
  }

  #uncount(part: Part, what: string): void {
    for (const away of [part, 'killed'] as const) {
      const requests = this.requestsOf(away);
      const at = requests.lastIndexOf(what);
      this.#requests.set(away, at < 0 ? [...requests] : requests.toSpliced(at, 1));
    }
  }

  async #begin(process: Process, part: Part): Promise<void> {
    this.#hasHappened = true;
    if (this.#moment?.away === 'killed') process.isKilled = true;
    else if (this.#moment?.away === 'frozen') process.freeze();
    else {
      this.#awayUntil.set(part, this.clock.now() + awayMs);
      throw faults[part]();
    }
    await process.demandRunning();
  }
}
