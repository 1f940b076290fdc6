import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A headless Chromium. @throws when none is installed. */
export function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(`No Chromium at ${executablePath}; install it, or set CHROMIUM_PATH.`);
  return chromium.launch({ executablePath, headless: true, args: quiet });
}

export type PageSize = { width: number; height: number; colorScheme: 'dark' | 'light' };

/** A page of its own whose errors are collected in `faults`. */
export async function openPage(
  browser: Browser,
  { width, height, colorScheme }: PageSize,
  faults: string[],
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) faults.push(message.text());
  });
  return { context, page };
}

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

/** Scrolls through the whole page, so that what loads when it comes near is there. */
export async function scrollThrough(page: Page): Promise<void> {
  for (let y = 0; ; y += 600) {
    const height = (await page.evaluate('document.body.scrollHeight')) as number;
    await page.evaluate(`window.scrollTo(0, ${y})`);
    await page.waitForTimeout(150);
    if (y > height) return;
  }
}
