import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The built page before anything is put into it. */
export type PageFiles = {
  /** Another one after each build. */
  version: string;
  html: string;
  /** Scripts of a page by the first step of its path, or by its shape such as `operate/*` where that matters, as the build lists them. */
  scripts: ReadonlyMap<string, readonly string[]>;
  /** What allows each inline script of the built page in a content policy. */
  inlineScripts: readonly string[];
};

/** @see https://www.w3.org/TR/CSP3/#grammardef-hash-source */
const hashSourcesOf = (html: string): string[] =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );

function versionOf(paths: readonly string[]): string {
  const marks = paths.map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.mtimeMs}.${stat.size}` : 'none';
  });
  return marks.join('-');
}

/** Whether there is another build is looked for this often at most. */
const BUILD_MS = 1_000;

/** Reads the files of a build once. The function answers undefined where the web was not built or is being built. */
export function pageFiles(dist: string, now: () => number): () => Promise<PageFiles | undefined> {
  const index = join(dist, 'index.html');
  const preloads = join(dist, 'preloads.json');
  let known: PageFiles | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (known && now() - checkedAt < BUILD_MS) return known;
    checkedAt = now();
    const version = versionOf([index, preloads]);
    if (known?.version === version) return known;
    const html = await readFile(index, 'utf8').catch(() => undefined);
    if (html === undefined) {
      known = undefined;
      return undefined;
    }
    const listed = await readFile(preloads, 'utf8').catch(() => '{}');
    const scripts = new Map(Object.entries(JSON.parse(listed) as Record<string, string[]>));
    known = { version, html, scripts, inlineScripts: hashSourcesOf(html) };
    return known;
  };
}
