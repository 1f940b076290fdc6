import type { Answers, OutageRow } from './answers.ts';

const seconds = (value: number): string => value.toFixed(1).padStart(6);

/** Prints how long each service did not answer after each kind of fault, and what was refused meanwhile. */
export function report(answers: Answers, rows: readonly OutageRow[], say: (line: string) => void): void {
  say('time without an answer after a fault, in seconds');
  say(`  ${'fault'.padEnd(34)} times    p50    max  slowest`);
  for (const { kind, target, times, p50, max, slowest } of rows)
    say(`  ${`${target} ${kind}`.padEnd(34)} ${String(times).padStart(5)} ${seconds(p50)} ${seconds(max)}  ${slowest}`);
  for (const service of answers.services) say(`  ${service}: ${answers.countOf(service)} answers`);
  for (const [refusal, count] of answers.refusals) say(`  ${refusal}: ${count}`);
}
