import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const desk = { width: 1440, height: 1000 };
const phones = [390, 360].map((width) => ({ width, height: 844 }));
/** Nobody looks at the pictures of a CI run, and they take a minute of it; the widths are checked there all the same. */
const isPictured = process.env.CI !== 'true';

/**
 * Takes pictures of pages as they stand, in both themes, at a desk and on a phone.
 * @param folder - Where they go, named `<prefix>-<name>-<width>-<theme>.png`.
 * @returns `look`, and where a page scrolled sideways.
 */
export function onLooker(folder: string, prefix: string) {
  mkdirSync(folder, { recursive: true });
  const sideways: string[] = [];
  /** `isScreen`: what counts is the screen, such as a dialog, not the whole length of the page. */
  const look = async (page: Page, name: string, isScreen = false): Promise<void> => {
    for (const size of [desk, ...phones]) {
      await page.setViewportSize(size);
      if (!isScreen) await page.evaluate('window.scrollTo(0, 0)');
      const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      if (over !== 0) sideways.push(`${name} at ${size.width} px by ${over}`);
      if (size.width === 360 || !isPictured) continue;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const path = join(folder, `${prefix}-${name}-${size.width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: !isScreen, animations: 'disabled' });
      }
    }
    await page.setViewportSize(desk);
  };
  return { look, sideways };
}
