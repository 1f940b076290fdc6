import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isDiskFull } from './data-file.ts';

/**
 * SQLite's log is folded into the file when it is so long: twice as long, and the pages that change all the time are written to the file half
 * as often. Folding needs as much space, which the reserve holds.
 */
export const LOG_BYTES = 16 * 1024 * 1024;

const diskFull: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What gives up its reserve and sets it aside again. */
type WithReserve = { useReserve(): void; keepReserve(): void };

/** Awaits a deletion; when the disk was too full for it, runs it once more in the reserve's space. */
export async function retriedWithReserve<T>(
  storage: WithReserve,
  first: Promise<T>,
  again: () => Promise<T>,
): Promise<T> {
  try {
    return await first;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
  storage.useReserve();
  try {
    return await again();
  } finally {
    storage.keepReserve();
  }
}

/** Space set aside on the disk, so that documents can be deleted when it is full: a delete writes before it frees. */
export class Reserve {
  readonly path: string;

  /** @param path - The file that takes the space. */
  constructor(path: string) {
    this.path = path;
  }

  /** True while the space is set aside. */
  get held(): boolean {
    return existsSync(this.path);
  }

  /** True while as much is set aside as a store of this version needs. */
  get isWhole(): boolean {
    return (statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) >= LOG_BYTES;
  }

  /** Sets the space aside if there is enough. @returns whether it is. */
  take(): boolean {
    if (this.isWhole) return true;
    try {
      writeFileSync(this.path, Buffer.alloc(LOG_BYTES), { mode: 0o600 });
    } catch (error) {
      // What was taken is given back, and a later call tries again.
      this.giveUp();
      if (!diskFull.has((error as { code?: string }).code ?? '')) throw error;
    }
    return this.held;
  }

  /** Frees the space. */
  giveUp(): void {
    rmSync(this.path, { force: true });
  }
}
