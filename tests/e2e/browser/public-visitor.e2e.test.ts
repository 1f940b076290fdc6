import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type ListedVault, launchBrowser, listedVaults } from '../../../tools/web-pages.ts';
import { baseUrl } from '../../system/actors.ts';

/** Somebody who only reads: what their browser loads, asks for and can take away as a file. */

/** JavaScript of the first page, as a browser receives it. */
const FIRST_PAGE_GZIP_BYTES = 200_000;

let browser: Browser;
let vaults: ListedVault[];

beforeAll(async () => {
  browser = await launchBrowser();
  vaults = await listedVaults(baseUrl());
}, 60_000);

afterAll(async () => {
  await browser?.close();
});

const publicPath = ({ chain_slug, vault_address }: ListedVault) => `/managed-vaults/${chain_slug}/${vault_address}`;
const aVault = (): ListedVault => {
  const [vault] = vaults;
  if (vault === undefined) throw new Error('No vault is listed.');
  return vault;
};

async function open(path: string) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 1000 } })).newPage();
  const scripts = new Map<string, number>();
  const withToken: string[] = [];
  page.on('request', (request) => {
    if (request.headers().authorization !== undefined) withToken.push(request.url());
  });
  page.on('response', async (response) => {
    if (new URL(response.url()).pathname.endsWith('.js'))
      scripts.set(response.url(), gzipSync(await response.body()).length);
  });
  await page.goto(`${baseUrl()}${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // The live stream keeps the network busy for ever, so idleness cannot be waited for.
  await page.waitForTimeout(2_000);
  return { page, scripts, withToken };
}

const walkDown = async (page: Page) => {
  for (let top = 0; top < 20_000; top += 800) {
    await page.evaluate(`window.scrollTo(0, ${top})`);
    await page.waitForTimeout(60);
  }
};

test('behavior: a page names its vault where no script runs, and an unknown vault is 404', async () => {
  const { name, symbol } = aVault() as ListedVault & { symbol: string };
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto(`${baseUrl()}${publicPath(aVault())}`);
  expect(await page.title()).toBe(`${name} (${symbol}) · Castellan`);
  const attribute = (selector: string, of: string) => page.locator(selector).getAttribute(of);
  expect(await attribute('meta[property="og:title"]', 'content')).toBe(`${name} (${symbol}) · Castellan`);
  expect(await attribute('meta[name="description"]', 'content')).toContain(`${name}, a vault for`);
  expect(await attribute('link[rel="canonical"]', 'href')).toContain(publicPath(aVault()));
  const unknown = await page.goto(`${baseUrl()}/managed-vaults/${aVault().chain_slug}/0x${'1'.repeat(40)}`);
  expect(unknown?.status()).toBe(404);
  await page.context().close();
});

test('behavior: the first figures need no answer besides the page', async () => {
  for (const path of ['/', publicPath(aVault())]) {
    const page = await (await browser.newContext()).newPage();
    await page.route(/config\.json|\/api\//, () => undefined);
    await page.goto(`${baseUrl()}${path}`);
    await page
      .getByText(/\$[\d.,]+/)
      .first()
      .waitFor();
    await page.context().close();
  }
});

test('behavior: the first page costs at most 200 kB of JavaScript, and none of it is for wallets', async () => {
  const { page, scripts } = await open('/');
  const total = [...scripts.values()].reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThanOrEqual(FIRST_PAGE_GZIP_BYTES);
  expect([...scripts.keys()].filter((url) => /wallet/.test(url))).toEqual([]);
  await page.context().close();
}, 60_000);

test('behavior: a whole vault page asks for nothing with a token, loads no wallet and opens none', async () => {
  const { page, scripts, withToken } = await open(publicPath(aVault()));
  await walkDown(page);
  expect(withToken).toEqual([]);
  expect([...scripts.keys()].filter((url) => /wallet/.test(url))).toEqual([]);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.context().close();
}, 60_000);

test('behavior: on a phone a chart that is read, or drawn for a wider screen, does not widen the page', async () => {
  const { page } = await open(publicPath(aVault()));
  await page.setViewportSize({ width: 390, height: 844 });
  await walkDown(page);
  const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  const chart = page.getByRole('application', { name: /^Price per share/ });
  await chart.scrollIntoViewIfNeeded();
  const { x, y, width } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  const found: unknown[] = [];
  for (let at = 60; at < width - 20; at += 30) {
    await page.mouse.move(x + at, y + 80);
    found.push(await page.evaluate(over));
  }
  expect(found.length).toBeGreaterThan(5);
  await page.setViewportSize({ width: 360, height: 844 });
  found.push(await page.evaluate(over));
  expect(new Set(found)).toEqual(new Set([0]));
  await page.context().close();
}, 60_000);

test('behavior: the page of a vault carries its canonical link and a picture, from any case of the address', async () => {
  const vault = aVault();
  const { page } = await open(publicPath({ ...vault, vault_address: vault.vault_address.toLowerCase() }));
  const attribute = (selector: string, name: string) => page.locator(selector).getAttribute(name);
  expect(await attribute('link[rel="canonical"]', 'href')).toMatch(new RegExp(`${publicPath(vault)}$`));
  expect(await attribute('meta[property="og:title"]', 'content')).toContain(vault.name);
  const image = await attribute('meta[property="og:image"]', 'content');
  const picture = await fetch(new URL(new URL(image ?? '').pathname, baseUrl()));
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  const manifest = await fetch(`${baseUrl()}/manifest.webmanifest`);
  expect(manifest.headers.get('content-type')).toContain('manifest+json');
  await page.context().close();
}, 60_000);

test('behavior: the file of a filter holds all its rows and no others', async () => {
  const { page } = await open(`${publicPath(aVault())}?period=all&tx=deposit#operations`);
  const card = page.getByRole('table', { name: 'Transactions' });
  await card.waitFor({ timeout: 20_000 });
  const shown = await page.getByText(/^\d[\d,]* of [\d,]+ transactions$/).textContent();
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the filtered transactions as CSV' }).click();
  const rows = readFileSync(await (await waiting).path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  const type = rows[0]?.split(',').indexOf('type') ?? -1;
  expect(new Set(rows.slice(1).map((row) => row.split(',')[type]))).toEqual(new Set(['deposit']));
  // The demo keeps depositing while this runs.
  expect(rows.length - 1).toBeGreaterThanOrEqual(Number(/of ([\d,]+)/.exec(shown ?? '')?.[1]?.replaceAll(',', '')));
  await page.context().close();
}, 60_000);
