import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { signInAsPrimary } from '../../../tools/web-pages.ts';
import { baseUrl, signIn, until } from '../../system/actors.ts';
import { launchBrowser, openPage, tabTo } from '../../system/browser.ts';
import { signAndSend } from '../../system/demo-wallet.ts';
import { onLooker } from '../../system/look.ts';

/** What executes by itself, in Chromium with the demo wallet: its tree, a strategy from the first word to its fill, an exit, alerts. */

const screenshots = join(dirname(fileURLToPath(import.meta.url)), '../screenshots');
const sourceName = 'Pendle PT stETH';
const mark = Date.now().toString(36);
const strategyName = `Put idle to work ${mark}`;
const secondName = `By keyboard ${mark}`;
const patience = 90_000;

let browser: Browser;
let growth: PublicVault;
let context: BrowserContext;
let page: Page;
const faults: string[] = [];
const { look, sideways } = onLooker(screenshots, 'automation');
const desk = { width: 1440, height: 1000 };

beforeAll(async () => {
  browser = await launchBrowser();
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  growth = vaults.find(({ name }) => name === 'WETH Growth') as PublicVault;
  ({ context, page } = await openPage(browser, { ...desk, colorScheme: 'dark' }, faults));
  page.setDefaultTimeout(patience);
  await page.goto(roomOf('merkle'));
  await signInAsPrimary(page);
}, 300_000);

afterAll(async () => {
  await context?.close();
  await browser?.close();
});

const roomOf = (room: string) => `${baseUrl()}/operate/devnet/${growth.vault_address}/${room}`;
const vaultUrl = () => `${baseUrl()}/managed-vaults/devnet/${growth.vault_address}`;
const button = (name: string | RegExp, exact = false) => page.getByRole('button', { name, exact });
const dialog = () => page.getByRole('dialog').last();

/** Rows of a new version of the hook configuration, in place of those that it begins with. */
async function newVersion(rows: readonly { hook: string; source: string; owner?: string }[]): Promise<void> {
  await button('New version').click();
  const form = page.getByRole('form', { name: 'New hook configuration' });
  const removers = form.getByRole('button', { name: /^Remove row/ });
  while ((await removers.count()) > 0) await removers.first().click();
  for (const [index, { hook, source, owner }] of rows.entries()) {
    await form.getByRole('button', { name: 'Another row' }).click();
    await form.getByLabel(`Hook ${index + 1}`).selectOption({ label: hook });
    await form.getByRole('combobox', { name: `Yield source ${index + 1}` }).fill(source);
    if (owner !== undefined) await form.getByRole('combobox', { name: `Owner ${index + 1}` }).fill(owner);
  }
  await form.getByRole('textbox', { name: 'Note' }).fill(`Story ${mark}`);
  await look(page, 'merkle-form');
  await form.getByRole('button', { name: 'Make the version' }).click();
  await form.waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: new RegExp(`Story ${mark}`) })
    .first()
    .getByRole('button', { name: /^Activate version/ })
    .click();
}

const sourcesOf = async () => {
  const params = { chain_id: String(growth.chain_id), vault_address: growth.vault_address };
  return (await createClient({ baseUrl: baseUrl() }).yieldSources({ params })).yield_sources;
};
const rowsFor = (source: string) => [
  { hook: 'Approve and deposit ERC-4626', source },
  { hook: 'Redeem ERC-4626', source },
];

test('behavior: merkle: a new configuration becomes a tree, whose root the demo wallet proposes', async () => {
  const [source] = await sourcesOf();
  // Nobody's address makes a root that was never there before.
  const owner = `0x${Buffer.from(mark).toString('hex').padStart(40, '1')}`;
  const address = source?.source_address ?? '';
  await newVersion([...rowsFor(address), { hook: 'Redeem ERC-4626', source: address, owner }]);
  await page.getByText('No tree yet', { exact: true }).waitFor();
  await look(page, 'merkle-to-generate');
  // The work is over sooner than a person looks, so the page itself notes what it shows.
  await page.evaluate(`window.shown = []; new MutationObserver(() => {
    const bar = document.querySelector('progress');
    if (bar !== null) window.shown.push(bar.previousElementSibling.textContent);
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
  await button('Generate the tree').click();
  await page.getByText(/^(Not proposed|Another root proposed)$/).waitFor();
  await page.locator('progress').waitFor({ state: 'detached' });
  expect(await page.evaluate('window.shown')).toContainEqual(expect.stringMatching(/^Generating the tree: /));
  await look(page, 'merkle-to-propose');
  await button('Propose the root').click();
  await dialog().getByText('Decoded in this browser').waitFor();
  await signAndSend(page);
  await page.getByText(/^May be executed from/).waitFor({ timeout: 30_000 });
  await look(page, 'merkle-timelock');
}, 300_000);

test('behavior: merkle: with the leaves of all its sources the vault is in sync, and each leaf is found', async () => {
  await newVersion((await sourcesOf()).flatMap(({ source_address }) => rowsFor(source_address)));
  await button('Generate the tree').click();
  await page.getByText(/^Another root is proposed/).waitFor({ timeout: patience });
  await button('Propose the root').click();
  await signAndSend(page);
  await page.getByText('In sync', { exact: true }).waitFor({ timeout: patience });
  await look(page, 'merkle-in-sync');
  await page.getByRole('tab', { name: 'Merkle trees' }).click();
  const tree = page.getByRole('row', { name: /In force/ }).first();
  await tree.getByRole('button', { name: /^Show leaves/ }).click();
  const leaves = page.getByRole('table', { name: 'Leaves' });
  await leaves.getByText('Redeem ERC-4626').first().waitFor();
  await leaves
    .getByText(/^\d+ hash/)
    .first()
    .click();
  const leaf =
    (await leaves
      .getByTitle(/^0x[0-9a-f]{64}$/)
      .first()
      .getAttribute('title')) ?? '';
  await page.getByRole('textbox', { name: 'Leaf hash' }).fill(leaf);
  await button('Ask the chain').click();
  await page.getByText('The chain takes it', { exact: true }).waitFor();
  await look(page, 'merkle-trees');
}, 300_000);

test('behavior: strategies: written with the mouse, with what is wrong marked where it stands', async () => {
  await page.goto(roomOf('strategies'));
  await page.getByRole('region', { name: 'Inflow lane' }).waitFor();
  await look(page, 'strategies-empty');
  await page.getByRole('link', { name: 'New strategy' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(strategyName);
  const condition = page.getByRole('textbox', { name: 'Node 1, condition' });
  await condition.fill('vault_free_asets > 1000');
  await page.getByText(/^Line 1, column 1: /).waitFor();
  await look(page, 'editor-fault');
  await button('Use vault_free_assets').click();
  await page.getByText(/^Line 1, column/).waitFor({ state: 'detached' });
  await button('Group').click();
  await page.getByLabel('Node 2 is').selectOption('OR');
  await page.getByRole('textbox', { name: 'Node 2.1, condition' }).click();
  await button(/^Insert vault_tvl/).click();
  await page.getByRole('textbox', { name: 'Node 2.1, condition' }).pressSequentially(' > 0');
  await page.getByLabel('Yield source').selectOption({ label: sourceName });
  await page.getByLabel('Hook', { exact: true }).selectOption({ index: 1 });
  await page.getByRole('textbox', { name: 'Size' }).fill('floor(vault_free_assets / 4)');
  await page.getByRole('textbox', { name: 'Cooldown (seconds)' }).fill('3600');
  await page.getByText('Would fire now').waitFor();
  await page.getByText(/^Size: /).waitFor();
  await page.getByText('Checked by the server.').waitFor();
  await look(page, 'editor');
  await button('Save the strategy').click();
  await page.getByRole('link', { name: strategyName }).waitFor();
}, 300_000);

test('behavior: strategies: by keyboard alone one is written, put first in its lane, and the canvas moved', async () => {
  await page.goto(roomOf('strategies'));
  await page.getByRole('link', { name: strategyName }).waitFor();
  const press = (...keys: string[]) =>
    keys.reduce((last, key) => last.then(() => page.keyboard.press(key)), Promise.resolve());
  const write = async (field: RegExp, text: string) => {
    await tabTo(page, field);
    await page.keyboard.type(text);
  };
  await tabTo(page, /^New strategy$/);
  await press('Enter');
  await page.getByRole('heading', { name: 'New strategy' }).waitFor();
  await tabTo(page, /^Skip the variables$/);
  await press('Enter');
  await page.keyboard.type(secondName);
  await write(/^Node 1, condition$/, 'vault_free_assets > 1e40');
  await tabTo(page, /^Yield source/);
  await page.keyboard.type(sourceName);
  await tabTo(page, /^Hook/);
  await press('ArrowDown');
  await write(/^Size$/, 'vault_free_assets');
  await tabTo(page, /^Save the strategy$/);
  await press('Enter');
  const lane = page.getByRole('region', { name: 'Inflow lane' });
  await lane.getByRole('link', { name: secondName }).waitFor();
  const names = () => lane.getByRole('link').allInnerTexts();
  expect((await names()).slice(-2)).toEqual([strategyName, secondName]);
  // A lane is one stop; within it arrows, Home and End go from strategy to strategy.
  await tabTo(page, /^Canvas of strategies/);
  await press('Tab', 'End');
  await tabTo(page, new RegExp(`^Move ${secondName} up$`));
  await press('Enter');
  await lane.getByRole('row').nth(-1).getByRole('link', { name: strategyName }).waitFor();
  const plane = page.locator('section[aria-label^="Canvas of strategies"] > div');
  const before = await plane.getAttribute('style');
  await page.goto(roomOf('strategies'));
  await lane.getByRole('link', { name: secondName }).waitFor();
  await tabTo(page, /^Canvas of strategies/);
  await press('ArrowRight', '+');
  expect(await plane.getAttribute('style')).not.toBe(before);
  await press('0');
  await look(page, 'strategies-canvas');
}, 300_000);

/** Waits for a reading on which the strategy fires: until then the right answer of a simulation of the past is 0. */
async function firingObserved(name: string): Promise<void> {
  const { client } = await signIn(1);
  const vault_id = `${growth.chain_id}:${growth.vault_address}`;
  const { strategies } = await client.listStrategies({ query: { vault_id } });
  const { id } = strategies.find((strategy) => strategy.name === name) ?? {};
  if (id === undefined) throw new Error(`There is no strategy ${name}.`);
  await until(
    'the indexer observed the vault with idle assets',
    async () => {
      const params = { chain_id: `${growth.chain_id}`, vault_address: growth.vault_address };
      const now = Date.parse((await client.vault({ params })).chain_time);
      const [from, to] = [now - 86_400_000, now].map((ms) => new Date(ms).toISOString()) as [string, string];
      const { firings } = await client.backtest({
        body: { vault_id, strategy_ids: [id], drafts: [], from, to, slippage_bps: 0 },
      });
      return firings.length > 0;
    },
    60_000,
  );
}

test('behavior: simulation: says how often it would have fired, and with what', async () => {
  await firingObserved(strategyName);
  await page.goto(roomOf('simulation'));
  await page.getByRole('checkbox', { name: new RegExp(strategyName) }).check();
  await look(page, 'simulation');
  await button('Run the simulation').click();
  const row = page
    .getByRole('table', { name: 'Results by strategy' })
    .getByRole('row', { name: new RegExp(strategyName) });
  await row.waitFor({ timeout: 60_000 });
  expect(Number(await row.getByRole('cell').first().innerText())).toBeGreaterThan(0);
  await page
    .getByRole('table', { name: 'Firings' })
    .getByText(/ WETH$/)
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'Keep it as' }).fill(`Story ${mark}`);
  await button('Keep this run').click();
  await button(`Open Story ${mark}`).waitFor();
  await look(page, 'simulation-result');
}, 300_000);

/** What the vault's page says that the source holds, exactly. */
async function heldThere(on: Page): Promise<bigint> {
  await on.goto(`${vaultUrl()}#allocation`);
  const cell = on
    .getByRole('table', { name: 'Allocation by source' })
    .getByRole('row', { name: new RegExp(sourceName) })
    .locator('[title$=" WETH"]');
  await cell.waitFor({ timeout: patience });
  const [whole = '', part = ''] = ((await cell.getAttribute('title')) ?? '').replace(/[ ,]|WETH/g, '').split('.');
  return BigInt(whole + part.padEnd(18, '0'));
}

test('behavior: a strategy that is started moves idle assets into its source, as the history and the vault show', async () => {
  const before = await heldThere(page);
  await page.goto(roomOf('strategies'));
  await button(`Start ${strategyName}`).click();
  await dialog().getByText('Start the strategy').waitFor();
  await look(page, 'strategies-start', true);
  await dialog().getByRole('button', { name: 'Start', exact: true }).click();
  await button(`Stop ${strategyName}`).waitFor();
  await look(page, 'strategies-running');
  await page.goto(roomOf('intents'));
  const row = page.getByRole('row', { name: new RegExp(strategyName) }).first();
  await row.getByText('Completed').waitFor({ timeout: patience });
  await look(page, 'intents');
  await row.getByRole('link', { name: strategyName }).click();
  const fill = page.getByRole('table', { name: 'Fills' }).getByRole('row').nth(1);
  await fill
    .getByText(/ WETH$/)
    .first()
    .waitFor();
  expect(await fill.innerText()).toMatch(/\b\d{2,3},\d{3}\b/);
  await page.getByRole('list', { name: 'Events' }).getByText('Completed').waitFor();
  await look(page, 'intent');
  const after = await heldThere(page);
  expect(after).toBeGreaterThan(before);
}, 300_000);

test('behavior: a visitor reads what executes by itself, and neither its rule nor a button', async () => {
  const visitor = await openPage(browser, { ...desk, colorScheme: 'light' }, faults);
  visitor.page.setDefaultTimeout(patience);
  await visitor.page.goto(`${vaultUrl()}#strategies`);
  const section = visitor.page.getByRole('region', { name: 'Strategies', exact: true });
  await section.getByText(strategyName).waitFor();
  await section.getByText('Running').waitFor();
  await section.getByText(/who knew them could trade ahead/).waitFor();
  expect(await section.getByRole('button', { name: /^(Start|Stop|Move) / }).count()).toBe(0);
  expect(await section.getByRole('link').count()).toBe(0);
  expect(await section.innerText()).not.toContain('vault_free_assets');
  await look(visitor.page, 'public', true);
  await visitor.context.close();
}, 300_000);

test('behavior: an emergency exit drains its source and locks its strategies, until it is stopped', async () => {
  await page.goto(roomOf('pause?tab=exit'));
  await button(`Arm the exit from ${sourceName}`).click();
  const suffix = await dialog().locator('strong').innerText();
  await dialog().getByRole('textbox', { name: 'Reason' }).fill(`Drill ${mark}`);
  await look(page, 'exit-dialog', true);
  await dialog()
    .getByRole('textbox', { name: /^Type the last 6 characters/ })
    .fill(suffix);
  await dialog().getByRole('button', { name: 'Arm the exit' }).click();
  await page.getByText(new RegExp(`^Locked since .* Drill ${mark}$`)).waitFor({ timeout: 30_000 });
  await look(page, 'exit-armed');
  await page.goto(roomOf('strategies'));
  const lane = page.getByRole('region', { name: 'Inflow lane' });
  await lane
    .getByRole('row', { name: new RegExp(strategyName) })
    .getByText('Locked')
    .waitFor();
  await look(page, 'strategies-locked');
  const deadline = Date.now() + patience;
  while ((await heldThere(page)) > 0n && Date.now() < deadline);
  expect(await heldThere(page)).toBe(0n);
  await page.goto(roomOf('pause?tab=exit'));
  await button(`Stop the exit from ${sourceName}`).click();
  await dialog().getByRole('button', { name: 'Stop the exit' }).click();
  await button(`Arm the exit from ${sourceName}`).waitFor({ timeout: 30_000 });
}, 300_000);

/** How many active alerts the badge in the bar, the page's figure and the page's list tell of. */
async function activeAlerts(): Promise<number[]> {
  const badge = /(\d+)\s*active alert/.exec(await page.getByRole('link', { name: /^Alerts/ }).innerText());
  const figure = page
    .getByRole('term')
    .filter({ hasText: /^Active$/ })
    .locator('xpath=following-sibling::dd[1]');
  const listed = page.getByRole('list', { name: 'Alerts', exact: true }).getByRole('listitem');
  return [Number(badge?.[1] ?? 0), Number(await figure.innerText()), await listed.count()];
}

/** The rule's row, unfolded. */
async function staleRule(): Promise<Locator> {
  const rule = page
    .getByRole('list', { name: 'Rules' })
    .getByRole('listitem')
    .filter({ hasText: /^Price stale(?!,)/ });
  await rule.waitFor();
  if (!(await rule.getByRole('textbox').first().isVisible()))
    await rule.getByText('Price stale', { exact: true }).click();
  return rule;
}

/** Sets from which share of its remaining time a price counts as stale, and saves it. */
async function setStale(percent: string): Promise<void> {
  const rule = await staleRule();
  await rule.getByRole('textbox', { name: 'Time left until expiry (%)' }).fill(percent);
  await rule.getByRole('button', { name: 'Save' }).click();
  await rule.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
}

test('behavior: alerts: a rule is tried and changed, and the badge counts what the page counts', async () => {
  await page.goto(`${baseUrl()}/operate/alerts`);
  await page.getByLabel('Vault', { exact: true }).selectOption({ label: 'WETH Growth' });
  await staleRule();
  await button('Try on 90 days: Price stale', true).click();
  await page.getByText(/^It would (not )?have fired/).waitFor();
  await look(page, 'alerts-rule');
  // No price is younger than none: each counts as stale.
  await setStale('100');
  const acknowledge = button('Acknowledge Price stale', true);
  await acknowledge.waitFor();
  const before = await activeAlerts();
  expect(new Set(before).size).toBe(1);
  await look(page, 'alerts');
  await acknowledge.click();
  await until('one alert less', async () => (await activeAlerts()).every((count) => count === Number(before[0]) - 1));
  await page.getByLabel('Status').selectOption('acknowledged');
  await page.getByRole('link', { name: 'WETH Growth: Price stale' }).waitFor();
  await look(page, 'alerts-acknowledged');
  await setStale('50');
}, 300_000);

test('behavior: alerts: a webhook with a wrong address is refused, and one that nobody answers is told of', async () => {
  await page.goto(`${baseUrl()}/operate/alerts`);
  await page.getByLabel('Kind').selectOption('webhook');
  await page.getByRole('textbox', { name: 'Name of the channel' }).fill(`Story ${mark}`);
  await page.getByRole('textbox', { name: 'URL' }).fill('ftp://127.0.0.1');
  await button('Make channel').click();
  await page.getByText('The channel was not made').waitFor();
  await look(page, 'alerts-channel');
  // Nobody listens at the discard port.
  await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/hook');
  await button('Make channel').click();
  await button(`Send a test to Story ${mark}`).click();
  await page.getByText(/^The test did not arrive: /).waitFor();
  await look(page, 'alerts-undelivered');
  await button(`Delete Story ${mark}`).click();
  await dialog().getByRole('button', { name: 'Delete the channel' }).click();
  await dialog().waitFor({ state: 'detached' });
  await button(`Delete Story ${mark}`).waitFor({ state: 'detached' });
}, 300_000);

test('behavior: strategies that are archived leave their lane and stay for reading', async () => {
  for (const name of [strategyName, secondName]) {
    await page.goto(roomOf('strategies'));
    await page.getByRole('link', { name }).click();
    await button('Archive').click();
    await dialog().getByRole('button', { name: 'Archive' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('link', { name }).waitFor({ state: 'detached' });
  }
  await page.getByText(/^Archived · \d+$/).click();
  const archived = page.getByRole('table', { name: 'Archived strategies' });
  for (const name of [strategyName, secondName]) await archived.getByText(name).waitFor();
  await look(page, 'strategies-archived');
}, 300_000);

test('behavior: with many alerts the bar still fits on a phone', async () => {
  const ofAlerts = /\/api\/v1\/alerts\?/;
  await page.route(ofAlerts, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { counts: { by_status: { active: number } } };
    answer.counts.by_status.active = 1_234;
    await route.fulfill({ response, json: answer });
  });
  await page.goto(roomOf('strategies'));
  await page.getByRole('banner').getByText('99+').waitFor();
  await look(page, 'many-alerts', true);
  await page.unroute(ofAlerts);
}, 60_000);

test('behavior: no page scrolled sideways, and the console stayed free of errors', () => {
  expect(sideways).toEqual([]);
  expect(faults).toEqual([]);
});
