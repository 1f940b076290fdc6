import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import MiniSearch from 'minisearch';
import { changelogPath } from '../../../services/gateway/src/http/deprecation.ts';
import { blocksOf, commandFault, commandsOf, examplePrograms } from './guide-commands.fixture.ts';
import { deadAddresses, deadLinks, linkedSources, linkOn } from './links.ts';
import { render, slugOf } from './markdown.ts';
import { type Page, readPages, titleOf, urlOf } from './pages.ts';
import { searchIndex } from './search-index.ts';
import { type Found, searchOptions } from './search-options.ts';
import { missingPages, sidebarOf } from './sidebar.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const pages = readPages(root);
const guides = pages.filter(({ file }) => /^docs\/(guides|concepts)\//.test(file));

describe('the pages', () => {
  test('default: no link of the repository leads nowhere', () => {
    expect(pages.length).toBeGreaterThan(150);
    expect(deadLinks(root, pages)).toEqual([]);
  });

  test('behavior: each has an address and a title of its own place, and stands once in the sidebar', () => {
    expect(missingPages(pages)).toEqual([]);
    const urls = sidebarOf(pages).flatMap(({ entries }) => entries.map(({ url }) => url));
    expect(urls.filter((url, index) => urls.indexOf(url) !== index)).toEqual([]);
    expect(pages.filter(({ url }) => !urls.includes(url)).map(({ file }) => file)).toEqual([]);
    expect(pages.filter((page) => titleOf(page) === page.file)).toEqual([]);
  });

  test('behavior: what the gateway answers by itself is no page', () => {
    const taken = /^\/docs\/(api|examples|assets|style\.css|forward\.js)(\/|$)/;
    expect(pages.filter(({ url }) => taken.test(url)).map(({ file }) => file)).toEqual([]);
    const known = ['docs/README.md', 'CHANGELOG.md', 'docs/api/README.md', 'packages/sdk/README.md'];
    expect(known.map(urlOf)).toEqual(['/docs', changelogPath, '/docs/guides/api', '/docs/repository/packages/sdk']);
  });
});

describe('links', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'castellan-links-'));
    mkdirSync(join(folder, 'docs/part'), { recursive: true });
    for (const file of ['docs/a.md', 'docs/b.md', 'docs/code.ts']) writeFileSync(join(folder, file), '');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const page = (file: string, text: string): Page => ({ file, url: urlOf(file), text });

  test('error: a file that is not there, a folder, a heading that is not there, an address of the site alone', () => {
    const text = `# A

[fine](b.md#two-words) [out](https://example.org) [self](#a) [code](code.ts) \`[not](a-link.md)\`
[1](gone.md) [2](part) [3](b.md#gone) [4](#gone) [5](/docs/api) ![6](gone.svg)`;
    expect(deadLinks(folder, [page('docs/a.md', text), page('docs/b.md', '# B\n\n## Two `words`')])).toEqual([
      'docs/a.md: gone.md is not there',
      'docs/a.md: part is a folder: link to a file of it',
      'docs/a.md: b.md#gone has no such heading',
      'docs/a.md: #gone has no such heading',
      'docs/a.md: /docs/api leads somewhere on the site alone: link to a file',
      'docs/a.md: gone.svg is not there',
    ]);
    expect(linkedSources([page('docs/a.md', text)])).toEqual(['docs/code.ts', 'docs/part']);
  });

  test('behavior: they lead to pages, headings and sources of the site, and out of it as they are', () => {
    const on = (target: string) => linkOn('docs/operations/install.md', target);
    expect(on('../webhooks.md#what-is-sent')).toBe('/docs/webhooks#what-is-sent');
    expect(on('../../deploy/README.md')).toBe('/docs/repository/deploy');
    expect(on('../examples/webhook-receiver.ts')).toBe('/docs/source/docs/examples/webhook-receiver.ts');
    expect(on('#start')).toBe('#start');
    expect(on('https://example.org')).toBeUndefined();
  });

  test('error: a finished page whose links lead nowhere', () => {
    const html =
      '<h2 id="here"></h2><a href="#here"></a><a href="#gone"></a><a href="/docs/gone"></a><a href="/docs/api#X"></a>';
    expect(deadAddresses(new Map([['/docs/a', html]]), ['/docs/api'])).toEqual([
      '/docs/a: #gone',
      '/docs/a: /docs/gone',
    ]);
  });
});

describe('a page', () => {
  test('behavior: headings have the ids that GitHub gives them', () => {
    expect(slugOf('Events, `on` the bus: a_b?')).toBe('events-on-the-bus-a_b');
    expect(render('# A\n\n## Two\n\n## Two').headings.map(({ id }) => id)).toEqual(['a', 'two', 'two-1']);
  });

  test('error: markup in a text or in code stays text', () => {
    const { html } = render(
      '# A <script>x</script>\n\n```ts\nconst a = "<img src=x onerror=y>";\n```\n\n[a](javascript:alert(1))',
    );
    expect(html).not.toMatch(/<script|<img|href="javascript/);
    expect(html).toContain('&lt;script&gt;');
  });

  test('behavior: a row that begins with code is a place, and cells name their columns', () => {
    const { html, headings, sections } = render(
      '# A\n\n## `PORT`\n\n| Name | |\n|---|---|\n| `PORT` | one |\n| `PORT` | two |\n| other | three |\n\nEnd.',
    );
    expect(headings.map(({ id }) => id)).toEqual(['a', 'port']);
    expect(sections.map(({ id, text }) => [id, text.trim()])).toEqual([
      ['', ''],
      ['port', 'Name  other three End.'],
      ['row-port', 'PORT one'],
      ['row-port-1', 'PORT two'],
    ]);
    expect(html).toContain('<tr id="row-port-1">');
    expect(html).toContain('<td data-label="Name">other</td>');
  });

  test('behavior: the search finds a setting by a part of its name, and leads to the place', () => {
    const { sections } = render(
      '# Configuration\n\n## gateway\n\nThe variable `RATE_API_BURST` says how many come at once.',
    );
    const text = searchIndex([{ url: '/docs/configuration', title: 'Configuration', sections }]);
    const index = MiniSearch.loadJSON<Found>(text, searchOptions);
    for (const words of ['burst', 'RATE_API_BURST', 'rate_api', 'gateway'])
      expect([words, index.search(words)[0]?.id]).toEqual([words, '/docs/configuration#gateway']);
    expect(index.search('nothing')).toEqual([]);
  });
});

describe('code of the guides', () => {
  const programs = examplePrograms(root);

  test('default: commands name scripts, files, commands and routes that there are', () => {
    const faults = guides.flatMap(({ file, text }) =>
      blocksOf(text, 'sh')
        .flatMap(commandsOf)
        .flatMap((command) => commandFault(root, command)?.replace(/^/, `${file}: `) ?? []),
    );
    expect(faults).toEqual([]);
    expect(guides.flatMap(({ text }) => blocksOf(text, 'sh')).length).toBeGreaterThan(5);
  });

  test('error: a script, a file, a command and a route that there are not', () => {
    const fault = (command: string) => commandsOf(command).map((each) => commandFault(root, each));
    expect(fault('npm run nothing')).toEqual(['there is no script nothing']);
    expect(fault("export T=$(A='b' node docs/gone.ts)")).toEqual(['there is no file docs/gone.ts']);
    expect(fault('cp ../castellan/docs/gone.ts .')).toEqual(['there is no file ../castellan/docs/gone.ts']);
    expect(fault('npm install @castellan/sdk')).toEqual(['@castellan/sdk is no package that is there']);
    expect(fault(`curl http://127.0.0.1:8545 -d '{"method":"evm_dance"}'`)).toEqual([
      'evm_dance is nothing to ask a chain for',
    ]);
    expect(fault('castellan dance # slowly')).toEqual(['there is no command dance']);
    expect(fault('curl -s "http://127.0.0.1:8080/api/v1/vaults/1"')).toEqual(['GET /api/v1/vaults/1 is no route']);
  });

  test('behavior: TypeScript is a program of the SDK, which tools/publish/sdk.test.ts runs, or a part of an example', () => {
    const strangers = guides.flatMap(({ file, text }) =>
      blocksOf(text, 'ts')
        .filter(
          (code) => !code.includes("from '@castellan/sdk'") && !programs.some((program) => program.includes(code)),
        )
        .map((code) => `${file}: ${code}`),
    );
    expect(strangers).toEqual([]);
  });
});
