/** A fault that was played: of which kind, to which process, when, and when the process was ready again. */
export type PlayedFault = {
  readonly kind: string;
  readonly process: string;
  readonly from: number;
  readonly to: number;
};

/** When a service answered, and with that for how long it did not. */
export class Answers {
  readonly #times = new Map<string, number[]>();
  readonly refusals = new Map<string, number>();

  answered(service: string, at: number): void {
    const times = this.#times.get(service);
    if (times) times.push(at);
    else this.#times.set(service, [at]);
  }

  failed(service: string, why: string): void {
    const key = `${service}: ${why}`;
    this.refusals.set(key, (this.refusals.get(key) ?? 0) + 1);
  }

  get services(): string[] {
    return [...this.#times.keys()];
  }

  countOf(service: string): number {
    return this.#times.get(service)?.length ?? 0;
  }

  /** The longest time between two answers of a service that touches the window. */
  longestGap(service: string, from: number, to: number): number {
    const times = this.#times.get(service) ?? [];
    let longest = 0;
    for (const [place, at] of times.entries()) {
      const before = times[place - 1];
      if (before !== undefined && at > from && before < to) longest = Math.max(longest, at - before);
    }
    return longest;
  }
}

/** The middle of a list and its largest, in seconds. */
const secondsOf = (gaps: readonly number[]): { p50: number; max: number } => {
  const sorted = gaps.toSorted((left, right) => left - right);
  return { p50: (sorted[Math.floor(sorted.length / 2)] ?? 0) / 1000, max: (sorted.at(-1) ?? 0) / 1000 };
};

export type OutageRow = { kind: string; target: string; times: number; p50: number; max: number; slowest: string };

const serviceOf = (process: string): string => process.replace(/-\d$/, '');

/**
 * The time without answers after each kind of fault. A fault to a service that is asked counts that service's answers; any other
 * counts all services and names the one that was silent for longest.
 */
export function outages(answers: Answers, faults: readonly PlayedFault[]): OutageRow[] {
  const rows = new Map<string, { kind: string; target: string; gaps: { gap: number; service: string }[] }>();
  for (const { kind, process, from, to } of faults) {
    const target = serviceOf(process);
    const asked = answers.services.includes(target) ? [target] : answers.services;
    const worst = asked
      .map((service) => ({ service, gap: answers.longestGap(service, from, to) }))
      .reduce((most, one) => (one.gap > most.gap ? one : most), { service: '', gap: 0 });
    const key = `${kind} ${target}`;
    const row = rows.get(key) ?? { kind, target, gaps: [] };
    row.gaps.push(worst);
    rows.set(key, row);
  }
  return [...rows.values()]
    .map(({ kind, target, gaps }) => {
      const { p50, max } = secondsOf(gaps.map(({ gap }) => gap));
      const slowest = gaps.find(({ gap }) => gap / 1000 === max)?.service ?? '';
      return { kind, target, times: gaps.length, p50, max, slowest };
    })
    .sort((left, right) => left.kind.localeCompare(right.kind) || left.target.localeCompare(right.target));
}
