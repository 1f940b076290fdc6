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
import { scenarioMs } from '../../system/patience.ts';
import { beyondTheEdge } from '../../system/screen-checks.ts';
import { sessionOf } from '../../system/session.ts';

/**
 * Every page against the rules of WCAG 2.2 A and AA that a machine can check: at a desk in the dark theme, in the light one, and on
 * a phone. Most rules look at what a page says and not at how it is shown, so that a page and its neighbours in the list share the
 * three screens; `LONG_TESTS=1` shows each page on all of them. That no page is wider than a phone is tried on all pages always.
 */

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const isLong = process.env.LONG_TESTS === '1';
const screens = ['desk', 'light', 'phone'] as const;
type Screen = (typeof screens)[number];
const screensOf = (index: number): readonly Screen[] =>
  isLong ? screens : [screens[index % screens.length] as Screen];

/** What a phone shows and a desk does not is marked: only there can colours meet that were not tried at a desk. */
const MARK = 'data-shown-on-phone-only';
const NOTE_SHOWN = `for (const each of document.querySelectorAll('*')) each.shownAtDesk = each.checkVisibility()`;
/** Only the outermost of them: with a list of many parts axe takes minutes. */
const MARK_NEW = `(() => {
  const isNew = (each) => !each.shownAtDesk && each.checkVisibility();
  const outermost = [...document.body.querySelectorAll('*')].filter((each) => isNew(each) && !isNew(each.parentElement));
  for (const each of outermost) each.setAttribute('${MARK}', '');
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

const allRules: RunOnly = { type: 'tag', values: tags };
const contrast: RunOnly = { type: 'rule', values: ['color-contrast'] };
/** Contrast is by far the most expensive rule: on a phone it is asked about what a desk does not show. */
const CONTRAST_OF_MARKED = `axe.configure({
  rules: [{ id: 'color-contrast', selector: '[${MARK}], [${MARK}] *' }],
})`;

/** What is broken, where, in lines that a person can act on. */
async function violationsOf(page: Page, runOnly: RunOnly): Promise<string[]> {
  const run = `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}\n${failureSummary ?? ''}`),
  );
}

/** Colours fade from one theme to the other. */
const settled = (page: Page) =>
  until('nothing on the page moves', () => page.evaluate<boolean>('document.getAnimations().length === 0'));

async function inLightTheme(page: Page, rules: RunOnly): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const isLight = "getComputedStyle(document.documentElement).colorScheme === 'light'";
  await until('the light theme shows', () => page.evaluate<boolean>(isLight));
  await settled(page);
  return violationsOf(page, rules);
}

async function onSmallScreen(page: Page): Promise<string[]> {
  await page.evaluate(MARK_NEW);
  // In one run: half of its time goes into reading the page.
  await page.evaluate(CONTRAST_OF_MARKED);
  return violationsOf(page, allRules);
}

/** What sticks to an edge of the screen lies over whatever is scrolled under it; which rows that are is chance. */
const UNSTICK = `for (const each of document.querySelectorAll('body *'))
  if (getComputedStyle(each).position === 'sticky') each.style.position = 'static';`;

async function findOn(page: Page, wanted: readonly Screen[]): Promise<Omit<Found, 'refused'>> {
  await page.evaluate(UNSTICK);
  const inDark = wanted.includes('desk') ? await violationsOf(page, allRules) : [];
  // On the same screen the themes differ by their colours alone.
  const inLight = wanted.includes('light') ? await inLightTheme(page, isLong ? contrast : allRules) : [];
  await page.evaluate(NOTE_SHOWN);
  await page.setViewportSize({ width: 360, height: 800 });
  const tooWide = await beyondTheEdge(page);
  const onPhone = wanted.includes('phone') ? await onSmallScreen(page) : [];
  return { inDark, inLight, onPhone, tooWide };
}

type Visit = { to: WebPage; wanted: readonly Screen[] };

/** What is found on one page, in one visit. An error says what was on the page. */
async function visit({ to, wanted }: Visit, page: Page, vaults: ListedVault[]): Promise<Found> {
  const refused: string[] = [];
  const note = (message: ConsoleMessage) => {
    if (policyRefusal.test(message.text())) refused.push(message.text());
  };
  page.on('console', note);
  try {
    await visitWebPage(to, { page, url: baseUrl(), vaults, width: 1440, theme: 'dark' });
    return { ...(await findOn(page, wanted)), refused };
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
  return (next: Visit): Promise<Found> => {
    const found = before.then(async () => {
      page ??= tab();
      return visit(next, await page, vaults);
    });
    // The test of that page says what went wrong; the lane goes on.
    before = found.catch(() => undefined);
    return found;
  };
}

/** Visits all pages, in two tabs side by side: who is signed in has a browser of their own. */
function visitsTo(
  pages: readonly WebPage[],
  ...[vaults, session]: [ListedVault[], StoredSession]
): ReadonlyMap<string, Promise<Found>> {
  const anonymous = lane(vaults);
  const signedIn = lane(vaults, session);
  return new Map(
    pages.map((to, index) => [to.name, (to.isSignedIn ? signedIn : anonymous)({ to, wanted: screensOf(index) })]),
  );
}

test.each(webPages.map(({ name }) => name))(
  'behavior: %s has no violation, also of the content policy, and does not scroll sideways on a phone of 360 px',
  async (name) => {
    expect(await visits.get(name)).toEqual({ inDark: [], inLight: [], onPhone: [], tooWide: [], refused: [] });
  },
  // In whatever order the tests run, each may have to wait for the visits to all pages, four minutes of two idle cores.
  5 * scenarioMs,
);
