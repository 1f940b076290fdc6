import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from '@jest/globals';
import type { AxeResults, RunOnly } from 'axe-core';
import type { ConsoleMessage, Page } from 'playwright-core';
import {
  type ListedVault,
  listedVaults,
  newTab,
  type StoredSession,
  visitWebPage,
  type WebPage,
  webPages,
} from '../../../tools/web-pages.ts';
import { baseUrl, until } from '../../system/actors.ts';
import { browserForTests } from '../../system/browser.ts';
import { inView } from '../../system/failure-folder.ts';
import { beyondTheEdge } from '../../system/look.ts';
import { scenarioMs } from '../../system/patience.ts';
import { sessionOf } from '../../system/session.ts';

/** Every page in both themes against the rules of WCAG 2.2 A and AA that a machine can check. */

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Two tabs side by side: a browser keeps about one core busy with each. */
const LANES = 2;

/** What a phone shows and a desk does not is marked: only there can colours meet that were not tried at a desk. */
const MARK = 'data-shown-on-phone-only';
const NOTE_SHOWN = `for (const each of document.querySelectorAll('*')) each.shownAtDesk = each.checkVisibility()`;
/** Only the outermost of them: with a list of many parts axe takes minutes. */
const MARK_NEW = `(() => {
  const isNew = (each) => !each.shownAtDesk && each.checkVisibility();
  const outermost = [...document.body.querySelectorAll('*')].filter((each) => isNew(each) && !isNew(each.parentElement));
  for (const each of outermost) each.setAttribute('${MARK}', '');
  return outermost.length;
})()`;

/** `refused`: what the content policy kept the page from doing. */
type Found = { inDark: string[]; inLight: string[]; onPhone: string[]; tooWide: string[]; refused: string[] };
/** Not `TrustedScript`: axe itself tries eval when it is loaded. Other browser tests, which load no axe, fail on that, too. */
const policyRefusal = /TrustedHTML|TrustedScriptURL|TrustedTypePolicy|Content Security Policy/;

const browser = browserForTests();
let visits: ReadonlyMap<string, Promise<Found>>;

beforeAll(async () => {
  visits = visitsTo(webPages, await listedVaults(baseUrl()), await sessionOf(1));
});

type AxeRules = { runOnly: RunOnly; rules?: Record<string, { enabled: boolean }> };
const allRules: AxeRules = { runOnly: { type: 'tag', values: tags } };
const contrast: AxeRules = { runOnly: { type: 'rule', values: ['color-contrast'] } };
/** Contrast is by far the most expensive rule. */
const allButContrast: AxeRules = { ...allRules, rules: { 'color-contrast': { enabled: false } } };

/** What is broken, where, in lines that a person can act on. */
async function violationsOf(page: Page, rules: AxeRules, where = 'document'): Promise<string[]> {
  const run = `axe.run(${where}, ${JSON.stringify({ ...rules, resultTypes: ['violations'] })})`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}\n${failureSummary ?? ''}`),
  );
}

/** Colours fade from one theme to the other. */
const settled = (page: Page) =>
  until('nothing on the page moves', () => page.evaluate<boolean>('document.getAnimations().length === 0'));

async function findOn(page: Page): Promise<Omit<Found, 'refused'>> {
  const inDark = await violationsOf(page, allRules);
  await page.emulateMedia({ colorScheme: 'light' });
  const isLight = "getComputedStyle(document.documentElement).colorScheme === 'light'";
  await until('the light theme shows', () => page.evaluate<boolean>(isLight));
  await settled(page);
  // On the same screen the themes differ by their colours alone.
  const inLight = await violationsOf(page, contrast);
  await page.evaluate(NOTE_SHOWN);
  await page.setViewportSize({ width: 360, height: 800 });
  const tooWide = await beyondTheEdge(page);
  const onPhone = await violationsOf(page, allButContrast);
  if ((await page.evaluate<number>(MARK_NEW)) > 0)
    onPhone.push(...(await violationsOf(page, contrast, `{ include: [['[${MARK}]']] }`)));
  return { inDark, inLight, onPhone, tooWide };
}

/** What is found on one page, in one visit. An error says what was on the page. */
async function visit(to: WebPage, page: Page, vaults: ListedVault[]): Promise<Found> {
  const refused: string[] = [];
  const note = (message: ConsoleMessage) => {
    if (policyRefusal.test(message.text())) refused.push(message.text());
  };
  page.on('console', note);
  try {
    await visitWebPage(to, { page, url: baseUrl(), vaults, width: 1440, theme: 'dark' });
    return { ...(await findOn(page)), refused };
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\n${page.url()} showed:\n${await inView(page)}`, { cause });
  } finally {
    page.off('console', note);
  }
}

/** One visit after the other, in a tab that is opened with the first. */
function lane(vaults: ListedVault[], session?: StoredSession) {
  const tab = async () => {
    const page = await newTab(browser.get(), session);
    // Not a script element: the content policy of the page allows no foreign one.
    await page.addInitScript(axeSource);
    return page;
  };
  let page: Promise<Page> | undefined;
  let before: Promise<unknown> = Promise.resolve();
  return (to: WebPage): Promise<Found> => {
    const found = before.then(async () => {
      page ??= tab();
      return visit(to, await page, vaults);
    });
    // The test of that page says what went wrong; the lane goes on.
    before = found.catch(() => undefined);
    return found;
  };
}

/** Visits all pages in lanes side by side: who is signed in has a browser of their own. */
function visitsTo(
  pages: readonly WebPage[],
  ...[vaults, session]: [ListedVault[], StoredSession]
): ReadonlyMap<string, Promise<Found>> {
  const anonymous = lane(vaults);
  const signedIn = Array.from({ length: LANES }, () => lane(vaults, session));
  let turn = 0;
  const laneOf = ({ isSignedIn }: WebPage) => {
    if (!isSignedIn) return anonymous;
    turn += 1;
    return signedIn[turn % LANES] ?? anonymous;
  };
  return new Map(pages.map((to) => [to.name, laneOf(to)(to)]));
}

test.each(webPages.map(({ name }) => name))(
  'behavior: %s has no violation, in either theme and on a phone of 360 px, where it does not scroll sideways, nor of the content policy',
  async (name) => {
    expect(await visits.get(name)).toEqual({ inDark: [], inLight: [], onPhone: [], tooWide: [], refused: [] });
  },
  // In whatever order the tests run, each may have to wait for the visits to all pages, four minutes of two idle cores.
  5 * scenarioMs,
);
