import { escapeHtml, type Heading } from './markdown.ts';
import { base } from './pages.ts';
import type { Entry, Group } from './sidebar.ts';

export type Shown = {
  readonly url: string;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The file that the page is made from. */
  readonly file: string | undefined;
};

const entryHtml = ({ title, url }: Entry, current: string): string =>
  `<li><a href="${url}"${url === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;

/** Groups that are opened where nothing else is: the others hold what is looked up. */
const alwaysOpen = 4;

const groupHtml = ({ title, entries }: Group, index: number, current: string): string => {
  const isOpen = index < alwaysOpen || entries.some(({ url }) => url === current);
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${entries
    .map((entry) => entryHtml(entry, current))
    .join('')}</ul></details>`;
};

const contentsHtml = (headings: readonly Heading[]): string => {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ level, text, id }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-labelledby="contents-title"><p id="contents-title">On this page</p><ul>${items.join('')}</ul></nav>`;
};

const neighbours = (sidebar: readonly Group[], url: string): string => {
  const all = sidebar.flatMap(({ entries }) => entries);
  const at = all.findIndex((entry) => entry.url === url);
  const link = (entry: Entry | undefined, word: string) =>
    entry ? `<a href="${entry.url}"><small>${word}</small>${escapeHtml(entry.title)}</a>` : '<span></span>';
  return at < 0
    ? ''
    : `<nav class="neighbours" aria-label="Neighbouring pages">${link(all[at - 1], 'Before')}${link(all[at + 1], 'Next')}</nav>`;
};

const mark =
  '<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path fill="currentColor" d="M3 3h3.6v2.6h3V3h4.8v2.6h3V3H21v6.8l-2.6 2.4V21h-4v-3.6a2.4 2.4 0 0 0-4.8 0V21h-4v-8.8L3 9.8Z"/></svg>';

/** A whole page. `version` changes with the scripts and styles, so that no browser shows old ones. */
export function pageHtml(page: Shown, sidebar: readonly Group[], version: string): string {
  const { url, title, html, headings, file } = page;
  const heading = url === base ? 'Castellan documentation' : `${title} · Castellan documentation`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(heading)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}/assets/style.css?${version}">
<script src="${base}/assets/theme.js?${version}"></script>
${
  url === base
    ? `<script src="${base}/forward.js" defer></script>
`
    : ''
}<script type="module" src="${base}/assets/site.js?${version}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<button type="button" class="icon" id="menu" aria-expanded="false" aria-controls="pages"><span class="visually-hidden">Pages</span><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path stroke="currentColor" stroke-width="2" d="M3 5h14M3 10h14M3 15h14"/></svg></button>
<a class="brand" href="${base}">${mark}<span>Castellan</span><span class="brand-part">docs</span></a>
<button type="button" class="search" id="search" aria-haspopup="dialog">Search<kbd>/</kbd></button>
<a class="top-link" href="/">Dashboard</a>
<button type="button" class="icon" id="theme"><span class="visually-hidden">Dark or light</span><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="2"/><path fill="currentColor" d="M10 3a7 7 0 0 1 0 14z"/></svg></button>
</header>
<div class="frame">
<nav class="pages" id="pages" aria-label="Pages">${sidebar.map((group, index) => groupHtml(group, index, url)).join('')}</nav>
<main id="content">
<article>
${html}
</article>
${file ? `<p class="source">From <code>${escapeHtml(file)}</code> of the repository.</p>` : ''}
${neighbours(sidebar, url)}
</main>
${contentsHtml(headings)}
</div>
<dialog id="search-dialog" aria-label="Search">
<form method="dialog"><input type="search" id="search-words" placeholder="Search the documentation" aria-label="Search the documentation" autocomplete="off" spellcheck="false"><button type="submit">Close</button></form>
<p id="search-state" role="status"></p>
<ol id="search-results"></ol>
</dialog>
</body>
</html>
`;
}
