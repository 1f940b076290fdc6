import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { contractsModule, contractsTypes } from './contracts.ts';
import { linksOut } from './links-out.ts';
import { oldestNode } from './oldest-node.ts';

/** The modules that others may import. `growing-client` is for this repository's own pages. */
const entries = { index: 'index.ts', calls: 'calls/index.ts' };
const contractsName = '@castellan/contracts';
const typesFile = 'contracts.d.ts';

type Manifest = {
  name: string;
  version: string;
  license: string;
  dependencies: Record<string, string>;
  [field: string]: unknown;
};

/** Where a package comes from, as npm wants it to say who built it. @param url - Of the repository on GitHub. */
export const repositoryOf = (url: string | undefined, directory: string) =>
  url === undefined ? {} : { repository: { type: 'git', url: `git+${url}.git`, directory } };

/** The manifest of what is published: nothing of this repository in it. */
function manifestOf(source: Manifest, repository: string | undefined): Manifest {
  const { [contractsName]: _, ...dependencies } = source.dependencies;
  const { devDependencies: _dev, private: _private, ...rest } = source;
  const entry = (name: string, types: string) => ({ types: `./${types}`, default: `./${name}.js` });
  return {
    ...rest,
    description: 'Typed client of the Castellan API: reads, live updates, sign-in, prepared calls, webhooks',
    engines: { node: `>=${oldestNode}` },
    ...repositoryOf(repository, 'packages/sdk'),
    publishConfig: { access: 'public', provenance: true },
    exports: { '.': entry('index', 'types/index.d.ts'), './calls': entry('calls', 'types/calls/index.d.ts') },
    files: ['*.js', 'chunks', 'types'],
    dependencies,
  };
}

async function writeModules(sources: string, outDir: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(sources, file)])),
    platform: 'neutral',
    transform: { target: `node${oldestNode}` },
    external: (id) => /^(viem|eventsource-parser)(\/|$)/.test(id),
    plugins: [
      {
        name: 'castellan:contracts-without-schemas',
        resolveId: (id) => (id === contractsName ? id : null),
        load: (id) => (id === contractsName ? { code: contractsModule(), moduleSideEffects: false } : null),
      },
    ],
  });
  try {
    await build.write({ dir: outDir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' });
  } finally {
    await build.close();
  }
}

/** Each module's own declarations: what is exported says its types, so that no program has to work them out. */
async function writeTypes(root: string, sources: string, outDir: string): Promise<void> {
  const { isolatedDeclarationSync } = await import('rolldown/experimental');
  const files = globSync('**/*.ts', { cwd: sources }).filter(
    (file) => !file.endsWith('.test.ts') && file !== 'growing-client.ts',
  );
  for (const file of files) {
    const { code, errors } = isolatedDeclarationSync(file, readFileSync(join(sources, file), 'utf8'));
    if (errors.length > 0)
      throw new Error(`packages/sdk/src/${file}: ${errors.map(({ message }) => message).join('; ')}`);
    const to = join(outDir, file.replace(/\.ts$/, '.d.ts'));
    const contracts = relative(dirname(to), join(outDir, 'contracts.js'));
    mkdirSync(dirname(to), { recursive: true });
    const text = code
      .replaceAll(`"${contractsName}"`, `"${contracts.startsWith('.') ? contracts : `./${contracts}`}"`)
      .replaceAll(/(from "\..*)\.ts"/g, '$1.js"');
    writeFileSync(to, file === 'index.ts' ? `export type * from "./contracts.js";\n${text}` : text);
  }
  writeFileSync(join(outDir, typesFile), contractsTypes(root));
}

/** Builds `@castellan/sdk` as it is published: ES modules and types that need nothing of this repository. */
export async function buildSdk(root: string, outDir: string, repository?: string): Promise<void> {
  const source = join(root, 'packages/sdk');
  mkdirSync(outDir, { recursive: true });
  await writeModules(join(source, 'src'), outDir);
  await writeTypes(root, join(source, 'src'), join(outDir, 'types'));
  const manifest = manifestOf(JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest, repository);
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const readme = readFileSync(join(source, 'README.md'), 'utf8');
  writeFileSync(join(outDir, 'README.md'), linksOut(readme, 'packages/sdk/README.md', repository));
  copyFileSync(join(root, 'LICENSE'), join(outDir, 'LICENSE'));
}
