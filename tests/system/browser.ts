import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { StoredSession } from '../../tools/web-pages.ts';
import { launchBrowser } from './chromium.ts';
import { patienceMs } from './patience.ts';
import { type WatchedPage, watch } from './watched-pages.ts';

export type PageSize = { width: number; height: number; colorScheme: 'dark' | 'light' };
export const desktop: PageSize = { width: 1440, height: 1000, colorScheme: 'dark' };

type Opened = Partial<PageSize> & {
  session?: StoredSession;
  /** Errors of the page that this test is about. */
  expectedErrors?: RegExp;
  permissions?: string[];
};

/**
 * A browser for the tests of a file, with a page of its own for each that opens one. A page is closed after its test, which
 * fails when the page reported an error that was not expected.
 */
export function browserForTests() {
  let browser: Browser | undefined;
  const opened: { page: WatchedPage; expectedErrors: RegExp | undefined }[] = [];
  const get = (): Browser => {
    if (browser === undefined) throw new Error('The browser is launched in beforeAll; open pages in tests.');
    return browser;
  };
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(() => {
    const errors = opened
      .splice(0)
      .flatMap(({ page, expectedErrors }) => page.errors.filter((error) => !expectedErrors?.test(error)));
    if (errors.length > 0) throw new Error(`The page reported errors:\n${errors.join('\n')}`);
  });
  afterAll(() => browser?.close());
  return {
    get,
    /** Opens an empty page, signed in when it is given a session. */
    async open({ session, expectedErrors, permissions = [], ...size }: Opened = {}): Promise<Page> {
      const { width, height, colorScheme } = { ...desktop, ...size };
      const context = await get().newContext({
        viewport: { width, height },
        colorScheme,
        // An animation without an end is painted sixty times a second, and no test looks at it.
        reducedMotion: 'reduce',
        permissions,
        ...(session ? { storageState: session } : {}),
      });
      context.setDefaultTimeout(patienceMs);
      context.setDefaultNavigationTimeout(2 * patienceMs);
      const page = await context.newPage();
      opened.push({ page: watch(page), expectedErrors });
      return page;
    },
  };
}

/** By how many pixels a page scrolls sideways; 0 is right. */
export const widthBeyond = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Presses Tab until the element with the focus matches; a keyboard user has nothing else. */
export async function tabTo(page: Page, name: RegExp, most = 80): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = (await page.evaluate(
      `(() => { const e = document.activeElement; return e ? (e.getAttribute('aria-label') || (e.labels && e.labels[0] ? e.labels[0].textContent : '') || e.textContent || '').trim() : ''; })()`,
    )) as string;
    if (name.test(focused)) return;
    seen.push(focused.slice(0, 30));
  }
  throw new Error(`Tab never reached ${name}; it passed ${seen.join(' | ')}`);
}
