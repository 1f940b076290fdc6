import { readFileSync } from 'node:fs';

/** Of `/proc/<pid>/stat`, on every Linux that Node runs on. */
const tickMs = 10;

/** Milliseconds of processor time, user and system, that a process has taken. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** The first number on a line of `/proc/<pid>/<file>` that begins with a name. */
export function countIn(pid: number, file: string, name: string): number {
  const found = readFileSync(`/proc/${pid}/${file}`, 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`));
  return Number(/\d+/.exec(found ?? '')?.[0]);
}

/** Proportional set size in MB: memory of the process, what it shares counted in parts. */
export const pssMbOf = (pid: number): number => countIn(pid, 'smaps_rollup', 'Pss') / 1_024;
