import { createHash, randomUUID } from 'node:crypto';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { type Artifacts, chainKey } from '@castellan/protocol';
import type { StateFiles } from './state-files.ts';

/** Finished histories by what they were made of. Used while `lock` is held. */
export type HistoryCache = {
  readonly lock: string;
  /**
   * Copies a history into a state folder. One that is damaged, too old or of other sources is deleted.
   * @param end - Unix seconds between which the history shall end: its time cannot be moved.
   * @returns when it ends, in Unix seconds; undefined when there is none.
   */
  copyTo(files: StateFiles, end: { earliest: number; latest: number }): number | undefined;
  keep(files: StateFiles, end: number): void;
};

type Manifest = { end: number; hashes: Record<string, string> };

const manifestName = 'manifest.json';
const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** What a start chooses of a history. */
export type HistoryChoice = { days: number; priceIntervalSeconds: number; network: string };

/** The histories of a choice kept in `folder`; of these contracts, this scenario and this anvil, only the last one is kept. */
export function historyCache(folder: string, artifacts: Artifacts, choice: HistoryChoice): HistoryCache {
  const kind = `${choice.network}-${choice.days}-days-${choice.priceIntervalSeconds}-s`;
  const entry = join(folder, `${kind}-${chainKey(artifacts, ['chain', 'protocol', 'devnet'], choice)}`);
  const forgetOthers = () => {
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder)) {
      const isOther = name.startsWith(`${kind}-`) && name !== basename(entry);
      if (isOther) rmSync(join(folder, name), { recursive: true, force: true });
    }
  };
  return {
    lock: join(folder, `${kind}.lock`),
    copyTo: (files, { earliest, latest }) => {
      forgetOthers();
      const manifest = readWhole(entry);
      if (!manifest || manifest.end < earliest || manifest.end > latest) {
        rmSync(entry, { recursive: true, force: true });
        return undefined;
      }
      for (const file of files.history) {
        copyFileSync(join(entry, basename(file)), `${file}.partial`, constants.COPYFILE_FICLONE);
        renameSync(`${file}.partial`, file);
      }
      return manifest.end;
    },
    keep: (files, end) => {
      const partial = join(folder, `${kind}-partial-${randomUUID()}`);
      mkdirSync(partial, { recursive: true });
      const hashes: Manifest['hashes'] = {};
      for (const file of files.history) {
        copyFileSync(file, join(partial, basename(file)), constants.COPYFILE_FICLONE);
        hashes[basename(file)] = hashOf(join(partial, basename(file)));
      }
      writeFileSync(join(partial, manifestName), JSON.stringify({ end, hashes } satisfies Manifest));
      rmSync(entry, { recursive: true, force: true });
      renameSync(partial, entry);
    },
  };
}

/** @returns undefined when something is missing or differs from what was written. */
function readWhole(entry: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(entry, manifestName), 'utf8')) as Manifest;
    const isWhole = Object.entries(manifest.hashes).every(([name, hash]) => hashOf(join(entry, name)) === hash);
    return isWhole ? manifest : undefined;
  } catch {
    // Unreadable is as good as missing: the history is made again.
    return undefined;
  }
}
