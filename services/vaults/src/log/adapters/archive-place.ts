import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArchivePlace } from '../ports.ts';

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Files below a folder. */
export function folderPlace(folder: string): ArchivePlace {
  return {
    async write(name, content) {
      const path = join(folder, name);
      const partial = `${path}.${randomUUID()}.partial`;
      await mkdir(dirname(path), { recursive: true });
      try {
        const handle = await open(partial, 'wx', 0o640);
        try {
          await handle.writeFile(content);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(partial, path);
        await sync(dirname(path));
      } finally {
        await rm(partial, { force: true });
      }
    },
    read: (name) => readFile(join(folder, name)),
  };
}

const s3Url = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/?$/;

/** Whether a text names a place: the path of a folder, or `s3://bucket/prefix`. */
export const isArchivePlace = (text: string): boolean => s3Url.test(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** @param place - The path of a folder, or `s3://bucket/prefix`. */
export async function openArchivePlace(place: string): Promise<ArchivePlace> {
  const [, bucket, prefix = ''] = s3Url.exec(place) ?? [];
  if (bucket === undefined) return folderPlace(place);
  // Loaded where it is used: the client is large.
  const { s3Place } = await import('./archive-place.s3.ts');
  return s3Place(bucket, prefix);
}
