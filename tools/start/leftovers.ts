import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

type Entry = { name: string; pid?: number; command: string };

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A pid may have been given to another program since: the command line must still be ours. */
const isOurs = ({ pid, command }: Entry): boolean => {
  if (pid === undefined || !isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(command);
  } catch {
    return false;
  }
};

/** Stops processes of an earlier start whose supervisor was killed. @returns their names. */
export async function stopLeftovers(stateDir: string): Promise<string[]> {
  const file = join(stateDir, 'pids.json');
  if (!existsSync(file)) return [];
  let entries: Entry[];
  try {
    entries = JSON.parse(readFileSync(file, 'utf8')) as Entry[];
  } catch {
    return []; // A torn write: the ports that are still taken will be named.
  }
  const ours = entries.filter(isOurs).reverse();
  for (const { pid } of ours) if (pid !== undefined) process.kill(pid, 'SIGTERM');
  for (let waited = 0; waited < 10_000 && ours.some(isOurs); waited += 100) await sleep(100);
  for (const entry of ours) if (entry.pid !== undefined && isOurs(entry)) process.kill(entry.pid, 'SIGKILL');
  return ours.map(({ name }) => name);
}
