import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Says which installed packages that leave this repository have a licence that nobody has agreed to: `node tools/licences.ts`. What only
 * develops and tests (`dev` in the lockfile) stays here.
 */
const agreed = [
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'ISC',
    'MIT',
    'MIT-0',
    'Unlicense',
    'Zlib',
  ],
  // Of fonts; and of files that stay as they are published.
  ...['OFL-1.1', 'MPL-2.0'],
];

/** Packages that name their licence in a form that the lockfile does not keep, as their own files have it. */
const read: Readonly<Record<string, string>> = { memorystream: 'MIT', 'xmlhttprequest-ssl': 'MIT' };

type Lockfile = { packages: Record<string, { license?: string; dev?: boolean; link?: boolean }> };

/** One of several licences is enough for OR; AND wants all of them. */
const isAgreed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((all) => all.split(' AND ').every((licence) => agreed.includes(licence)));

/** What is wrong with the licences of the packages that are shipped, a line for each package. */
export function licenceFaults({ packages }: Lockfile): string[] {
  return Object.entries(packages).flatMap(([path, { license, dev, link }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    if (!path.includes('node_modules/') || dev || link) return [];
    const licence = license ?? read[name];
    if (licence === undefined) return [`${name} names no licence`];
    return isAgreed(licence) ? [] : [`${name} is under ${licence}`];
  });
}

if (import.meta.main) {
  const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
  const faults = licenceFaults(JSON.parse(readFileSync(file, 'utf8')) as Lockfile);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
