import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import { chromiumPath, installedChromium } from '../../tools/chromium-path.ts';

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
const options = { headless: true, args: quiet };

/**
 * A headless Chromium for all files of a run, which find it by `E2E_BROWSER_URL`: starting one takes two seconds of processor time.
 * @returns undefined when none is installed; each file that opens a page fails then.
 */
export async function startSharedChromium(): Promise<BrowserServer | undefined> {
  const executablePath = installedChromium();
  return executablePath ? chromium.launchServer({ ...options, executablePath }) : undefined;
}

/** The headless Chromium of this run, or one of this file's own. @throws when none is installed. */
export function launchBrowser(): Promise<Browser> {
  const { E2E_BROWSER_URL: shared } = process.env;
  if (shared) return chromium.connect(shared);
  return chromium.launch({ ...options, executablePath: chromiumPath() });
}
