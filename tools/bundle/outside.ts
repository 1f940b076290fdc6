import { cpSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Packages that stay outside of every bundle: tracing patches the first ones when they are loaded from `node_modules`, and a
 * native one finds its binary beside its own files.
 */
export const outside: readonly string[] = ['mongodb', 'bson', 'undici', 'secp256k1'];

/** @returns whether an import is of such a package. */
export const isOutside = (specifier: string): boolean =>
  outside.some((name) => specifier === name || specifier.startsWith(`${name}/`));

type Manifest = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folder of a package as Node finds it from another folder; undefined where an optional one is not installed. */
function folderOf(root: string, name: string, from: string): string | undefined {
  for (let folder = from; folder.length >= root.length; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
  }
  return undefined;
}

/** The packages outside of the bundle that a service depends on, itself or by a package that is in its bundle. */
function requiredOutside(root: string, folder: string, seen = new Set<string>()): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of Object.keys(manifestIn(folder).dependencies ?? {})) {
    if (isOutside(name)) found.set(name, folder);
    const inside = isOutside(name) ? undefined : folderOf(root, name, folder);
    if (inside === undefined || seen.has(inside)) continue;
    seen.add(inside);
    for (const [each, from] of requiredOutside(root, inside, seen)) found.set(each, from);
  }
  return found;
}

/**
 * The folders of all packages that a service loads from `node_modules` when it runs as a bundle, relative to the repository.
 * @throws Error when one is not installed.
 */
export function foldersOutside(root: string, service: string): string[] {
  const folders = new Set<string>();
  const add = (name: string, from: string, isOptional: boolean): void => {
    const folder = folderOf(root, name, from);
    if (folder === undefined) {
      if (isOptional) return;
      throw new Error(`The package ${name} is not installed. Run npm ci.`);
    }
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = manifestIn(folder);
    for (const each of Object.keys(dependencies)) add(each, folder, each in optionalDependencies);
  };
  for (const [name, from] of requiredOutside(root, join(root, 'services', service))) add(name, from, false);
  return [...folders].map((folder) => relative(root, folder)).sort();
}

/** Copies these packages to where the bundle finds them. Type declarations and source maps of others are left out. */
export function copyOutside(root: string, service: string, outDir: string): void {
  for (const folder of foldersOutside(root, service)) {
    const isOfOther = (file: string) => relative(join(root, folder), file).split('/').includes('node_modules');
    cpSync(join(root, folder), join(outDir, folder), {
      recursive: true,
      filter: (file) => !isOfOther(file) && !/\.([cm]?ts|map|md)$/.test(file),
    });
  }
}
