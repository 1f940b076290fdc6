import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withProcessLock } from '../../../tools/start/process-lock.ts';
import { type BuildInputs, changedInput, hashOfFile, hashOfGlob, inputsFile } from '../../../web/build/inputs.ts';
import { buildSite } from './build.ts';
import { linkedSources } from './links.ts';
import { type Page, pagePatterns, readPages } from './pages.ts';
import { sdkMethods } from './sdk-methods.ts';
import { sdkReference } from './sdk-reference.ts';

/** Builds the documentation into `docs/site/dist`, where the gateway looks for it: `npm run docs`. `--fresh` builds it in any case. */
const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const folder = join(root, 'docs/site/dist');
const cache = join(root, 'node_modules/.cache/castellan/sdk-reference.json');

const sdkSources = [
  'packages/sdk/src/**/*.ts',
  'packages/contracts/src/**/*.ts',
  'services/gateway/src/openapi/descriptions/*.ts',
];
const siteSources = [
  'docs/site/{src,client}/**/*',
  'docs/**/*.{svg,png}',
  'tools/publish/docstring-examples.ts',
  'package-lock.json',
];

/** What a build reads, as it is now. */
function inputsNow(patterns: readonly string[], files: readonly string[]): BuildInputs {
  const names = [...files, ...patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))].filter(
    (name) => !/(^|\/)(node_modules|dist)(\/|$)/.test(name),
  );
  return {
    node_env: 'production',
    files: Object.fromEntries(names.map((name) => [name, hashOfFile(root, name)])),
    globs: Object.fromEntries(patterns.map((pattern) => [pattern, hashOfGlob(root, pattern)])),
  };
}

const read = <T>(file: string): T | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;

/** TypeDoc takes seconds, and the SDK changes seldom. */
async function reference(): Promise<Page[]> {
  const kept = read<{ inputs: BuildInputs; pages: Page[] }>(cache);
  if (kept && changedInput(root, kept.inputs) === undefined) return kept.pages;
  const pages = await sdkReference(root);
  const inputs = inputsNow(sdkSources, [
    'package-lock.json',
    'docs/site/src/sdk-reference.ts',
    'docs/site/tsconfig.sdk.json',
  ]);
  writeFileSync(cache, JSON.stringify({ inputs, pages }));
  return pages;
}

async function build(): Promise<void> {
  const started = performance.now();
  const pages = readPages(root);
  const inputs = inputsNow(
    [...siteSources, ...sdkSources, ...pagePatterns],
    [...pages.map(({ file }) => file), ...linkedSources(pages)],
  );
  const count = await buildSite(root, folder, [sdkMethods(root), ...(await reference())]);
  writeFileSync(join(folder, inputsFile), JSON.stringify(inputs));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `The documentation is built: ${count} pages in ${seconds} s. A running system serves it under /docs.\n`,
  );
}

try {
  await withProcessLock(join(root, 'node_modules/.cache/castellan/docs.lock'), async () => {
    const built = read<BuildInputs>(join(folder, inputsFile));
    const isCurrent = built !== undefined && changedInput(root, built) === undefined;
    if (isCurrent && !process.argv.includes('--fresh'))
      process.stdout.write('The documentation is as it was: nothing to build.\n');
    else await build();
  });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
