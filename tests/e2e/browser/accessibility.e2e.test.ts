import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AxeResults, RunOnly } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import {
  type ListedVault,
  launchBrowser,
  listedVaults,
  openWebPage,
  type StoredSession,
  storedSession,
  type WebPage,
  webPages,
} from '../../../tools/web-pages.ts';
import { baseUrl, until } from '../../system/actors.ts';

/** Every page in both themes against the rules of WCAG 2.2 A and AA that a machine can check. */

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Two pages at a time: a browser keeps about one core busy with each. */
const LANES = 2;

type Found = { inDark: string[]; inLight: string[]; onPhone: string[] };

let browser: Browser;
let visits: ReadonlyMap<string, Promise<Found>>;

beforeAll(async () => {
  browser = await launchBrowser();
  visits = visitsTo(webPages, await listedVaults(baseUrl()), await storedSession(browser, baseUrl()));
}, 60_000);

afterAll(async () => {
  await browser?.close();
});

/** What is broken, where, in lines that a person can act on. */
async function violationsOf(page: Page, runOnly: RunOnly = { type: 'tag', values: tags }): Promise<string[]> {
  // Evaluated, not added as a script: the content policy of the page allows no foreign one.
  await page.evaluate(`window.axe ?? (() => { ${axeSource} })()`);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}\n${failureSummary ?? ''}`),
  );
}

/** What is found on one page, in one visit. */
async function visit(to: WebPage, vaults: ListedVault[], session: StoredSession): Promise<Found> {
  const { context, page } = await openWebPage(to, {
    browser,
    url: baseUrl(),
    vaults,
    session,
    width: 1440,
    theme: 'dark',
  });
  const inDark = await violationsOf(page);
  await page.emulateMedia({ colorScheme: 'light' });
  const isLight = "getComputedStyle(document.documentElement).colorScheme === 'light'";
  await until('the light theme shows', () => page.evaluate<boolean>(isLight));
  // Colours fade from one theme to the other.
  await page.waitForTimeout(200);
  // On the same screen the themes differ by their colours alone.
  const inLight = await violationsOf(page, { type: 'rule', values: ['color-contrast'] });
  await page.setViewportSize({ width: 360, height: 800 });
  const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  await until('nothing reaches over the edge of a phone', () => page.evaluate<boolean>(`${over} <= 0`), 5_000);
  const onPhone = await violationsOf(page);
  await context.close();
  return { inDark, inLight, onPhone };
}

/** Visits all pages, in lanes side by side, each in the order of the tests that wait for what was found. */
function visitsTo(
  pages: readonly WebPage[],
  ...scene: [ListedVault[], StoredSession]
): ReadonlyMap<string, Promise<Found>> {
  const lanes: Promise<unknown>[] = Array.from({ length: LANES }, () => Promise.resolve());
  return new Map(
    pages.map((to, index) => {
      const found = Promise.resolve(lanes[index % LANES]).then(() => visit(to, ...scene));
      // The test of that page says what went wrong; the lane goes on.
      lanes[index % LANES] = found.catch(() => undefined);
      return [to.name, found];
    }),
  );
}

test.each(webPages.map(({ name }) => name))(
  'behavior: %s has no violation, in either theme and on a phone of 360 px, where it does not scroll sideways',
  async (name) => {
    expect(await visits.get(name)).toEqual({ inDark: [], inLight: [], onPhone: [] });
  },
  120_000,
);
