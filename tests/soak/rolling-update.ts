import { until } from '../system/actors.ts';
import { pidsOf } from '../system/running-system.ts';
import type { Answers, PlayedFault } from './answers.ts';
import type { Verdict } from './checks.ts';
import type { Pairs } from './pairs.ts';
import { Sender } from './sender.ts';

const readyMs = 300_000;

/**
 * Renews the instances of all services one after another, as a platform rolls out a release: each is asked to end (`SIGTERM`), is
 * started again, and the next has its turn once this one is ready. Balancers learn of it by its readiness alone.
 */
export class RollingUpdate {
  readonly played: PlayedFault[] = [];
  readonly #pairs: Pairs;
  readonly #say: (line: string) => void;
  #isStopping = false;

  constructor(pairs: Pairs, say: (line: string) => void) {
    this.#pairs = pairs;
    this.#say = say;
  }

  /** The round at hand is played to its end. */
  stop(): void {
    this.#isStopping = true;
  }

  async run(): Promise<void> {
    for (let round = 1; round === 1 || !this.#isStopping; round += 1)
      for (const name of this.#pairs.doors.keys()) await this.#renew(name, round);
  }

  async #renew(name: string, round: number): Promise<void> {
    const { stateDir } = this.#pairs;
    const pid = pidsOf(stateDir)[name];
    if (pid === undefined) throw new Error(`${name} does not run`);
    const from = Date.now();
    this.#pairs.moveToThisVersion(name);
    process.kill(pid, 'SIGTERM');
    await until(`${name} started again`, async () => (pidsOf(stateDir)[name] ?? pid) !== pid, readyMs);
    await until(`${name} is ready again`, () => this.#pairs.isReady(name), readyMs);
    const to = Date.now();
    this.played.push({ kind: 'renewed', process: name, from, to });
    this.#say(`round ${round}: ${name} renewed in ${((to - from) / 1000).toFixed(1)} s`);
  }
}

/** No request failed, and none was answered only because the balancer asked a second instance after the first had taken it. */
export function noneLost(
  answers: Answers,
  { broken, late }: { broken: number; late: number },
  works: readonly object[],
): Verdict {
  const answered = answers.services.reduce((sum, service) => sum + answers.countOf(service), 0);
  const changes = works.find((work) => work instanceof Sender)?.failures ?? 0;
  return {
    what: 'a rolling update loses no request',
    found: `${answered} answers; ${late} reads were asked of a second instance, as the first was slow`,
    faults: [
      ...[...answers.refusals].map(([refusal, count]) => `${count} times ${refusal}`),
      ...(changes === 0 ? [] : [`${changes} changes had to be asked for again`]),
      ...(broken === 0 ? [] : [`${broken} reads were taken and broken off`]),
    ],
  };
}
