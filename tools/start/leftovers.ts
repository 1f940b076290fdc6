import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that an earlier start wrote down; `command` is an argument that only ours has. */
type Entry = { name: string; pid?: number; command: string };

/** A pid may have been given to another program since: the command line must still be ours. */
const isOurs = ({ pid, command }: Entry): boolean => {
  if (pid === undefined) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(command);
  } catch {
    return false; // It is gone.
  }
};

function supervised(stateDir: string): Entry[] {
  const file = join(stateDir, 'pids.json');
  if (!existsSync(file)) return [];
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Entry[];
  } catch {
    return []; // A torn write: the ports that are still taken will be named.
  }
}

/** Anvil is the devnet's child, not the supervisor's; the devnet writes its pid down. */
function chainOf(stateDir: string): Entry[] {
  const file = join(stateDir, 'devnet/anvil.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  return pid > 0 ? [{ name: 'anvil', pid, command: join(stateDir, 'devnet/state.json') }] : [];
}

/** Ends those that are still ours, with time to write what they hold. @returns their names. */
async function end(entries: Entry[]): Promise<string[]> {
  const ours = entries.filter(isOurs);
  for (const { pid } of ours) if (pid !== undefined) process.kill(pid, 'SIGTERM');
  for (let waited = 0; waited < 10_000 && ours.some(isOurs); waited += 100) await sleep(100);
  for (const entry of ours) if (entry.pid !== undefined && isOurs(entry)) process.kill(entry.pid, 'SIGKILL');
  return ours.map(({ name }) => name);
}

/** Stops processes of an earlier start whose supervisor was killed. @returns their names. */
export async function stopLeftovers(stateDir: string): Promise<string[]> {
  const stopped = await end(supervised(stateDir).reverse());
  // After the devnet, which ends its anvil itself unless it was killed too.
  return [...stopped, ...(await end(chainOf(stateDir)))];
}
