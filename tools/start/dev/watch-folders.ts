import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'coverage']);

const isSkipped = (name: string): boolean => skipped.has(name) || name.startsWith('.');

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Calls back with the path of every file below the folders that is written, created, renamed or removed.
 * It watches folders, not files: an editor that saves by renaming replaces the file that would be watched.
 * @returns a function that ends it.
 */
export function watchFolders(folders: readonly string[], onChange: (file: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  const forget = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const changed = (path: string) => {
    if (!isFolder(path)) {
      forget(path);
      onChange(path);
    } else if (!watchers.has(path)) {
      // What is in a new folder was written before it could be watched.
      for (const file of add(path)) onChange(file);
    }
  };
  /** @returns the files that are in the folder now, at any depth. */
  const add = (folder: string): string[] => {
    const watcher = watch(folder, (_event, name) => {
      if (name !== null && !isSkipped(name)) changed(join(folder, name));
    });
    watcher.on('error', () => forget(folder));
    watchers.set(folder, watcher);
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !isSkipped(name))
      .flatMap((entry) => (entry.isDirectory() ? add(join(folder, entry.name)) : [join(folder, entry.name)]));
  };
  for (const folder of folders) add(folder);
  return () => {
    for (const folder of [...watchers.keys()]) forget(folder);
  };
}
