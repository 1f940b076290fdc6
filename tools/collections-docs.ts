import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CollectionDefinition, CollectionIndex } from '@castellan/service-kit';

/** Writes `docs/collections.md` from the definitions of collections: `npm run docs:collections`. A test notices when it is stale. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const target = join(root, 'docs/collections.md');

const isDefinition = (value: unknown): value is CollectionDefinition =>
  (value as { kind?: unknown } | null | undefined)?.kind === 'collection';

/** Files that define collections, with how many they define. */
export const definingFiles = (): { file: string; count: number }[] =>
  globSync(['services/*/src/**/*.ts', 'packages/service-kit/src/**/*.ts'], { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .map((file) => ({
      file,
      count: readFileSync(join(root, file), 'utf8').split(/[^\w]defineCollection\(/).length - 1,
    }))
    .filter(({ count }) => count > 0);

/** The definitions that a file exports. */
export async function definitionsIn(file: string): Promise<CollectionDefinition[]> {
  return Object.values((await import(join(root, file))) as Record<string, unknown>).filter(isDefinition);
}

const keysOf = ({ keys }: CollectionIndex): string =>
  Object.entries(keys)
    .map(([name, direction]) => (direction === 1 ? name : `${name} ↓`))
    .join(', ');

const indexText = (index: CollectionIndex): string => {
  const about = [index.unique && 'unique', index.sparse && 'sparse', index.only && 'partial'].filter(Boolean);
  return `\`${keysOf(index)}\`${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
};

const lifetimeOf = (seconds: number): string => {
  if (seconds === 0) return 'at';
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d after`;
  return `${seconds} s after`;
};

function rowOf({ name, kept, about, indexes, version }: CollectionDefinition): string {
  const lookUps = indexes.filter(({ ttlSeconds }) => ttlSeconds === undefined).map(indexText);
  const removed = indexes
    .filter(({ ttlSeconds }) => ttlSeconds !== undefined)
    .map((index) => `${lifetimeOf(index.ttlSeconds as number)} \`${keysOf(index)}\``);
  return `| \`${name}\` | ${about} | ${kept} | ${lookUps.join('; ')} | ${removed.join('; ')} | ${version} |\n`;
}

const serviceOf = (file: string): string =>
  file.startsWith('packages/') ? 'every service' : (file.split('/')[1] ?? '');

/** The page's text. */
export async function collectionsPage(): Promise<string> {
  let text = '# Collections\n\nEach service has a database of its own; the keeper shares that of vaults. ';
  text += 'Beside `_id`, which is always indexed, these are the indexes; ↓ is descending.\n';
  text +=
    'Kept says what a [backup](operations/backup.md) does: it holds what is truth; what is rebuilt is made again by its service; what is\n';
  text += 'transient is not missed, or must not come back.\n';
  text += 'This page is made from the definitions by `npm run docs:collections`.\n';
  const services = new Map<string, CollectionDefinition[]>();
  for (const { file } of definingFiles())
    services.set(serviceOf(file), [...(services.get(serviceOf(file)) ?? []), ...(await definitionsIn(file))]);
  for (const [service, definitions] of [...services].sort(([a], [b]) => a.localeCompare(b))) {
    text += `\n## ${service}\n\n| Collection | Holds | Kept | Indexes | Removed | Version |\n|---|---|---|---|---|---|\n`;
    for (const definition of definitions.sort((a, b) => a.name.localeCompare(b.name))) text += rowOf(definition);
  }
  return text;
}

if (import.meta.main) writeFileSync(target, await collectionsPage());
