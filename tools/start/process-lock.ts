import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 100;
const aliveEveryMs = 1000;
/** A holder that did not refresh its file for so long is gone, and another program has its process id. */
const abandonedAfterMs = 30_000;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** @returns what the lock's file says when its holder is gone. */
function abandoned(file: string): string | undefined {
  try {
    const holder = readFileSync(file, 'utf8');
    const isStale = Date.now() - statSync(file).mtimeMs > abandonedAfterMs;
    return isStale || !isRunning(Number.parseInt(holder, 10)) ? holder : undefined;
  } catch {
    return undefined; // Given back meanwhile.
  }
}

/** Takes an abandoned lock away. Of several that try, one moves the file, and a new holder's is put back. */
function clear(file: string, holder: string): void {
  const moved = `${file}.${process.pid}.gone`;
  try {
    renameSync(file, moved);
    if (readFileSync(moved, 'utf8') !== holder) linkSync(moved, file);
  } catch {
    // Another process was faster.
  }
  rmSync(moved, { force: true });
}

function take(file: string, holder: string): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, holder);
  try {
    // Whole or not at all: a lock without a holder in it would look abandoned.
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function isHeldBy(file: string, holder: string): boolean {
  try {
    return readFileSync(file, 'utf8') === holder;
  } catch {
    return false;
  }
}

/**
 * Runs `work` while no other process of this machine runs anything under the same file. The lock of a process that was
 * killed is taken over.
 */
export async function withProcessLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const holder = `${process.pid} ${process.hrtime.bigint()}`;
  while (!take(file, holder)) {
    const gone = abandoned(file);
    if (gone === undefined) await sleep(pollMs);
    else clear(file, gone);
  }
  const refresh = setInterval(() => {
    if (isHeldBy(file, holder)) utimesSync(file, new Date(), new Date());
  }, aliveEveryMs);
  refresh.unref();
  try {
    return await work();
  } finally {
    clearInterval(refresh);
    // A process that was suspended for long may have lost it to another.
    if (isHeldBy(file, holder)) rmSync(file, { force: true });
  }
}
