import { execFile } from 'node:child_process';
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const bundleFolder = 'node_modules/.cache/castellan/services';

/**
 * Which version each instance runs: a link per instance to the bundles of the former version, of a checkout with its dependencies
 * installed, until it is moved to those of this one.
 */
export class Releases {
  readonly #stateDir: string;
  readonly #current: string;
  readonly #former: string;

  /** @param former - Bundles of the version that instances start as; `current` where all run this version from the start. */
  constructor(stateDir: string, current: string, former: string) {
    this.#stateDir = stateDir;
    this.#current = current;
    this.#former = former;
  }

  /** The folder that an instance is started from, now and after it was moved. */
  folderOf(name: string): string {
    const link = this.#linkOf(name);
    symlinkSync(this.#former, link);
    return link;
  }

  /** What is started for this instance from now on is this version. */
  move(name: string): void {
    const next = `${this.#linkOf(name)}.next`;
    symlinkSync(this.#current, next);
    renameSync(next, this.#linkOf(name));
  }

  #linkOf(name: string): string {
    return join(this.#stateDir, `release-${name}`);
  }
}

/** Bundles the services of a checkout by its own tools. @returns the folder. @throws Error with what they wrote. */
export async function bundlesOf(root: string): Promise<string> {
  const folder = join(root, bundleFolder);
  await promisify(execFile)(process.execPath, [join(root, 'tools/bundle/main.ts'), 'all', folder], { cwd: root });
  return folder;
}
