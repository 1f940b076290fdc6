import { existsSync } from 'node:fs';

/** The headless shell takes a quarter less processor time for the same pages; both are packages of Debian. */
const packaged = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

const candidates = (): readonly string[] => {
  const { CHROMIUM_PATH: asked } = process.env;
  return asked ? [asked] : packaged;
};

/** The browser for tests and pictures: `CHROMIUM_PATH`, or what is installed; undefined when there is none. */
export const installedChromium = (): string | undefined => candidates().find((path) => existsSync(path));

/** @throws Error when there is none. */
export function chromiumPath(): string {
  const path = installedChromium();
  if (path === undefined)
    throw new Error(`No Chromium at ${candidates().join(' or ')}; install it, or set CHROMIUM_PATH.`);
  return path;
}
