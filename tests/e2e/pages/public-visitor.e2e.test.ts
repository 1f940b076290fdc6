import { text } from 'node:stream/consumers';
import { beforeAll, test } from '@jest/globals';
import { type ListedVault, listedVaults, scrollThrough } from '../../../tools/web-pages.ts';
import { baseUrl } from '../../system/actors.ts';
import { browserForTests } from '../../system/browser.ts';
import { expect } from '../../system/expect.ts';
import { requestsOf } from '../../system/page-requests.ts';
import { expectToFit } from '../../system/screen-checks.ts';

/** Somebody who only reads: what their browser loads, asks for and can take away as a file. */

/** JavaScript of the first page, as a browser receives it. */
const FIRST_PAGE_GZIP_BYTES = 200_000;

const browser = browserForTests();
let vaults: ListedVault[];

beforeAll(async () => {
  vaults = await listedVaults(baseUrl());
});

const publicPath = ({ chain_slug, vault_address }: ListedVault) => `/managed-vaults/${chain_slug}/${vault_address}`;
const aVault = (): ListedVault => {
  const [vault] = vaults;
  if (vault === undefined) throw new Error('No vault is listed.');
  return vault;
};

async function open(path: string) {
  const page = await browser.open();
  const { quiet, scripts } = requestsOf(page);
  const withToken: string[] = [];
  const refused: string[] = [];
  page.on('request', (request) => {
    if (request.headers().authorization !== undefined) withToken.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() === 401 || response.status() === 403) refused.push(response.url());
  });
  await page.goto(`${baseUrl()}${path}`);
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
  await quiet();
  return { page, scripts, withToken, refused, quiet };
}

test('behavior: a page names its vault where no script runs, and an unknown vault is 404', async () => {
  const { name, symbol } = aVault() as ListedVault & { symbol: string };
  const page = await (await browser.get().newContext({ javaScriptEnabled: false })).newPage();
  await page.goto(`${baseUrl()}${publicPath(aVault())}`);
  expect(await page.title()).toBe(`${name} (${symbol}) · Castellan`);
  const attribute = (selector: string, of: string) => page.locator(selector).getAttribute(of);
  expect(await attribute('meta[property="og:title"]', 'content')).toBe(`${name} (${symbol}) · Castellan`);
  expect(await attribute('meta[name="description"]', 'content')).toContain(`${name}, a vault for`);
  expect(await attribute('link[rel="canonical"]', 'href')).toContain(publicPath(aVault()));
  const unknown = await page.goto(`${baseUrl()}/managed-vaults/${aVault().chain_slug}/0x${'1'.repeat(40)}`);
  expect(unknown?.status()).toBe(404);
});

test('behavior: the first figures need no answer besides the page', async () => {
  for (const path of ['/', publicPath(aVault())]) {
    const page = await browser.open();
    await page.route(/config\.json|\/api\//, () => undefined);
    await page.goto(`${baseUrl()}${path}`);
    await expect(page.getByText(/\$[\d.,]+/).first()).toBeVisible();
  }
});

test('behavior: the first page costs at most 200 kB of JavaScript, and none of it is for wallets', async () => {
  const { scripts } = await open('/');
  const total = (await Promise.all(scripts.values())).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThanOrEqual(FIRST_PAGE_GZIP_BYTES);
  expect([...scripts.keys()].filter((url) => /wallet/.test(url))).toEqual([]);
});

test('behavior: on a phone the page of a vault begins with the own position and with what anybody can check, and fits', async () => {
  const page = await browser.open();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${baseUrl()}${publicPath(aVault())}`);
  const checks = page.getByRole('region', { name: 'What you can check' });
  await expect(checks.getByRole('link', { name: /validators signed the price/ })).toBeVisible();
  await expect(checks.getByRole('link', { name: /^(No pause and no refused price|Paused|Price )/ })).toBeVisible();
  await expectToFit(page, 'the page of a vault on a phone');
  const topOf = async (name: string | RegExp) =>
    (await page.getByRole('heading', { level: 2, name }).first().boundingBox())?.y ?? Number.NaN;
  const tops = [await topOf('My position'), await topOf('What you can check'), await topOf('Overview')];
  expect(tops).toEqual([...tops].sort((left, right) => left - right));
  await checks.getByRole('button', { name: 'Receipt of the price that counts' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
});

// One visit for all that is said of all sections, on the page that prints them: reading it is the most expensive thing that a test can do.
test('behavior: all sections of a vault need no token and no wallet, and on a phone no chart widens it, read or drawn for a wider screen', async () => {
  const { page, scripts, withToken, refused, quiet } = await open(`${publicPath(aVault())}/print`);
  await scrollThrough(page);
  await quiet();
  expect(withToken).toEqual([]);
  expect(refused).toEqual([]);
  expect([...scripts.keys()].filter((url) => /wallet/.test(url))).toEqual([]);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectToFit(page, 'the page drawn for a desk');
  const chart = page.getByRole('application', { name: /^Price per share/ });
  await chart.scrollIntoViewIfNeeded();
  const { x, y, width } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  expect(width).toBeGreaterThan(200);
  for (let at = 60; at < width - 20; at += 30) {
    await page.mouse.move(x + at, y + 80);
    await expectToFit(page, `the price chart read at ${at} px`);
  }
  await page.setViewportSize({ width: 360, height: 844 });
  await expectToFit(page, 'the page drawn for a wider phone');
});

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
});

test('behavior: the file of a filter holds all its rows and no others', async () => {
  const { page } = await open(`${publicPath(aVault())}/operations?period=all&tx=deposit`);
  const card = page.getByRole('table', { name: 'Transactions' });
  await expect(card).toBeVisible();
  const operations = page.getByRole('region', { name: 'Operations' });
  const shown = await operations.getByText(/^\d[\d,]* of [\d,]+ (entry|entries)$/).textContent();
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the filtered transactions as CSV' }).click();
  const file = await (await waiting).createReadStream();
  const rows = (await text(file)).trimEnd().split('\r\n');
  const type = rows[0]?.split(',').indexOf('type') ?? -1;
  expect(new Set(rows.slice(1).map((row) => row.split(',')[type]))).toEqual(new Set(['deposit']));
  // The demo keeps depositing while this runs.
  expect(rows.length - 1).toBeGreaterThanOrEqual(Number(/of ([\d,]+)/.exec(shown ?? '')?.[1]?.replaceAll(',', '')));
});
