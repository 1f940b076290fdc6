import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allRoutes } from '../../services/gateway/src/http/serve-routes.ts';
import { openApiDocument } from '../../services/gateway/src/openapi/document.ts';
import { breaksBetween, goneUnannounced } from './operations.ts';
import type { Description } from './shapes.ts';

/**
 * Says what of the API would break callers of the last release: `node tools/api-changes/main.ts`; with `--store` the present description
 * becomes that of the release in package.json. A test refuses a break unless the version of package.json allows it.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = join(root, 'docs/api');

type Released = { readonly version: string; readonly description: Description };

const numbersOf = (version: string): number[] => version.split('.').map(Number);
const byVersion = (a: string, b: string): number => {
  const left = numbersOf(a);
  const right = numbersOf(b);
  const first = left.findIndex((number, index) => number !== right[index]);
  return first === -1 ? 0 : (left[first] ?? 0) - (right[first] ?? 0);
};

/** Semantic versioning: the first number may break, before 1.0.0 the second. */
export function mayBreak(before: string, now: string): boolean {
  const [major = 0, minor = 0] = numbersOf(before);
  const [newMajor = 0, newMinor = 0] = numbersOf(now);
  return newMajor > major || (major === 0 && newMinor > minor);
}

export const versionNow = (): string =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;

/** The stored description of the newest release. */
export function lastRelease(): Released {
  const [version] = globSync('openapi-*.json', { cwd: folder })
    .map((file) => basename(file, '.json').replace('openapi-', ''))
    .sort(byVersion)
    .slice(-1);
  if (version === undefined) throw new Error(`No release is described in ${folder}.`);
  return { version, description: JSON.parse(readFileSync(join(folder, `openapi-${version}.json`), 'utf8')) };
}

/** Words break nobody, and clients recognise a refusal by its code. */
const isLeftOut = (key: string, value: unknown): boolean =>
  (['description', 'summary'].includes(key) && typeof value === 'string') ||
  ['tags', 'externalDocs', 'x-castellan-errors'].includes(key) ||
  /^[345](\d\d|XX)$/.test(key);

/** What callers depend on of the present description. */
export function presentDescription(): Description {
  const { security, paths, components } = openApiDocument(allRoutes, 'https://castellan.example');
  const { parameters, schemas, responses } = components;
  const text = JSON.stringify({ security, paths, components: { parameters, schemas, responses } }, (key, value) =>
    isLeftOut(key, value) ? undefined : value,
  );
  return JSON.parse(text);
}

/** One line for each path and shape, so that a difference can be read. */
function textOf({ security, paths, components }: Description): string {
  const lines = (members: object): string =>
    Object.entries(members)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n');
  const { parameters, schemas, responses = {} } = components;
  return `{"security": ${JSON.stringify(security)},
"paths": {\n${lines(paths)}\n},\n"components": {"parameters": {\n${lines(parameters)}\n},\n"schemas": {\n${lines(schemas)}\n},\n"responses": {\n${lines(responses)}\n}}}\n`;
}

function main(): void {
  if (process.argv.includes('--store')) {
    const file = join(folder, `openapi-${versionNow()}.json`);
    writeFileSync(file, textOf(presentDescription()));
    console.log(file);
    return;
  }
  const { version, description } = lastRelease();
  const breaks = breaksBetween(description, presentDescription());
  const unannounced = goneUnannounced(description, presentDescription());
  for (const each of [...breaks, ...unannounced]) console.log(each);
  console.log(`${breaks.length} changes since ${version} would break a caller.`);
  if (unannounced.length > 0 || (breaks.length > 0 && !mayBreak(version, versionNow()))) process.exitCode = 1;
}

if (import.meta.main) main();
