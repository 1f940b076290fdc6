import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledService } from '../bundle/programs.ts';
import { makeBase } from './base.ts';
import { buildah, runProgram } from './buildah.ts';

export const imageOf = (service: BundledService): string => `localhost/castellan-${service}`;

/** The name of the image that the Dockerfile begins with. */
export function defaultBase(root: string): string {
  const name = /^ARG BASE_IMAGE=(\S+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1];
  if (name === undefined) throw new Error('The Dockerfile has no ARG BASE_IMAGE.');
  return name;
}

export type BuildOptions = {
  /** An image that is pulled; without it the base is made on this machine. */
  base: string | undefined;
  version: string;
  commit: string;
  services: readonly BundledService[];
};

const cacheOfNpm = () => runProgram('npm', ['config', 'get', 'cache'], { quiet: true });

/** Builds images of services from the Dockerfile. */
export function buildImages(root: string, { base, version, commit, services }: BuildOptions): void {
  if (base === undefined) makeBase(root, defaultBase(root));
  for (const service of services) {
    const args = Object.entries({ ...(base && { BASE_IMAGE: base }), VERSION: version, COMMIT: commit });
    process.stdout.write(`Building ${imageOf(service)}\n`);
    buildah(
      [
        // npm has more files open at a time than buildah allows by itself.
        ...[
          'bud',
          '--ulimit',
          'nofile=16384:16384',
          '--isolation',
          'chroot',
          '--format',
          'docker',
          '--layers',
          '--quiet',
        ],
        ...(base === undefined ? ['--pull-never'] : []),
        ...args.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
        ...['--volume', `${cacheOfNpm()}:/root/.npm`, '--target', service, '--tag', imageOf(service), '.'],
      ],
      { cwd: root },
    );
  }
}
