import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the repository that is a page of the site. Paths are relative to the repository. */
export type Page = {
  readonly file: string;
  /** Where it is served, such as `/docs/webhooks`. */
  readonly url: string;
  readonly text: string;
};

/** Everything of the site is served below this. */
export const base = '/docs';

/** What git does not hold, and what tests and builds make. */
const isMade = (file: string): boolean => /(^|\/)(node_modules|dist|\.castellan|\.cache)(\/|$)/.test(file);

/** Where pages come from. */
export const pagePatterns: readonly string[] = [
  '*.md',
  '{docs,packages,services,tools,web,tests,bench,deploy}/**/*.md',
];

/** `/docs/api` is the description that the gateway makes of itself, so the guide to the API has another place. */
const moved: Readonly<Record<string, string>> = {
  'docs/README.md': base,
  // Answers of deprecated operations lead there.
  'CHANGELOG.md': `${base}/changelog`,
  'docs/api/README.md': `${base}/guides/api`,
  'docs/api/sessions.md': `${base}/guides/sessions`,
};

/** Where a Markdown file is served. */
export function urlOf(file: string): string {
  const given = moved[file];
  if (given) return given;
  const inDocs = file.startsWith('docs/');
  const path = file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/(^|\/)README$/, '');
  if (inDocs) return `${base}/${path}`;
  return `${base}/repository${path && '/'}${path.toLowerCase()}`;
}

/** Where the text of a file is shown that is no page. */
export const sourceUrlOf = (file: string): string => `${base}/source/${file}`;

/** Every page, in the order of their files. */
export function readPages(root: string): Page[] {
  return globSync([...pagePatterns], { cwd: root, exclude: isMade })
    .filter((file) => !isMade(file))
    .sort()
    .map((file) => ({ file, url: urlOf(file), text: readFileSync(join(root, file), 'utf8') }));
}

/** The first heading, without marks of code. */
export const titleOf = ({ text, file }: Pick<Page, 'text' | 'file'>): string =>
  /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file;
