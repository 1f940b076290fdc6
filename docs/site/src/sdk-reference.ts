import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from './pages.ts';
import { base } from './pages.ts';

const at = `${base}/sdk`;

/** The pages that TypeDoc writes, and what they are here. */
const modules: Readonly<Record<string, { url: string; title: string; about: string }>> = {
  'index.md': {
    url: `${at}/types`,
    title: 'SDK: @castellan/sdk',
    about: 'What the package exports besides the methods of the client.',
  },
  'calls.md': {
    url: `${at}/calls`,
    title: 'SDK: @castellan/sdk/calls',
    about: 'Changes prepared, read and compared by the SDK itself, sent and followed.',
  },
};

/** TypeDoc's page as one of the site: its own heading, and links to the other modules. */
function pageOf(name: string, markdown: string): Page {
  const module = modules[name];
  if (module === undefined) throw new Error(`TypeDoc wrote a module that the site does not know: ${name}.`);
  const body = markdown
    .replace(/^# .*\n/, '')
    .replaceAll(/\]\((index|calls)\.md(#[^)]*)?\)/g, (_, other: string, anchor = '') => {
      const { url } = modules[`${other}.md`] as { url: string };
      return `](${url}${anchor})`;
    });
  return {
    file: `sdk/${name}`,
    url: module.url,
    text: `# ${module.title}\n\n${module.about}\n${body}`,
  };
}

/**
 * The exports of the SDK with their docstrings, by TypeDoc: it needs the compiler's older interface, so `typescript` of this workspace
 * is another than the repository's. Takes some seconds of processor time.
 */
export async function sdkReference(root: string): Promise<Page[]> {
  const { Application } = await import('typedoc');
  const folder = mkdtempSync(join(tmpdir(), 'castellan-sdk-reference-'));
  try {
    const sources = join(root, 'packages/sdk/src');
    const app = await Application.bootstrapWithPlugins({
      entryPoints: [join(sources, 'index.ts'), join(sources, 'calls/index.ts')],
      basePath: sources,
      tsconfig: join(root, 'docs/site/tsconfig.sdk.json'),
      plugin: ['typedoc-plugin-markdown'],
      readme: 'none',
      // The repository's own compiler checks them.
      skipErrorChecking: true,
      excludeExternals: true,
      disableSources: true,
      disableGit: true,
      logLevel: 'Error',
      // Options of the plugin.
      ...({
        outputFileStrategy: 'modules',
        hideBreadcrumbs: true,
        hidePageHeader: true,
        useCodeBlocks: true,
        parametersFormat: 'table',
      } as object),
    });
    const project = await app.convert();
    if (project === undefined) throw new Error('TypeDoc could not read the SDK.');
    await app.outputs.writeOutput({ name: 'markdown', path: folder }, project);
    return globSync('*.md', { cwd: folder })
      .filter((name) => name !== 'README.md')
      .sort()
      .map((name) => pageOf(name, readFileSync(join(folder, name), 'utf8')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
