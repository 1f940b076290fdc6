import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { pageHtml } from './layout.ts';
import { deadAddresses, deadLinks, isPicture, linkedSources, linkOn } from './links.ts';
import { codeHtml, escapeHtml, render, versionOf } from './markdown.ts';
import { base, type Page, readPages, sourceUrlOf, titleOf } from './pages.ts';
import { searchIndex } from './search-index.ts';
import { type Group, sidebarOf } from './sidebar.ts';
import { tryPage } from './try-page.ts';

/** What the gateway answers by itself. */
const servedElsewhere = [`${base}/api`];

/** Files of docs/ that programs read at an address of their own. */
const rawFiles = ['mandate.schema.json'];

type Output = ReadonlyMap<string, string | Buffer>;

const assets = new URL('../client/', import.meta.url).pathname;

/** Scripts of the pages, in modules: what only the search needs is loaded with it. */
async function bundleScripts(): Promise<Map<string, string>> {
  const build = await rolldown({ input: { site: join(assets, 'site.ts') }, platform: 'browser' });
  try {
    const { output } = await build.generate({
      format: 'esm',
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    });
    return new Map(output.flatMap((part) => (part.type === 'chunk' ? [[`assets/${part.fileName}`, part.code]] : [])));
  } finally {
    await build.close();
  }
}

const fonts = {
  'inter.woff2': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'jetbrains-mono.woff2': '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
};

async function writeAssets(root: string, output: Map<string, string | Buffer>): Promise<string> {
  for (const [name, code] of await bundleScripts()) output.set(name, code);
  for (const name of ['theme.js', 'style.css', 'try.js', 'try.css'])
    output.set(`assets/${name}`, readFileSync(join(assets, name), 'utf8'));
  for (const [name, file] of Object.entries(fonts))
    output.set(`assets/${name}`, readFileSync(join(root, 'node_modules', file)));
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    output.set(`assets/${name}`, readFileSync(join(root, 'node_modules/swagger-ui-dist', name)));
  return versionOf([...output.values()].map(versionOf).join());
}

/** A drawing stands in the page, so that it has the page's colours; its own are for where it is shown alone. */
function pictureOf(root: string, file: string, output: Map<string, string | Buffer>) {
  return (target: string, description: string): string => {
    const path = normalize(join(dirname(file), target));
    if (/^https?:/.test(target) || !isPicture(path))
      throw new Error(`${file}: ${target} is no picture of the repository.`);
    if (path.endsWith('.svg')) {
      const drawing = readFileSync(join(root, path), 'utf8').replaceAll(/<(style|title)>[\s\S]*?<\/\1>/g, '');
      return `<span class="drawing" role="img" aria-label="${escapeHtml(description)}">${drawing}</span>`;
    }
    const name = `assets/pictures/${path.replaceAll('/', '-')}`;
    output.set(name, readFileSync(join(root, path)));
    return `<img src="${base}/${name}" alt="${escapeHtml(description)}" loading="lazy">`;
  };
}

/** The file of an address: `/docs/webhooks` is `webhooks.html`. */
const fileOf = (url: string): string => (url === base ? 'index.html' : `${url.slice(base.length + 1)}.html`);

const longestMarkedUp = 100_000;

/** A file that is no page, as text. */
function sourcePage(root: string, file: string, sidebar: readonly Group[], version: string): string {
  const code = readFileSync(join(root, file), 'utf8');
  const language = code.length > longestMarkedUp ? '' : (file.split('.').at(-1) ?? '');
  const html = `<h1><code>${escapeHtml(file)}</code></h1>\n<pre tabindex="0"><code>${codeHtml(code, language)}</code></pre>`;
  return pageHtml({ url: sourceUrlOf(file), title: file, html, headings: [], file }, sidebar, version);
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`Links lead nowhere:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}

/** Pages by the address they are served at. */
const htmlByAddress = (output: Output): Map<string, string> =>
  new Map(
    [...output].flatMap(([name, content]) => {
      if (!name.endsWith('.html')) return [];
      const path = name.replace(/\.html$/, '');
      return [[path === 'index' ? base : `${base}/${path}`, String(content)] as const];
    }),
  );

/** Every file of the site. @throws Error that names every link which leads nowhere. */
async function makeSite(root: string, reference: readonly Page[]): Promise<Output> {
  const output = new Map<string, string | Buffer>();
  const version = await writeAssets(root, output);
  const pages = readPages(root);
  refuse(deadLinks(root, pages));
  const sidebar = sidebarOf(pages);
  const searched = [...pages, ...reference].map((page) => {
    const { url, file, text } = page;
    const picture = pictureOf(root, file, output);
    const { html, headings, sections } = render(text, { link: (target) => linkOn(file, target), picture });
    const title = titleOf(page);
    const isOfRepository = !reference.includes(page);
    output.set(
      fileOf(url),
      pageHtml({ url, title, html, headings, file: isOfRepository ? file : undefined }, sidebar, version),
    );
    return { url, title, sections };
  });
  for (const file of linkedSources(pages))
    output.set(fileOf(sourceUrlOf(file)), sourcePage(root, file, sidebar, version));
  output.set('api/try.html', tryPage(version));
  for (const file of rawFiles) output.set(file, readFileSync(join(root, 'docs', file), 'utf8'));
  output.set('404.html', missingPage(sidebar, version));
  output.set('assets/search.json', searchIndex(searched));
  refuse(deadAddresses(htmlByAddress(output), servedElsewhere));
  return output;
}

function missingPage(sidebar: readonly Group[], version: string): string {
  const html = `<h1>There is no such page</h1><p>It may have moved. Look for it with the search above, or begin at <a href="${base}">the overview</a>.</p>`;
  return pageHtml({ url: '', title: 'No such page', html, headings: [], file: undefined }, sidebar, version);
}

/** Fonts are compressed already; below this a copy saves nothing. */
const leastBytes = 1024;

function write(folder: string, output: Output): void {
  for (const [name, content] of output) {
    const file = join(folder, name);
    const bytes = Buffer.from(content);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    if (bytes.length < leastBytes || /\.(woff2|png)$/.test(name)) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 7 };
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${file}.gz`, gzipSync(bytes));
  }
}

/**
 * Builds the site into a folder, which holds the former one until this one is whole.
 * @param reference - Pages that are made from sources at a build: the SDK's.
 */
export async function buildSite(root: string, folder: string, reference: readonly Page[]): Promise<number> {
  const output = await makeSite(root, reference);
  const fresh = `${folder}.next`;
  rmSync(fresh, { recursive: true, force: true });
  write(fresh, output);
  cpSync(join(root, 'node_modules/swagger-ui-dist/LICENSE'), join(fresh, 'assets/swagger-ui-LICENSE.txt'));
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
  return [...output.keys()].filter((name) => name.endsWith('.html')).length;
}
