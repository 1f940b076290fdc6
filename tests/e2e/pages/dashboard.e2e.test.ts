import type { PublicVault } from '@castellan/contracts';
import { routes } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { beforeAll, describe, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scrollThrough } from '../../../tools/web-pages.ts';
import { account, baseUrl, until } from '../../system/actors.ts';
import { browserForTests, tabTo } from '../../system/browser.ts';
import { expect } from '../../system/expect.ts';
import { patientFetch } from '../../system/patient-fetch.ts';

/** The dashboard against the API it is made from, as a visitor and by keyboard alone. */

type Shown = { read: string; path: string; text: string };
type Json = Record<string, unknown>;

const browser = browserForTests();
let vaults: PublicVault[];

beforeAll(async () => {
  vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
});

const pathOf = (read: string, vault: PublicVault): string => {
  const route = Object.values(routes).find(({ id }) => id === read);
  if (!route) throw new Error(`The page names a read ${read} that the API does not have.`);
  return route.path.replace('{chain_id}', String(vault.chain_id)).replace('{vault_address}', vault.vault_address);
};

const at = (json: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Json | null | undefined)?.[key], json);

const scales: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** What a text says, and by how much the last digit of it may be off. */
function numberIn(text: string): { value: number; unit: number } | undefined {
  const match = /([+−-]?)\$?([\d,]+(?:\.(\d+))?)\s?([KMBT](?![a-z]))?(%|pp)?/.exec(text);
  if (!match?.[2]) return undefined;
  const scale = (scales[match[4] ?? ''] ?? 1) * (match[5] ? 0.01 : 1);
  const sign = match[1] === '−' || match[1] === '-' ? -1 : 1;
  return {
    value: sign * Number(match[2].replaceAll(',', '')) * scale,
    unit: 10 ** -(match[3]?.length ?? 0) * scale,
  };
}

/** In dollars, a figure is the one beside the amount: `deposits.usd` beside `deposits.assets`, `net_flow_usd` beside `net_flow`. */
function dollarsBeside(answer: Json | undefined, path: string): unknown {
  const beside = path.endsWith('.assets') ? path.replace(/assets$/, 'usd') : `${path}_usd`;
  return at(answer, beside);
}

const monthNames = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The minute that a text such as `22 Nov 2026, 07:46 UTC` names. */
function minuteIn(text: string): number | undefined {
  const match = /(\d+) (\w{3}) (\d{4}), (\d+):(\d+)/.exec(text);
  if (!match) return undefined;
  const [, day, month, year, hour, minute] = match;
  return Date.UTC(Number(year), monthNames.indexOf(month ?? ''), Number(day), Number(hour), Number(minute)) / 60_000;
}

const tenYears = 10 * 365 * 86_400;

/** Whether a text shows a value of the API: as it is, or in whole units of a token of so many decimals. */
function showsValue(text: string, value: unknown, decimals: readonly number[]): boolean {
  if (value === null || value === undefined) return text.startsWith('—');
  if (typeof value === 'string' && value.includes('T'))
    return minuteIn(text) === Math.floor(Date.parse(value) / 60_000);
  if (text === 'Over 10 years') return Number(value) > tenYears;
  const shown = numberIn(text);
  if (!shown) return false;
  const number = Number(value);
  const spans = [86_400, 3_600, 60, 1 / 10_000];
  const readings = [number, ...decimals.map((digits) => number / 10 ** digits), ...spans.map((by) => number / by)];
  // Amounts are cut and not rounded, so a whole unit of the last digit.
  return readings.some((reading) => Math.abs(reading - shown.value) <= shown.unit * 1.000_001);
}

/** Whether a text carries the unit that the receipt of its figure names; nothing is said of the units of counts and times. */
function hasUnit(text: string, unit: string | undefined, symbol: string): boolean {
  if (text.startsWith('—')) return true;
  if (unit === 'fraction') return text.includes('%') || text.includes('×') || /\d\spp/.test(text);
  if (unit === 'USD') return text.includes('$');
  if (unit === 'bps') return text.includes('bps');
  if (unit === 'asset base units') return text.includes('$') || text.includes(symbol);
  return true;
}

const unitOf = (answer: Json | undefined, path: string): string | undefined =>
  (answer?.receipts as Record<string, { unit: string }> | null | undefined)?.[path]?.unit;

const shownOn = (page: Page): Promise<Shown[]> =>
  page.evaluate(`[...document.querySelectorAll('[data-read]')].map((card) => ({
    read: card.dataset.read,
    path: card.dataset.path,
    text: (card.querySelector('dd') || card).textContent.trim(),
  }))`);

describe('figures on the page', () => {
  test.each(['USDC Core', 'WETH Growth', 'WBTC Reserve'])(
    'behavior: every figure of %s is the one the API gives for that moment',
    async (name) => {
      const vault = vaults.find((item) => item.name === name) as PublicVault;
      const overview = (await (await patientFetch(`${baseUrl()}${pathOf('analyticsOverview', vault)}`)).json()) as Json;
      const moment = String(overview.as_of);
      const page = await browser.open();
      await page.goto(
        `${baseUrl()}/managed-vaults/devnet/${vault.vault_address}/print?at=${encodeURIComponent(moment)}`,
      );
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
      await scrollThrough(page);
      const shown = await until('all figures of the page', async () => {
        const figures = await shownOn(page);
        return figures.length > 25 && figures;
      });
      const answers = new Map<string, Json>();
      const wrong: unknown[] = [];
      for (const { read, path, text } of shown) {
        if (!answers.has(read)) {
          const query = new URLSearchParams({ at: moment, receipt: 'true' });
          const response = await patientFetch(`${baseUrl()}${pathOf(read, vault)}?${query}`);
          answers.set(read, (await response.json()) as Json);
        }
        const found = at(answers.get(read), path);
        // A depth is shown as the fall that it is, and a loss as the return.
        const value = /^(max_drawdown|value_at_risk)/.test(path) && typeof found === 'number' ? -found : found;
        const shown = text.includes('$') && typeof value === 'string' ? dollarsBeside(answers.get(read), path) : value;
        // The upkeep token has 18 decimals.
        if (!showsValue(text, shown, [vault.underlying_asset_decimals, 18])) wrong.push({ read, path, text, value });
        const unit = unitOf(answers.get(read), path);
        if (!hasUnit(text, unit, vault.underlying_asset_symbol)) wrong.push({ read, path, text, unit });
      }
      expect(wrong).toEqual([]);
    },
  );
});

test('behavior: the receipt of a total value follows from the inputs beside it, to the last base unit', async () => {
  const vault = vaults.find(({ name }) => name === 'USDC Core') as PublicVault;
  const { as_of } = (await (await patientFetch(`${baseUrl()}${pathOf('analyticsOverview', vault)}`)).json()) as Json;
  const page = await browser.open();
  const moment = encodeURIComponent(String(as_of));
  await page.goto(`${baseUrl()}/managed-vaults/devnet/${vault.vault_address}?unit=token&at=${moment}`);
  await page.getByRole('button', { name: 'Receipt of Total value' }).first().click();
  const receipt = page.getByRole('dialog', { name: 'Receipt: Total value' });
  await expect(receipt.getByRole('heading', { name: 'Formula' })).toBeVisible();
  // In whole tokens above, with the raw value below.
  const below = await receipt.getByRole('region', { name: 'Receipt' }).locator('p').nth(1).innerText();
  const value = /exactly (\d+)$/.exec(below)?.[1];
  const inputs = await receipt.getByRole('listitem').allInnerTexts();
  const input = (name: string) =>
    BigInt(inputs.map((text) => new RegExp(`^${name}\\s+(\\d+) `).exec(text)?.[1]).find(Boolean) ?? 0);
  const total = (input('supply') * input('pps')) / input('precision');
  expect({ 'Receipt: Total value': value }).toEqual({ 'Receipt: Total value': `${total}` });
});

test('behavior: sign-in, a manager prepared and a period changed, by keyboard alone', async () => {
  const vault = vaults.find(({ name }) => name === 'USDC Core') as PublicVault;
  const page = await browser.open();
  await page.goto(`${baseUrl()}/operate/devnet/${vault.vault_address}/users`);
  await expect(page.getByRole('banner')).toBeVisible();
  await tabTo(page, /^Sign in/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await tabTo(page, /^Primary manager/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Sign message' })).toBeVisible();
  await tabTo(page, /^Sign message/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Account 0x/ })).toBeVisible();
  await expect(page.getByRole('textbox', { name: "New manager's address" })).toBeVisible();
  await tabTo(page, /^New manager's address/);
  await page.keyboard.type(account(54).address);
  await tabTo(page, /^Add manager/);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add a secondary manager' });
  await expect(dialog.getByRole('button', { name: 'Sign and send' })).toBeVisible();
  await tabTo(page, /^(Cancel|Close)/);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeGone();
  await page.goto(`${baseUrl()}/managed-vaults/devnet/${vault.vault_address}`);
  await expect(page.getByRole('heading', { level: 1, name: 'USDC Core' })).toBeVisible();
  await expect(page.getByRole('button', { name: '90d' })).toBeVisible();
  await tabTo(page, /^90d/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/period=90d/);
});
