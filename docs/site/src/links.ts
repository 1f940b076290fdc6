import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { surveyOf } from './markdown.ts';
import { type Page, sourceUrlOf, urlOf } from './pages.ts';

const isElsewhere = (target: string): boolean => /^[a-z][a-z+.-]*:/i.test(target);

/** Repository path and anchor of a relative link. */
function parse(file: string, target: string): { path: string; anchor: string | undefined } {
  const [path = '', anchor] = target.split('#');
  return { path: path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path))), anchor };
}

/** Files that are shown as pictures, not as text. */
export const isPicture = (path: string): boolean => /\.(svg|png|jpe?g|webp|gif)$/.test(path);

/**
 * The address on the site of what a page links to. Pages keep their anchors; a file that is no page is shown by its text.
 * @returns undefined for addresses outside of the repository, which stay as they are.
 */
export function linkOn(file: string, target: string): string | undefined {
  if (isElsewhere(target) || target.startsWith('/')) return undefined;
  if (target.startsWith('#')) return target;
  const { path, anchor } = parse(file, target);
  const url = path.endsWith('.md') ? urlOf(path) : sourceUrlOf(path);
  return anchor === undefined ? url : `${url}#${anchor}`;
}

/** Files that pages link to, and that are no pages and no pictures. */
export function linkedSources(pages: readonly Page[]): string[] {
  const found = pages.flatMap(({ file, text }) =>
    surveyOf(text)
      .links.filter((target) => !isElsewhere(target) && !target.startsWith('#') && !target.startsWith('/'))
      .map((target) => parse(file, target).path)
      .filter((path) => !path.endsWith('.md') && !isPicture(path)),
  );
  return [...new Set(found)].sort();
}

/** Links that lead nowhere, in the repository and so on the site: the file is not there, is a folder, or has no such heading. */
export function deadLinks(root: string, pages: readonly Page[]): string[] {
  const surveys = new Map(pages.map((page) => [page.file, surveyOf(page.text)]));
  const hasAnchor = (path: string, anchor: string) =>
    surveys.get(path)?.headings.some(({ id }) => id === anchor) ?? false;
  const faultOf = (file: string, target: string): string | undefined => {
    if (isElsewhere(target)) return undefined;
    if (target.startsWith('/')) return 'leads somewhere on the site alone: link to a file';
    const { path, anchor } = parse(file, target);
    if (!existsSync(join(root, path))) return 'is not there';
    if (statSync(join(root, path)).isDirectory()) return 'is a folder: link to a file of it';
    if (!path.endsWith('.md')) return undefined;
    if (!surveys.has(path)) return 'is no page';
    return anchor === undefined || hasAnchor(path, anchor) ? undefined : 'has no such heading';
  };
  return pages.flatMap(({ file }) =>
    (surveys.get(file)?.links ?? []).flatMap((target) => {
      const fault = faultOf(file, target);
      return fault === undefined ? [] : [`${file}: ${target} ${fault}`];
    }),
  );
}

const idsIn = (html: string): Set<string> => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `${id}`));

/**
 * Links of finished pages that lead nowhere on the site, those of its frame and of what is generated included.
 * @param pages - HTML by address.
 * @param served - Addresses that the gateway answers by itself: nothing is known of their headings.
 */
export function deadAddresses(pages: ReadonlyMap<string, string>, served: readonly string[]): string[] {
  const ids = new Map([...pages].map(([url, html]) => [url, idsIn(html)]));
  return [...pages].flatMap(([url, html]) => {
    const targets = new Set([...html.matchAll(/ href="((?:\/docs|#)[^"?]*)"/g)].map(([, target]) => `${target}`));
    return [...targets].flatMap((target) => {
      const [path = '', anchor] = target.split('#');
      const at = path === '' ? url : path;
      if (served.includes(at) || at.startsWith('/docs/assets/')) return [];
      const known = ids.get(at);
      const isThere = known !== undefined && (anchor === undefined || known.has(decodeURIComponent(anchor)));
      return isThere ? [] : [`${url}: ${target}`];
    });
  });
}
