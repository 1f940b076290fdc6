import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';

/** A key file that may be read by others, or cannot be used as it is. The message says what to do. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

const othersMayAccess = 0o077;

/** What the rules ask of the process; injected so that tests can be another user. */
export type Process = { uid: number };

const thisProcess = (): Process => ({ uid: process.getuid?.() ?? 0 });

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
const octal = (mode: number) => (mode & 0o777).toString(8).padStart(3, '0');

/**
 * Reads a file that holds a secret: it and its folder must belong to this user and be closed to others, and a link must not
 * lead out of the folder. The file that was checked is the one that is read.
 * @throws KeyFileError with the exact command that mends it.
 */
export async function readSecretFile(path: string, { uid } = thisProcess()): Promise<string> {
  const folder = dirname(path);
  await checkLink(path, folder);
  const folderStat = await stat(folder).catch(missing(folder));
  if (folderStat.uid !== uid) throw wrongOwner(folder, folderStat.uid, uid);
  if (folderStat.mode & othersMayAccess)
    throw new KeyFileError(
      `${folder} is open to others (mode ${octal(folderStat.mode)}). Run: chmod 700 ${quoted(folder)}`,
    );
  const file = await open(path, constants.O_RDONLY).catch(missing(path));
  try {
    const fileStat = await file.stat();
    if (!fileStat.isFile()) throw new KeyFileError(`${path} is no file.`);
    if (fileStat.uid !== uid) throw wrongOwner(path, fileStat.uid, uid);
    if (fileStat.mode & othersMayAccess)
      throw new KeyFileError(
        `${path} is open to others (mode ${octal(fileStat.mode)}). Run: chmod 600 ${quoted(path)}`,
      );
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const wrongOwner = (path: string, owner: number, uid: number) =>
  new KeyFileError(`${path} belongs to user ${owner}, this process runs as ${uid}. Run: chown ${uid} ${quoted(path)}`);

const missing =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw new KeyFileError(
      error.code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be opened (${error.code}).`,
      { cause: error },
    );
  };

async function checkLink(path: string, folder: string) {
  const link = await lstat(path).catch(missing(path));
  if (!link.isSymbolicLink()) return;
  const target = relative(await realpath(folder), await realpath(path).catch(missing(path)));
  if (target.startsWith('..') || isAbsolute(target))
    throw new KeyFileError(`${path} is a link that leads out of ${folder}. Put the file itself there.`);
}

/**
 * Writes a secret so that a crash leaves the old file or the new one, never half: a temporary file of mode 600 in a folder of
 * mode 700, flushed, then renamed.
 * @throws KeyFileError when the file exists and may not be replaced.
 */
export async function writeSecretFile(path: string, text: string, options: { replace: boolean }): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!options.replace && (await exists(path)))
    throw new KeyFileError(
      `${path} exists. Choose another file, or move it away first: a key that is lost stays lost.`,
    );
  const temporary = join(folder, `.${basename(path)}.${process.pid}.tmp`);
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, 'wx', 0o600);
    await written(file, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

async function written(file: FileHandle, text: string) {
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
