import type { Answers, OutageRow } from './answers.ts';

/**
 * The goal, in seconds without an answer: for a killed process, where nothing else happens at the same time. What is cut off, stands still,
 * or is what everybody depends on alone, as the only store here, has none. `docs/operations/soak.md` says where it was missed, and why.
 */
export const goals: Readonly<Record<string, number>> = {
  gateway: 5,
  auth: 5,
  vaults: 5,
  analytics: 5,
  users: 5,
  ai: 5,
  keeper: 5,
  validator: 5,
  nats: 5,
};

const seconds = (value: number): string => value.toFixed(1).padStart(6);

/** What is said of a row that is above its goal. */
function missed({ kind, target, max }: OutageRow): string {
  const goal = kind === 'killed' ? goals[target] : undefined;
  return goal !== undefined && max > goal ? `  missed: ${goal} s` : '';
}

/** Prints how long each service did not answer after each kind of fault, and what was refused meanwhile. */
export function report(answers: Answers, rows: readonly OutageRow[], say: (line: string) => void): void {
  say('time without an answer after a fault, in seconds');
  say(`  ${'fault'.padEnd(34)} times    p50    max  slowest`);
  for (const row of rows) {
    const { kind, target, times, p50, max, slowest } = row;
    const name = `${target} ${kind}`.padEnd(34);
    say(`  ${name} ${String(times).padStart(5)} ${seconds(p50)} ${seconds(max)}  ${slowest}${missed(row)}`);
  }
  for (const service of answers.services) say(`  ${service}: ${answers.countOf(service)} answers`);
  for (const [refusal, count] of answers.refusals) say(`  ${refusal}: ${count}`);
}
