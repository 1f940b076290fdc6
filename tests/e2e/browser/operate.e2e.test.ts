import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { signInAsPrimary } from '../../../tools/web-pages.ts';
import { baseUrl, stateDir } from '../../system/actors.ts';
import { launchBrowser, openPage, type PageSize } from '../../system/browser.ts';
import { signAndSend } from '../../system/demo-wallet.ts';

/** Every page of Operate in Chromium with the demo wallet: changed, signed, mined, shown, audited. */

const screenshots = join(dirname(fileURLToPath(import.meta.url)), '../screenshots');
const wide: PageSize = { width: 1440, height: 1000, colorScheme: 'dark' };

let browser: Browser;
let growth: PublicVault;
let reserve: PublicVault;
let core: PublicVault;
let context: BrowserContext;
let page: Page;
const faults: string[] = [];

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await launchBrowser();
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  const named = (wanted: string) => vaults.find(({ name }) => name === wanted) as PublicVault;
  [growth, reserve, core] = [named('WETH Growth'), named('WBTC Reserve'), named('USDC Core')];
  ({ context, page } = await openPage(browser, wide, faults));
  await page.goto(roomOf(growth, 'settings'));
  await signInAsPrimary(page);
}, 90_000);

afterAll(async () => {
  await context?.close();
  await browser?.close();
});

/** A source of the vault's asset that no vault has. */
function candidateOf({ underlying_asset_address }: PublicVault): { source: string; name: string } {
  const file = JSON.parse(readFileSync(join(stateDir(), 'devnet/deployment.json'), 'utf8')) as {
    candidate_sources: { asset: string; source: string; name: string }[];
  };
  const found = file.candidate_sources.find(({ asset }) => asset === underlying_asset_address);
  if (!found) throw new Error(`The devnet has no candidate source of ${underlying_asset_address}.`);
  return found;
}

const roomOf = ({ vault_address }: PublicVault, room: string) => `${baseUrl()}/operate/devnet/${vault_address}/${room}`;

const sign = (steps?: number) => signAndSend(page, steps);

test('behavior: settings: the deviation guard is changed and shown', async () => {
  await page.goto(roomOf(growth, 'settings'));
  const guard = page.getByRole('textbox', { name: 'Largest jump, %' });
  await guard.fill('37.5');
  await page.getByRole('button', { name: 'Prepare change' }).click();
  await page.getByRole('dialog').getByText('Decoded in this browser').waitFor();
  await page.screenshot({ path: join(screenshots, 'passport-dark.png') });
  await sign();
  await page.getByText('37.50%').first().waitFor();
}, 90_000);

test('behavior: settings: upkeep is paid by an approval and a deposit in one go', async () => {
  await page.goto(roomOf(growth, 'settings?panel=upkeep'));
  await page.getByRole('textbox', { name: 'Amount, UP' }).fill('2.5');
  await page.getByRole('button', { name: 'Prepare deposit' }).click();
  await sign(2);
}, 120_000);

test('behavior: settings: fees are proposed and wait for their week', async () => {
  await page.goto(roomOf(growth, 'settings'));
  await page.getByRole('textbox', { name: 'Performance fee, %' }).fill('12.5');
  await page.getByRole('button', { name: 'Prepare proposal' }).first().click();
  await sign();
  await page.getByText('12.50%').first().waitFor();
}, 90_000);

test('behavior: pause: with a reason and the end of the address, then released', async () => {
  await page.goto(roomOf(reserve, 'pause'));
  const suffix = reserve.vault_address.slice(-6);
  const confirm = async (reason: string, button: string) => {
    await page.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await page.getByRole('textbox', { name: /^Type the last 6 characters/ }).fill(suffix);
    await page.getByRole('button', { name: button }).click();
    await sign();
  };
  await confirm('Drill in the browser', 'Prepare pause');
  await page.getByRole('button', { name: 'Prepare release' }).waitFor();
  await page.screenshot({ path: join(screenshots, 'pause-dark.png'), fullPage: true });
  await confirm('The drill is over', 'Prepare release');
  await page.getByRole('button', { name: 'Prepare pause' }).waitFor();
}, 150_000);

test('behavior: yield sources: one is added with its oracle, and taken off again', async () => {
  await page.goto(roomOf(growth, 'yield-sources'));
  const table = page.getByRole('table', { name: 'Yield sources' });
  const { oracles } = await createClient({ baseUrl: baseUrl() }).yieldSources({
    params: { chain_id: String(growth.chain_id), vault_address: growth.vault_address },
  });
  const candidate = candidateOf(growth);
  await page.getByLabel('Source 1').fill(candidate.source);
  await page.getByLabel('Oracle 1').fill(oracles[0]?.oracle_address ?? '');
  await page.getByRole('button', { name: 'Prepare to add' }).click();
  await sign();
  await table.getByText(candidate.name, { exact: true }).waitFor();
  await page.screenshot({ path: join(screenshots, 'yield-sources-dark.png'), fullPage: true });
  await table.getByRole('button', { name: `Remove ${candidate.name}` }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Prepare/ })
    .click();
  await sign();
  await table.getByText(candidate.name, { exact: true }).waitFor({ state: 'detached' });
}, 120_000);

test('behavior: merkle: a configuration becomes a tree that is published, and whose root waits on the chain', async () => {
  await page.goto(roomOf(core, 'merkle'));
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  await button('New version').click();
  const { yield_sources } = await createClient({ baseUrl: baseUrl() }).yieldSources({
    params: { chain_id: String(core.chain_id), vault_address: core.vault_address },
  });
  const source = yield_sources[0]?.source_address ?? '';
  for (const [row, hook] of [
    [1, 'Approve and deposit ERC-4626'],
    [2, 'Redeem ERC-4626'],
  ] as const) {
    await button('Another row').click();
    await page.getByLabel(`Hook ${row}`).selectOption({ label: hook });
    await page.getByRole('combobox', { name: `Yield source ${row}` }).fill(source);
  }
  await button('Make the version').click();
  await button(/^Activate version/)
    .first()
    .click();
  await button('Generate the tree').click();
  await button('Propose the root').click({ timeout: 30_000 });
  await page.getByRole('dialog').getByText('Decoded in this browser').waitFor();
  await sign();
  await page.getByText(/^May be executed from/).waitFor({ timeout: 30_000 });
  await page.screenshot({ path: join(screenshots, 'merkle-dark.png'), fullPage: true });
  await page.getByRole('tab', { name: 'Merkle trees' }).click();
  await button(/^Publish 0x/).click();
  await page.getByText('Published', { exact: true }).waitFor({ timeout: 30_000 });
  await button(/^Show leaves/).click();
  await page.getByRole('table', { name: 'Leaves' }).getByText('Redeem ERC-4626').waitFor();
}, 150_000);

test('behavior: calls: what was signed is listed as verified and opens for review', async () => {
  await page.goto(roomOf(growth, 'calls'));
  const calls = page.getByRole('table', { name: /calls/i });
  await calls.getByText('Verified').first().waitFor();
  await calls.getByRole('link', { name: 'Set the deviation guard' }).first().click();
  await page.waitForURL(/\/operate\/review\//);
  await page.getByRole('main').getByText('Verified').first().waitFor();
  await page.screenshot({ path: join(screenshots, 'review-dark.png'), fullPage: true });
}, 60_000);

test('behavior: audit: the change is on the timeline and the log is whole', async () => {
  await page.goto(roomOf(growth, 'audit'));
  await page
    .getByText(/^Verified on chain: Set the deviation guard/)
    .first()
    .waitFor({ timeout: 30_000 });
  await page.getByRole('tab', { name: 'Audit log' }).click();
  await page.getByRole('button', { name: 'Verify chain' }).click();
  await page.getByText(/The log is whole/).waitFor();
}, 60_000);

test('behavior: sessions: a token is made, shown once, and revoked', async () => {
  await page.goto(`${baseUrl()}/operate/sessions`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Story');
  await page.getByRole('button', { name: 'Make token' }).click();
  const shown = page.getByRole('dialog', { name: 'Token Story' });
  await shown.getByText(/^eyJ/).first().waitFor();
  await shown
    .getByRole('button', { name: /^(Done|Close|I have)/ })
    .last()
    .click();
  const row = page.getByRole('row', { name: /Story/ });
  await row.getByRole('button', { name: /Revoke/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Revoke/ })
    .click();
  await row.waitFor({ state: 'detached' });
}, 60_000);

describe.each([
  { width: 1440, height: 1000, colorScheme: 'light' as const },
  { width: 390, height: 844, colorScheme: 'dark' as const },
  { width: 390, height: 844, colorScheme: 'light' as const },
])('every page of Operate at $width px, $colorScheme', (size) => {
  test('behavior: stands without sideways scrolling', async () => {
    const other = await openPage(browser, size, faults);
    await other.page.goto(roomOf(growth, 'users'));
    await signInAsPrimary(other.page);
    const rooms = ['users', 'settings', 'yield-sources', 'merkle', 'pause', 'calls', 'audit'].map((room) =>
      roomOf(growth, room),
    );
    for (const url of [...rooms, `${baseUrl()}/operate/sessions`]) {
      await other.page.goto(url);
      await other.page.getByRole('heading', { level: 2 }).or(other.page.getByRole('table')).first().waitFor();
      await other.page.waitForTimeout(800);
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect([url, await other.page.evaluate(over)]).toEqual([url, 0]);
      const name = url.split('/').at(-1);
      const file = `operate-${name}-${size.width}-${size.colorScheme}.png`;
      await other.page.screenshot({ path: join(screenshots, file), fullPage: true });
    }
    await other.context.close();
  }, 120_000);
});

test('behavior: the console stayed free of errors', () => {
  expect(faults).toEqual([]);
});
