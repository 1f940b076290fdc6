import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anvilVersion } from './anvil.ts';
import type { Artifacts } from './compile.ts';

const packages = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where this checkout keeps what is made once; undefined where there is no checkout with dependencies, as in an image. */
export function cacheFolder(): string | undefined {
  const modules = join(dirname(packages), 'node_modules');
  return existsSync(modules) ? join(modules, '.cache/castellan') : undefined;
}

/**
 * A name for a chain that was made by these contracts, this anvil and the sources of these packages: what is kept under it is
 * stale as soon as one of them changes.
 * @param packageNames - Whose `src` folders say what happens on the chain; folders of `packages`.
 * @param settings - What else it depends on.
 */
export function chainKey(artifacts: Artifacts, packageNames: readonly string[], settings: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify([artifacts, settings, anvilVersion()]));
  for (const name of packageNames) {
    const folder = join(packages, name, 'src');
    const files = globSync('**/*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
    for (const file of files.sort()) hash.update(`${name}/${file}\0`).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 24);
}
