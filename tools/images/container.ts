import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledService } from '../bundle/programs.ts';
import type { ProcessSpec } from '../start/supervisor.ts';
import { imageOf } from './build.ts';
import { buildah } from './buildah.ts';

/** The user `node` of the images. */
const user = 1000;

/**
 * Runs a program in the root of an image as a container would: its own mounts, a root that is read-only, `/tmp` in memory, its
 * files alone, user 1000 and no capability. The network is this machine's. Each exec takes the place of the former, so that signals
 * reach the program.
 */
const script = `set -e
root=$1 files=$2 target=$3; shift 3
mount --bind "$root" "$root"
mkdir -p "$root$target"
mount --bind "$files" "$root$target"
mount -o remount,bind,ro "$root$target"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec chroot "$root" setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all env --ignore-environment --chdir=/app "$@"`;

/** Puts files where the user of an image alone may read them. @returns the folder. */
export function filesFor(folder: string, files: ReadonlyMap<string, string>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of files) {
    const target = join(folder, name);
    copyFileSync(source, target);
    chownSync(target, user, user);
    chmodSync(target, 0o400);
  }
  chownSync(folder, user, user);
  chmodSync(folder, 0o700);
  return folder;
}

/** An image unpacked for one container. */
export type Unpacked = {
  container: string;
  root: string;
  bytes: number;
  environment: readonly string[];
  command: readonly string[];
};

type Inspected = { Docker: { config: { Env: string[]; Cmd: string[] | null; Entrypoint: string[] | null } } };

export function unpack(service: BundledService): Unpacked {
  const image = JSON.parse(buildah(['inspect', '--type', 'image', imageOf(service)], { quiet: true })) as Inspected;
  const { Env: environment, Cmd, Entrypoint } = image.Docker.config;
  const container = buildah(['from', '--pull-never', imageOf(service)], { quiet: true });
  const root = buildah(['mount', container], { quiet: true });
  const images = JSON.parse(buildah(['images', '--json', imageOf(service)], { quiet: true })) as { size: string }[];
  const bytes = sizeOf(String(images[0]?.size));
  return { container, root, bytes, environment, command: [...(Entrypoint ?? []), ...(Cmd ?? [])] };
}

/** Of "313 MB" and the like. */
const sizeOf = (text: string): number => {
  const [amount, unit = 'B'] = text.split(' ');
  return Number(amount) * 1000 ** ['B', 'KB', 'MB', 'GB'].indexOf(unit.toUpperCase());
};

export const remove = ({ container }: Unpacked): string => buildah(['rm', container], { quiet: true });

/** A process of an image, with what compose gives it. */
export function containerSpec(
  name: string,
  { root, environment, command }: Unpacked,
  given: { variables: ReadonlyMap<string, string>; command?: readonly string[]; files: string; filesAt: string },
  ready: string,
): ProcessSpec {
  const variables = [...environment, ...[...given.variables].map(([variable, value]) => `${variable}=${value}`)];
  const program = given.command ?? command;
  return {
    name,
    command: 'unshare',
    args: [
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-c',
      script,
      'sh',
      root,
      given.files,
      given.filesAt,
      ...variables,
      ...program,
    ],
    env: {},
    isReady: async () =>
      (await fetch(ready, { signal: AbortSignal.timeout(2000) }).catch(() => undefined))?.ok ?? false,
    readyWithinMs: 300_000,
  };
}

/** Processor time of a process and its threads in milliseconds, and its resident memory in bytes. */
export function usageOf(pid: number): { processorMs: number; residentBytes: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { processorMs: (Number(fields[11]) + Number(fields[12])) * 10, residentBytes: Number(resident) * 1024 };
}
