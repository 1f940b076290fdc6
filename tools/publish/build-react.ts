import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryOf } from './build-sdk.ts';
import { linksOut } from './links-out.ts';
import { oldestNode } from './oldest-node.ts';

const entries = { index: 'index.ts', calls: 'calls.ts' };

/** What is imported from where it is installed: the SDK has the types, and its classes are the same for all who use it. */
export const externals = /^(react|react\/.*|@tanstack\/react-query|@castellan\/sdk(\/calls)?)$/;

type Manifest = { version: string; dependencies: Record<string, string>; [field: string]: unknown };

/** The manifest of what is published: it needs the SDK of the same version. */
function manifestOf({ devDependencies: _dev, private: _private, ...source }: Manifest, repository: string | undefined) {
  const entry = (name: string) => ({ types: `./types/${name}.d.ts`, default: `./${name}.js` });
  return {
    ...source,
    description: 'React hooks over the Castellan API: vaults, figures, alerts, live updates, prepared calls',
    engines: { node: `>=${oldestNode}` },
    ...repositoryOf(repository, 'packages/react'),
    publishConfig: { access: 'public', provenance: true },
    exports: { '.': entry('index'), './calls': entry('calls') },
    files: ['*.js', 'chunks', 'types'],
    dependencies: { '@castellan/sdk': source.version },
  };
}

/** Builds `@castellan/react` as it is published: ES modules and types over the published SDK. */
export async function buildReact(root: string, outDir: string, repository?: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const { isolatedDeclarationSync } = await import('rolldown/experimental');
  const source = join(root, 'packages/react');
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(source, 'src', file)])),
    platform: 'neutral',
    external: (id) => externals.test(id),
  });
  try {
    await build.write({ dir: outDir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' });
  } finally {
    await build.close();
  }
  mkdirSync(join(outDir, 'types'), { recursive: true });
  for (const file of globSync('*.ts', { cwd: join(source, 'src') }).filter((name) => !name.endsWith('.test.ts'))) {
    const { code, errors } = isolatedDeclarationSync(file, readFileSync(join(source, 'src', file), 'utf8'));
    if (errors.length > 0)
      throw new Error(`packages/react/src/${file}: ${errors.map(({ message }) => message).join('; ')}`);
    const text = code.replaceAll(/(from "\..*)\.ts"/g, '$1.js"');
    writeFileSync(join(outDir, 'types', file.replace(/\.ts$/, '.d.ts')), text);
  }
  const manifest = manifestOf(JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest, repository);
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const readme = readFileSync(join(source, 'README.md'), 'utf8');
  writeFileSync(join(outDir, 'README.md'), linksOut(readme, 'packages/react/README.md', repository));
  copyFileSync(join(root, 'LICENSE'), join(outDir, 'LICENSE'));
}
