import { readFileSync } from 'node:fs';

/** Of `/proc/<pid>/stat`, on every Linux that Node runs on. */
const tickMs = 10;

/** Milliseconds of processor time, user and system, that a process has taken. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
