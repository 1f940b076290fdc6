import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterEach, beforeAll, beforeEach, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { StoredSession } from '../../../tools/web-pages.ts';
import { baseUrl, until } from '../../system/actors.ts';
import { browserForTests, tabTo } from '../../system/browser.ts';
import { signAndSend } from '../../system/demo-wallet.ts';
import { expect } from '../../system/expect.ts';
import { keeperMs, minedMs, scenarioMs } from '../../system/patience.ts';
import { look } from '../../system/screen-checks.ts';
import { sessionOf } from '../../system/session.ts';
import { step } from '../../system/step.ts';
import { strategyScene } from '../../system/strategy-scene.ts';

/** What executes by itself, in Chromium with the demo wallet: its tree, a strategy from the first word to its fill, an exit. */

const sourceName = 'Pendle PT stETH';
const browser = browserForTests();
let growth: PublicVault;
let session: StoredSession;
let scene: Awaited<ReturnType<typeof strategyScene>>;
let page: Page;
/** Separates this test's strategies and versions from those of other runs on the same system. */
let mark: string;
let tests = 0;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  growth = vaults.find(({ name }) => name === 'WETH Growth') as PublicVault;
  [session, scene] = [await sessionOf(1), await strategyScene(growth)];
}, scenarioMs);

beforeEach(async () => {
  tests += 1;
  mark = `${Date.now().toString(36)}${tests}`;
  page = await browser.open({ session });
});

afterEach(() => scene.archive((name) => name.endsWith(mark)));

const operate = (path: string) => `${baseUrl()}/operate/devnet/${growth.vault_address}/${path}`;
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
  await form.getByRole('textbox', { name: 'Note' }).fill(`E2E ${mark}`);
  await look(page, 'merkle-form');
  await form.getByRole('button', { name: 'Make the version' }).click();
  await expect(form).toBeGone();
  await page
    .getByRole('row', { name: new RegExp(`E2E ${mark}`) })
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

test(
  'behavior: merkle: a new configuration becomes a tree that is proposed; with the leaves of all sources the vault is in sync',
  async () => {
    await page.goto(operate('merkle'));
    await step('generate the tree of a new configuration and propose its root', async () => {
      const [source] = await sourcesOf();
      // Nobody's address makes a root that was never there before.
      const owner = `0x${Buffer.from(mark).toString('hex').padStart(40, '1')}`;
      const address = source?.source_address ?? '';
      await newVersion([...rowsFor(address), { hook: 'Redeem ERC-4626', source: address, owner }]);
      await expect(page.getByText('No tree yet', { exact: true })).toBeVisible();
      await look(page, 'merkle-to-generate');
      await button('Generate the tree').click();
      await expect(page.getByText(/^(Not proposed|Another root proposed)$/)).toBeVisible();
      await expect(page.locator('progress')).toBeGone();
      await look(page, 'merkle-to-propose');
      await button('Propose the root').click();
      await expect(dialog().getByText('Decoded in this browser')).toBeVisible();
      await signAndSend(page);
      await expect(page.getByText(/^May be executed from/)).toBeVisible({ withinMs: minedMs });
      await look(page, 'merkle-timelock');
    });
    await step('go back to the leaves of all sources and find one of them', async () => {
      await newVersion((await sourcesOf()).flatMap(({ source_address }) => rowsFor(source_address)));
      await button('Generate the tree').click();
      await expect(page.getByText(/^Another root is proposed/)).toBeVisible({ withinMs: keeperMs });
      await button('Propose the root').click();
      await signAndSend(page);
      await expect(page.getByText('In sync', { exact: true })).toBeVisible({ withinMs: keeperMs });
      await look(page, 'merkle-in-sync');
      await page.getByRole('tab', { name: 'Merkle trees' }).click();
      const tree = page.getByRole('row', { name: /In force/ }).first();
      await tree.getByRole('button', { name: /^Show leaves/ }).click();
      const leaves = page.getByRole('table', { name: 'Leaves' });
      await expect(leaves.getByText('Redeem ERC-4626').first()).toBeVisible();
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
      await expect(page.getByText('The chain takes it', { exact: true })).toBeVisible();
      await look(page, 'merkle-trees');
    });
  },
  scenarioMs,
);

test(
  'behavior: strategies: written with the mouse, with what is wrong marked where it stands',
  async () => {
    const strategyName = `Put idle to work ${mark}`;
    await page.goto(operate('strategies'));
    await expect(page.getByRole('region', { name: 'Inflow lane' })).toBeVisible();
    await look(page, 'strategies-empty');
    await page.getByRole('link', { name: 'New strategy' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(strategyName);
    const condition = page.getByRole('textbox', { name: 'Node 1, condition' });
    await condition.fill('vault_free_asets > 0.01 WETH');
    await expect(page.getByText(/^Line 1, column 1: /)).toBeVisible();
    await look(page, 'editor-fault');
    await button('Use vault_free_assets').click();
    await expect(page.getByText(/^Line 1, column/)).toBeGone();
    await button('Group').click();
    await page.getByLabel('Node 2 is').selectOption('OR');
    await page.getByRole('textbox', { name: 'Node 2.1, condition' }).click();
    await button(/^Insert vault_tvl/).click();
    await page.getByRole('textbox', { name: 'Node 2.1, condition' }).pressSequentially(' > 0');
    await page.getByLabel('Yield source').selectOption({ label: sourceName });
    await page.getByLabel('Hook', { exact: true }).selectOption({ index: 1 });
    await page.getByRole('textbox', { name: 'Size' }).fill('floor(vault_free_assets / 4)');
    await page.getByRole('textbox', { name: 'Cooldown' }).fill('1 h');
    await expect(page.getByText('Would fire now')).toBeVisible();
    await expect(page.getByText(/^Size: /)).toBeVisible();
    await expect(page.getByText('Checked by the server.')).toBeVisible();
    await look(page, 'editor');
    await button('Save the strategy').click();
    await expect(page.getByRole('link', { name: strategyName })).toBeVisible();
  },
  scenarioMs,
);

test(
  'behavior: strategies: by keyboard alone one is written, put first in its lane, and the canvas moved',
  async () => {
    const strategyName = `Put idle to work ${mark}`;
    const secondName = `By keyboard ${mark}`;
    await scene.deposits(strategyName, sourceName);
    await page.goto(operate('strategies'));
    await expect(page.getByRole('link', { name: strategyName })).toBeVisible();
    const press = (...keys: string[]) =>
      keys.reduce((last, key) => last.then(() => page.keyboard.press(key)), Promise.resolve());
    const write = async (field: RegExp, text: string) => {
      await tabTo(page, field);
      await page.keyboard.type(text);
    };
    await tabTo(page, /^New strategy$/);
    await press('Enter');
    await expect(page.getByRole('heading', { name: 'New strategy' })).toBeVisible();
    await tabTo(page, /^Skip the variables$/);
    await press('Enter');
    await page.keyboard.type(secondName);
    await write(/^Node 1, condition$/, 'vault_free_assets > 1e22 WETH');
    await tabTo(page, /^Yield source/);
    await page.keyboard.type(sourceName);
    await tabTo(page, /^Hook/);
    await press('ArrowDown');
    await write(/^Size$/, 'vault_free_assets');
    await tabTo(page, /^Save the strategy$/);
    await press('Enter');
    const lane = page.getByRole('region', { name: 'Inflow lane' });
    await expect(lane.getByRole('link', { name: secondName })).toBeVisible();
    const names = () => lane.getByRole('link').allInnerTexts();
    expect((await names()).slice(-2)).toEqual([strategyName, secondName]);
    // A lane is one stop; within it arrows, Home and End go from strategy to strategy.
    await tabTo(page, /^Canvas of strategies/);
    await press('Tab', 'End');
    await tabTo(page, new RegExp(`^Move ${secondName} up$`));
    await press('Enter');
    await expect(lane.getByRole('row').nth(-1).getByRole('link', { name: strategyName })).toBeVisible();
    const plane = page.locator('section[aria-label^="Canvas of strategies"] > div');
    const before = await plane.getAttribute('style');
    await page.goto(operate('strategies'));
    await expect(lane.getByRole('link', { name: secondName })).toBeVisible();
    await tabTo(page, /^Canvas of strategies/);
    await press('ArrowRight', '+');
    await until('the canvas to move', async () => (await plane.getAttribute('style')) !== before);
    await press('0');
    await look(page, 'strategies-canvas');
  },
  scenarioMs,
);

test(
  'behavior: simulation: says how often it would have fired, and with what',
  async () => {
    const strategyName = `Put idle to work ${mark}`;
    await scene.firingObserved(await scene.deposits(strategyName, sourceName));
    await page.goto(operate('simulation'));
    await page.getByRole('checkbox', { name: new RegExp(strategyName) }).check();
    await look(page, 'simulation');
    await button('Run the simulation').click();
    const row = page
      .getByRole('table', { name: 'Results by strategy' })
      .getByRole('row', { name: new RegExp(strategyName) });
    await expect(row).toBeVisible({ withinMs: keeperMs });
    expect(Number(await row.getByRole('cell').first().innerText())).toBeGreaterThan(0);
    await expect(
      page
        .getByRole('table', { name: 'Firings' })
        .getByText(/ WETH$/)
        .first(),
    ).toBeVisible();
    await page.getByRole('textbox', { name: 'Keep it as' }).fill(`E2E ${mark}`);
    await button('Keep this run').click();
    await expect(button(`Open E2E ${mark}`)).toBeVisible();
    await look(page, 'simulation-result');
  },
  scenarioMs,
);

/** What the vault's page says that the source holds, exactly. */
async function heldThere(on: Page): Promise<bigint> {
  await on.goto(`${vaultUrl()}/allocation`);
  const cell = on
    .getByRole('table', { name: 'Allocation by source' })
    .getByRole('row', { name: new RegExp(sourceName) })
    .locator('[title$=" WETH"]');
  await expect(cell).toBeVisible({ withinMs: keeperMs });
  const [whole = '', part = ''] = ((await cell.getAttribute('title')) ?? '').replace(/[ ,]|WETH/g, '').split('.');
  return BigInt(whole + part.padEnd(18, '0'));
}

test(
  'behavior: a strategy that is started moves idle assets into its source, visitors see so much of it, an exit drains the source, and archived it stays for reading',
  async () => {
    const strategyName = `Put idle to work ${mark}`;
    await scene.allowAllSources();
    await scene.deposits(strategyName, sourceName);
    await step('start it, and find its fill in the history and on the page of the vault', async () => {
      const before = await heldThere(page);
      await page.goto(operate('strategies'));
      await button(`Start ${strategyName}`).click();
      await expect(dialog().getByText('Start the strategy')).toBeVisible();
      await look(page, 'strategies-start', true);
      await dialog().getByRole('button', { name: 'Start', exact: true }).click();
      await expect(button(`Stop ${strategyName}`)).toBeVisible();
      await look(page, 'strategies-running');
      await page.goto(operate('intents'));
      const row = page.getByRole('row', { name: new RegExp(strategyName) }).first();
      await expect(row.getByText('Completed')).toBeVisible({ withinMs: keeperMs });
      await look(page, 'intents');
      await row.getByRole('link', { name: strategyName }).click();
      const fill = page.getByRole('table', { name: 'Fills' }).getByRole('row').nth(1);
      await expect(fill.getByText(/ WETH$/).first()).toBeVisible();
      expect(await fill.innerText()).toMatch(/\b\d{2,3},\d{3}\b/);
      await expect(page.getByRole('list', { name: 'Events' }).getByText('Completed')).toBeVisible();
      await look(page, 'intent');
      // The page shows what the indexer observed, which comes behind the end of the intent.
      await until('the source holds more', async () => (await heldThere(page)) > before, keeperMs);
    });
    await step('read it as a visitor: neither its rule nor a button', async () => {
      const visitor = await browser.open({ colorScheme: 'light' });
      await visitor.goto(`${vaultUrl()}/strategies`);
      const section = visitor.getByRole('region', { name: 'Strategies', exact: true });
      await expect(section.getByText(strategyName)).toBeVisible();
      await expect(section.getByText('Running')).toBeVisible();
      await expect(section.getByText(/others could trade ahead of them/)).toBeVisible();
      expect(await section.getByRole('button', { name: /^(Start|Stop|Move) / }).count()).toBe(0);
      expect(await section.getByRole('link').count()).toBe(0);
      expect(await section.innerText()).not.toContain('vault_free_assets');
      await look(visitor, 'public', true);
    });
    await step('drain its source with an emergency exit, which locks it until it is stopped', async () => {
      await page.goto(operate('pause?tab=exit'));
      await button(`Arm the exit from ${sourceName}`).click();
      const suffix = await dialog().locator('strong').innerText();
      await dialog().getByRole('textbox', { name: 'Reason' }).fill(`Drill ${mark}`);
      await look(page, 'exit-dialog', true);
      await dialog()
        .getByRole('textbox', { name: /^Type the last 6 characters/ })
        .fill(suffix);
      await dialog().getByRole('button', { name: 'Arm the exit' }).click();
      await expect(page.getByText(new RegExp(`^Locked since .* Drill ${mark}$`))).toBeVisible({ withinMs: minedMs });
      await look(page, 'exit-armed');
      await page.goto(operate('strategies'));
      const lane = page.getByRole('region', { name: 'Inflow lane' });
      await expect(lane.getByRole('row', { name: new RegExp(strategyName) }).getByText('Locked')).toBeVisible();
      await look(page, 'strategies-locked');
      await until('the source is empty', async () => (await heldThere(page)) === 0n, keeperMs);
      await page.goto(operate('pause?tab=exit'));
      await button(`Stop the exit from ${sourceName}`).click();
      await dialog().getByRole('button', { name: 'Stop the exit' }).click();
      await expect(button(`Arm the exit from ${sourceName}`)).toBeVisible({ withinMs: minedMs });
    });
    await step('archive it', async () => {
      await page.goto(operate('strategies'));
      await page.getByRole('link', { name: strategyName }).click();
      await button('Archive').click();
      await dialog().getByRole('button', { name: 'Archive' }).click();
      await expect(dialog()).toBeGone();
      await expect(page.getByRole('link', { name: strategyName })).toBeGone();
      await page.getByText(/^Archived · \d+$/).click();
      await expect(page.getByRole('table', { name: 'Archived strategies' }).getByText(strategyName)).toBeVisible();
      await look(page, 'strategies-archived');
    });
  },
  scenarioMs,
);

test('behavior: with many alerts the bar still fits on a phone', async () => {
  const ofAlerts = /\/api\/v1\/alerts\?/;
  await page.route(ofAlerts, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { counts: { by_status: { active: number } } };
    answer.counts.by_status.active = 1_234;
    await route.fulfill({ response, json: answer });
  });
  await page.goto(operate('strategies'));
  await expect(page.getByRole('banner').getByText('99+')).toBeVisible();
  await look(page, 'many-alerts', true);
  await page.unroute(ofAlerts);
});
