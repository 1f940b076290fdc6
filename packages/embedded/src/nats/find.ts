import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where to look for the server and apt, and where to unpack. `path` defaults to PATH and Debian's folders of daemons. */
export type FindNatsOptions = { stateDir: string; log?: (line: string) => void; path?: string };

const DOWNLOAD_TIMEOUT_MS = 60_000;

/** Debian keeps daemons in /usr/sbin, which an ordinary user's PATH often lacks. */
const defaultPath = (): string =>
  [process.env.PATH ?? '', '/usr/sbin', '/usr/local/sbin', '/usr/local/bin'].join(delimiter);

function onPath(path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'nats-server')).find((file) => existsSync(file));
}

const unpackedBinary = (folder: string): string | undefined =>
  ['usr/sbin/nats-server', 'usr/bin/nats-server'].map((name) => join(folder, name)).find((file) => existsSync(file));

/** Fetches Debian's package with apt, which checks its signature chain, and unpacks it without installing it. */
async function unpackDebianPackage(folder: string, path: string): Promise<string | undefined> {
  // Renamed at the end: half a binary, left by a kill, would be taken for the server at every later start.
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const options = { cwd: partial, timeout: DOWNLOAD_TIMEOUT_MS, env: { ...process.env, PATH: path } };
  await run('apt-get', ['download', 'nats-server'], options);
  const archive = readdirSync(partial).find((name) => name.startsWith('nats-server_') && name.endsWith('.deb'));
  if (!archive) return undefined;
  await run('dpkg-deb', ['-x', archive, partial], options);
  rmSync(join(partial, archive));
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
  return unpackedBinary(folder);
}

/**
 * The path of a nats-server binary: on PATH, else unpacked earlier, else Debian's package unpacked into `stateDir`
 * (no root needed, nothing installed).
 * @throws {Error} that says what to do when there is none.
 */
export async function findNatsServer({ stateDir, log, path = defaultPath() }: FindNatsOptions): Promise<string> {
  const folder = resolve(stateDir, 'nats-server');
  const known = onPath(path) ?? unpackedBinary(folder);
  if (known) return known;
  log?.('nats-server is not on PATH: unpacking the Debian package');
  try {
    const unpacked = await unpackDebianPackage(folder, path);
    if (unpacked) return unpacked;
    throw new Error('the package holds no nats-server binary');
  } catch (cause) {
    throw new Error(
      'No nats-server found. Install it (Debian: apt-get install nats-server; macOS: brew install nats-server; or ' +
        'https://github.com/nats-io/nats-server/releases) so that it is on PATH, or set NATS_URL to a running server.',
      { cause },
    );
  }
}
