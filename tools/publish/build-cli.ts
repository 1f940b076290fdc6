import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedCliPage } from '../cli-docs.ts';
import { repositoryOf } from './build-sdk.ts';
import { linksOut } from './links-out.ts';
import { oldestNode } from './oldest-node.ts';

/** Builds `@castellan/cli` as it is published: one program with all that it needs. */
export async function buildCli(root: string, outDir: string, repository?: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: { castellan: join(root, 'tools/castellan/published-main.ts') },
    platform: 'node',
    transform: { target: `node${oldestNode}` },
  });
  try {
    await build.write({
      dir: outDir,
      format: 'esm',
      minify: true,
      comments: { legal: true, annotation: false, jsdoc: false },
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      banner: ({ isEntry }) => (isEntry ? '#!/usr/bin/env node' : ''),
    });
  } finally {
    await build.close();
  }
  mkdirSync(outDir, { recursive: true });
  const { name, version, license } = JSON.parse(
    readFileSync(join(root, 'packages/cli/package.json'), 'utf8'),
  ) as Record<string, string>;
  const manifest = {
    name,
    version,
    license,
    type: 'module',
    description: 'The command line of Castellan: vaults, sign-in, changes reviewed and sent, exports, verification',
    bin: { castellan: './castellan.js' },
    engines: { node: `>=${oldestNode}` },
    ...repositoryOf(repository, 'packages/cli'),
    publishConfig: { access: 'public', provenance: true },
    files: ['castellan.js', 'chunks'],
  };
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  chmodSync(join(outDir, 'castellan.js'), 0o755);
  writeFileSync(join(outDir, 'README.md'), linksOut(publishedCliPage(), 'docs/cli.md', repository));
  copyFileSync(join(root, 'LICENSE'), join(outDir, 'LICENSE'));
}
