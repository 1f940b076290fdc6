import { expect, test } from '@jest/globals';
import { chromiumPath, installedChromium } from './chromium-path.ts';

test('default: the browser that CHROMIUM_PATH names comes before what is installed', () => {
  process.env.CHROMIUM_PATH = process.execPath;
  expect(installedChromium()).toBe(process.execPath);
});

test('error: names the path at which no browser is', () => {
  process.env.CHROMIUM_PATH = '/no/browser';
  expect(installedChromium()).toBeUndefined();
  expect(chromiumPath).toThrow('No Chromium at /no/browser; install it, or set CHROMIUM_PATH.');
});
