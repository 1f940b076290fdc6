import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { account, baseUrl } from '../../system/actors.ts';
import { launchBrowser, openPage as openPageIn, type PageSize } from '../../system/browser.ts';

/** A curator's first hour, in Chromium: public pages, sign-in with a demo wallet, a manager added and removed on chain. */

const screenshots = join(dirname(fileURLToPath(import.meta.url)), '../screenshots');
const newcomer = account(53).address;

let browser: Browser;
let core: PublicVault;
const faults: string[] = [];

const openPage = (size: PageSize) => openPageIn(browser, size, faults);

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await launchBrowser();
  const found = (await createClient({ baseUrl: baseUrl() }).publicVaults({})).find(({ name }) => name === 'USDC Core');
  if (!found) throw new Error('USDC Core is not in the public list');
  core = found;
}, 60_000);

afterAll(async () => {
  await browser?.close();
});

describe.each([
  { width: 1440, height: 1000, colorScheme: 'dark' as const },
  { width: 1440, height: 1000, colorScheme: 'light' as const },
  { width: 390, height: 844, colorScheme: 'dark' as const },
  { width: 390, height: 844, colorScheme: 'light' as const },
])('public pages at $width px, $colorScheme', (size) => {
  test('behavior: home and a vault, the address in any case, without a wallet prompt or sideways scrolling', async () => {
    const { context, page } = await openPage(size);
    await page.goto(baseUrl());
    await page.getByRole('link', { name: 'USDC Core' }).first().waitFor();
    await page.screenshot({ path: join(screenshots, `home-${size.width}-${size.colorScheme}.png`) });
    await page.goto(`${baseUrl()}/managed-vaults/devnet/${core.vault_address.toLowerCase()}`);
    await page.getByRole('heading', { level: 1, name: 'USDC Core' }).waitFor();
    await page.getByText('Morpho Prime USDC').first().waitFor();
    expect(page.url()).toContain(core.vault_address);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0);
    await page.screenshot({ path: join(screenshots, `vault-${size.width}-${size.colorScheme}.png`), fullPage: true });
    await context.close();
  }, 60_000);
});

test('behavior: unknown vault, unknown chain and no address each have their own page', async () => {
  const { context, page } = await openPage({ width: 1440, height: 900, colorScheme: 'dark' });
  const pages = [
    [`devnet/0x${'1'.repeat(40)}`, 'No such vault'],
    [`nowhere/${core.vault_address}`, 'Unknown chain'],
    ['devnet/0x12', 'That is not an address'],
  ] as const;
  for (const [path, title] of pages) {
    await page.goto(`${baseUrl()}/managed-vaults/${path}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
  await context.close();
}, 60_000);

async function signInAs(page: Page, wallet: RegExp): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('dialog').getByRole('button', { name: wallet }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign message' }).click();
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor();
}

/** Signs what the dialog shows; when that is not possible the failure says what the dialog says. */
async function signAndSend(dialog: Locator): Promise<void> {
  try {
    await dialog.getByRole('button', { name: 'Sign and send' }).click({ timeout: 20_000 });
  } catch (cause) {
    throw new Error(`cannot sign: ${await dialog.innerText()}`, { cause });
  }
}

const storedKeys = (page: Page) =>
  page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('curator_')).sort()");

describe('a curator', () => {
  test('behavior: signs in, adds a secondary manager through the wallet, sees it without reload, and removes it', async () => {
    const { context, page } = await openPage({ width: 1440, height: 1000, colorScheme: 'dark' });
    await page.goto(`${baseUrl()}/operate/devnet/${core.vault_address}/users`);
    await signInAs(page, /^Primary manager/);
    expect(await storedKeys(page)).toEqual(['curator_address', 'curator_is_manager', 'curator_jwt', 'curator_vaults']);
    await page.getByRole('textbox', { name: "New manager's address" }).fill(newcomer);
    await page.getByRole('button', { name: 'Add manager' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a secondary manager' });
    await dialog.getByRole('button', { name: 'Sign and send' }).waitFor();
    await page.screenshot({ path: join(screenshots, 'sign-dark.png') });
    await signAndSend(dialog);
    await dialog.getByText('Indexed: the change shows everywhere').waitFor({ timeout: 20_000 });
    await dialog.getByRole('button', { name: 'Done' }).click();
    const short = newcomer.slice(0, 6);
    await page.getByRole('table', { name: 'Managers' }).getByText(short).first().waitFor();
    await page.screenshot({ path: join(screenshots, 'users-dark.png'), fullPage: true });
    await page.getByRole('button', { name: new RegExp(`^Remove ${short}`) }).click();
    const removal = page.getByRole('dialog', { name: 'Remove a secondary manager' });
    await signAndSend(removal);
    await removal.getByText('Indexed: the change shows everywhere').waitFor({ timeout: 20_000 });
    await removal.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: new RegExp(`^Remove ${short}`) }).waitFor({ state: 'detached' });
    await context.close();
  }, 120_000);

  test('behavior: any 401 logs out at once and all four keys are gone', async () => {
    const { context, page } = await openPage({ width: 1440, height: 1000, colorScheme: 'light' });
    await page.goto(`${baseUrl()}/operate/devnet/${core.vault_address}/users`);
    await signInAs(page, /^Primary manager/);
    const token = (await page.evaluate("localStorage.getItem('curator_jwt')")) as string;
    await createClient({ baseUrl: baseUrl(), token }).logout({});
    await page.waitForTimeout(2000);
    await page.reload();
    await page
      .getByRole('button', { name: /^Sign in/ })
      .first()
      .waitFor();
    expect(await storedKeys(page)).toEqual([]);
    await context.close();
  }, 60_000);

  test('behavior: a wallet without a role sees that it has none', async () => {
    const { context, page } = await openPage({ width: 390, height: 844, colorScheme: 'light' });
    await page.goto(`${baseUrl()}/operate/devnet/${core.vault_address}/users`);
    await signInAs(page, /^No role/i);
    await page.getByRole('heading', { level: 1, name: 'You have no role on this vault' }).waitFor();
    await page.screenshot({ path: join(screenshots, 'no-role-390-light.png') });
    await context.close();
  }, 60_000);
});

test('behavior: the console stayed free of errors', () => {
  expect(faults).toEqual([]);
});
