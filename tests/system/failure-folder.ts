import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { WatchedPage } from './watched-pages.ts';

/** Below it `<file>/<test>/`: what was collected when that test failed. */
export const failuresRoot = join(dirname(dirname(fileURLToPath(import.meta.url))), 'e2e/failures');

/** Of each service's log, and of a page's console and network: more than this is not read by anybody. */
const MOST_BYTES = 1_000_000;
const MOST_SHOWN_LINES = 60;
/** For each thing that is read from a page that failed. */
const PATIENCE_MS = 5_000;

const plain = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 120);

export const folderOf = (testPath: string, testName: string): string =>
  join(failuresRoot, basename(testPath).replace(/\.e2e\.test\.ts$/, ''), plain(testName));

/** Sizes of the log files of a system, so that what is written from now on can be found. */
export type LogMarks = ReadonlyMap<string, number>;

const logFiles = (stateDir: string | undefined): string[] => {
  const folder = join(stateDir ?? '', 'logs');
  if (stateDir === undefined || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => join(folder, name));
};

export const markLogs = (stateDir: string | undefined): LogMarks =>
  new Map(logFiles(stateDir).map((file) => [file, statSync(file).size]));

function readFrom(file: string, offset: number): Buffer {
  const end = statSync(file).size;
  // A file that was begun anew is read from its beginning.
  const from = Math.max(offset > end ? 0 : offset, end - MOST_BYTES);
  const bytes = Buffer.alloc(end - from);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, bytes, 0, bytes.length, from);
  closeSync(descriptor);
  return bytes;
}

/** Begins the folder anew with the lines that the services wrote since the marks. */
export function keepLogs(folder: string, stateDir: string | undefined, marks: LogMarks): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'services'), { recursive: true });
  for (const file of logFiles(stateDir)) {
    const lines = readFrom(file, marks.get(file) ?? 0);
    if (lines.length > 0) writeFileSync(join(folder, 'services', basename(file)), lines);
  }
}

const ariaOf = (page: Page, selector: string): Promise<string> =>
  page.locator(selector).last().ariaSnapshot({ timeout: PATIENCE_MS });

/** Without the ways to other pages, which every page has. */
function withoutNavigation(snapshot: string): string {
  let hiddenBelow = Number.POSITIVE_INFINITY;
  const isShown = (line: string): boolean => {
    const depth = line.search(/\S/);
    if (depth > hiddenBelow) return false;
    hiddenBelow = /^\s*- navigation/.test(line) ? depth : Number.POSITIVE_INFINITY;
    return hiddenBelow !== depth && !/^\s*- \/url:/.test(line);
  };
  return snapshot.split('\n').filter(isShown).join('\n');
}

/** The open dialog, else the page's main part: what a test most likely looked at. */
export async function inView(page: Page): Promise<string> {
  for (const selector of ['[role=dialog]:visible', 'main', 'body'])
    if ((await page.locator(selector).count()) > 0) return withoutNavigation(await ariaOf(page, selector));
  return '(an empty page)';
}

/**
 * Keeps what a page shows and did. @returns the part of it that belongs into the failure's message.
 */
export async function keepPage(folder: string, watched: WatchedPage, name: string): Promise<string> {
  const { page } = watched;
  const write = (suffix: string, text: string) => writeFileSync(join(folder, `${name}-${suffix}`), text);
  write('console.log', watched.console.join('\n').slice(-MOST_BYTES));
  write('network.log', watched.network.join('\n').slice(-MOST_BYTES));
  if (page.isClosed()) return '';
  // On a page that hangs one of these may fail; the others still say something.
  const orReason = (work: Promise<string>) => work.catch((error: unknown) => `(${String(error).split('\n')[0]})`);
  const lines = (await orReason(inView(page))).split('\n');
  write('aria.yml', await orReason(ariaOf(page, 'body')));
  const shown = lines.slice(0, MOST_SHOWN_LINES).map((line) => `    ${line}`);
  if (lines.length > shown.length) shown.push(`    ... ${lines.length - shown.length} more lines in ${name}-aria.yml`);
  const path = join(folder, `${name}.png`);
  const title = await orReason(page.title());
  const pictured = await orReason(page.screenshot({ path, timeout: PATIENCE_MS }).then(() => ''));
  return [
    `  ${page.url()} "${title}" showed:`,
    ...shown,
    ...(pictured === '' ? [] : [`  no picture: ${pictured}`]),
  ].join('\n');
}
