import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { until } from './actors.ts';
import { desktop, widthBeyond } from './browser.ts';
import { expect } from './expect.ts';
import { patienceMs } from './patience.ts';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'e2e/screenshots');
const desk = { width: desktop.width, height: desktop.height };
const phones = [390, 360].map((width) => ({ width, height: 844 }));
/** Pictures are for a person who asked for them, and take minutes; the widths are checked all the same. */
const isPictured = process.env.E2E_PICTURES === '1';

/** Takes a picture of a page as it stands, `<name>.png`; with `E2E_PICTURES=1`. */
export async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  if (!isPictured) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage, animations: 'disabled' });
}

/** The same in both themes, `<name>-<width>-<theme>.png`. */
export async function pictures(page: Page, name: string, fullPage = false): Promise<void> {
  if (!isPictured) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await picture(page, `${name}-${page.viewportSize()?.width}-${colorScheme}`, fullPage);
  }
}

/**
 * Waits until a page fits its screen, as after a change of the screen's width.
 * @returns what reaches over the edge: nothing, or by how much the page scrolls sideways and which elements are outside.
 */
export async function beyondTheEdge(page: Page): Promise<string[]> {
  const fits = async () => (await widthBeyond(page)) <= 0;
  const isFitting = await until('the page fits', fits, patienceMs / 2).catch(() => false);
  if (isFitting) return [];
  const outside = await page.evaluate<string[]>(BEYOND_THE_EDGE);
  return [`scrolls sideways by ${await widthBeyond(page)} px`, ...outside];
}

/** @throws when the page scrolls sideways; the message names what reaches over the edge. */
export async function expectToFit(page: Page, name: string): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 };
  const tooWide = await beyondTheEdge(page);
  expect({ page: name, width, tooWide }).toEqual({ page: name, width, tooWide: [] });
}

/** The innermost elements whose right edge is outside of the screen and that nothing around them cuts off. */
const BEYOND_THE_EDGE = `(() => {
  const edge = document.documentElement.clientWidth;
  const isCut = (element) => {
    for (let up = element.parentElement; up && up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== 'visible') return true;
    return false;
  };
  const beyond = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > edge + 0.5 && !isCut(element),
  );
  const nameOf = (element) => {
    const region = element.closest('section[aria-label], section[aria-labelledby], [role=region], figure, [role=application]');
    const label = region && (region.getAttribute('aria-label') || region.querySelector('h2, h3, figcaption')?.textContent);
    const own = element.getAttribute('aria-label') || element.textContent.trim().slice(0, 40);
    return element.tagName.toLowerCase() + ' "' + own + '"' + (label ? ' in "' + label + '"' : '');
  };
  return beyond.filter((element) => !beyond.some((other) => other !== element && element.contains(other))).slice(0, 5).map(nameOf);
})()`;

/**
 * Checks at a desk and on phones that a page does not scroll sideways, and takes pictures in both themes.
 * @param isScreen - What counts is the screen, such as a dialog, not the whole length of the page.
 */
export async function look(page: Page, name: string, isScreen = false): Promise<void> {
  for (const size of [desk, ...phones]) {
    await page.setViewportSize(size);
    if (!isScreen) await page.evaluate('window.scrollTo(0, 0)');
    await expectToFit(page, name);
    if (size.width !== 360) await pictures(page, name, !isScreen);
  }
  await page.setViewportSize(desk);
}
