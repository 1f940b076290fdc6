import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const retryMs = 50;
const busy = 5;

/**
 * Runs `work` while no other process of this machine runs under the same file. The operating system ends the lock with the
 * process that holds it, however that ends; SQLite's exclusive transaction is the one kernel lock Node gives without an addon.
 * @param onWait - Called once when another process holds the lock.
 */
export async function whileLocked<T>(
  file: string,
  work: () => Promise<T>,
  { onWait, signal }: { onWait?: () => void; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    for (let waits = 0; !begun(lock); waits += 1) {
      if (waits === 0) onWait?.();
      await sleep(retryMs, undefined, { signal });
    }
    return await work();
  } finally {
    lock.close();
  }
}

function begun(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}
