import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterEach, beforeAll, beforeEach, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { StoredSession } from '../../../tools/web-pages.ts';
import { baseUrl, signIn, until, webhookOrigin } from '../../system/actors.ts';
import { browserForTests } from '../../system/browser.ts';
import { expect } from '../../system/expect.ts';
import { keeperMs, scenarioMs } from '../../system/patience.ts';
import { look } from '../../system/screen-checks.ts';
import { sessionOf } from '../../system/session.ts';

/** Alerts of a vault in Chromium: a rule changed, its alert acknowledged, a channel made, tried and deleted. */

const browser = browserForTests();
let growth: PublicVault;
let session: StoredSession;
let page: Page;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  growth = vaults.find(({ name }) => name === 'WETH Growth') as PublicVault;
  session = await sessionOf(1);
});

const STALE = 'pps_staleness_warning';

/** Puts the rule back to what it is made with: half of the time until a price expires. */
async function resetStale(): Promise<void> {
  const { client } = await signIn(1);
  const { chain_id, vault_address } = growth;
  const { rules } = await client.alertRules({ query: { chain_id: `${chain_id}`, vault_address } });
  const rule = rules.find(({ rule_id }) => rule_id === STALE);
  await client.setAlertRule({
    params: { rule_id: STALE },
    body: { chain_id, vault_address, version: rule?.version ?? 0, thresholds: { remaining_share: 0.5 } },
  });
}

/** An alert that is already open, acknowledged or not, is not opened once more. */
async function noneIsStale(): Promise<void> {
  const { client } = await signIn(1);
  const { chain_id, vault_address } = growth;
  const query = { chain_id: `${chain_id}`, vault_address, rule_id: STALE, status: 'open' } as const;
  const isResolved = async () => (await client.listAlerts({ query })).alerts.length === 0;
  await until('earlier alerts of this rule are resolved', isResolved, keeperMs);
}

beforeEach(async () => {
  await resetStale();
  await noneIsStale();
  page = await browser.open({ session });
});
afterEach(resetStale);

const button = (name: string | RegExp, exact = false) => page.getByRole('button', { name, exact });
const dialog = () => page.getByRole('dialog').last();

/** How many active alerts the badge in the bar, the page's figure and the page's list show. */
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
  await expect(rule.getByRole('button', { name: 'Save' })).toBeGone();
}

test(
  'behavior: alerts: a rule is tried and changed, and the badge counts what the page counts',
  async () => {
    await page.goto(`${baseUrl()}/operate/alerts`);
    await page.getByLabel('Vault', { exact: true }).selectOption({ label: 'WETH Growth' });
    await staleRule();
    await button('Try on 90 days: Price stale', true).click();
    await expect(page.getByText(/^It would (not )?have fired/)).toBeVisible();
    await look(page, 'alerts-rule');
    // No price is younger than none: each counts as stale.
    await setStale('100');
    const acknowledge = button('Acknowledge Price stale', true);
    await expect(acknowledge).toBeVisible({ withinMs: keeperMs });
    const before = await until('badge, figure and list agree', async () => {
      const counts = await activeAlerts();
      return new Set(counts).size === 1 && counts;
    });
    await look(page, 'alerts');
    await acknowledge.click();
    await until('one alert less', async () => (await activeAlerts()).every((count) => count === Number(before[0]) - 1));
    await page.getByLabel('Status').selectOption('acknowledged');
    await expect(page.getByRole('link', { name: 'WETH Growth: Price stale' })).toBeVisible();
    await look(page, 'alerts-acknowledged');
  },
  scenarioMs,
);

test(
  'behavior: alerts: a webhook with a wrong address is refused, and the failed delivery of one without a receiver is shown',
  async () => {
    const mark = Date.now().toString(36);
    await page.goto(`${baseUrl()}/operate/alerts`);
    await page.getByLabel('Kind').selectOption('webhook');
    await page.getByRole('textbox', { name: 'Name of the channel' }).fill(`E2E ${mark}`);
    await page.getByRole('textbox', { name: 'URL' }).fill('ftp://127.0.0.1');
    await button('Make channel').click();
    await expect(page.getByText('The channel was not made')).toBeVisible();
    await look(page, 'alerts-channel');
    // Nobody listens there in this run.
    await page.getByRole('textbox', { name: 'URL' }).fill(`${webhookOrigin()}/hook`);
    await button('Make channel').click();
    await button(`Send a test to E2E ${mark}`).click();
    await expect(page.getByText(/^The test did not arrive: /)).toBeVisible();
    await look(page, 'alerts-undelivered');
    await button(`Delete E2E ${mark}`).click();
    await dialog().getByRole('button', { name: 'Delete the channel' }).click();
    await expect(dialog()).toBeGone();
    await expect(button(`Delete E2E ${mark}`)).toBeGone();
  },
  scenarioMs,
);
