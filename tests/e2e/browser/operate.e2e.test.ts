import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { beforeAll, beforeEach, describe, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type StoredSession, scrollThrough } from '../../../tools/web-pages.ts';
import { baseUrl, stateDir } from '../../system/actors.ts';
import { browserForTests } from '../../system/browser.ts';
import { signAndSend } from '../../system/demo-wallet.ts';
import { expect } from '../../system/expect.ts';
import { keeperMs, minedMs, scenarioMs } from '../../system/patience.ts';
import { expectToFit, look, picture } from '../../system/screen-checks.ts';
import { sessionOf } from '../../system/session.ts';
import { step } from '../../system/step.ts';

/** Every page of Operate in Chromium with the demo wallet: changed, signed, mined, shown, audited. */

const browser = browserForTests();
let growth: PublicVault;
let reserve: PublicVault;
let session: StoredSession;
let page: Page;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  const named = (wanted: string) => vaults.find(({ name }) => name === wanted) as PublicVault;
  [growth, reserve] = [named('WETH Growth'), named('WBTC Reserve')];
  session = await sessionOf(1);
});

const operate = ({ vault_address }: PublicVault, path: string) =>
  `${baseUrl()}/operate/devnet/${vault_address}/${path}`;
const button = (name: string | RegExp) => page.getByRole('button', { name });
const dialog = () => page.getByRole('dialog');

/** A percentage that neither the system has from its start nor an earlier run has set: 11.01 to 19.99, never a round one. */
const freshPercent = () => (11 + (1 + 2 * (Date.now() % 450)) / 100).toFixed(2);

/** A source of the vault's asset that no vault has. */
function candidateOf({ underlying_asset_address }: PublicVault): { source: string; name: string } {
  const file = JSON.parse(readFileSync(join(stateDir(), 'devnet/deployment.json'), 'utf8')) as {
    candidate_sources: { asset: string; source: string; name: string }[];
  };
  const found = file.candidate_sources.find(({ asset }) => asset === underlying_asset_address);
  if (!found) throw new Error(`The devnet has no candidate source of ${underlying_asset_address}.`);
  return found;
}

describe('at a desk', () => {
  beforeEach(async () => {
    page = await browser.open({ session });
  });

  test(
    'behavior: the table of own vaults shows what was read, its figures lead to their sections, the palette to a form',
    async () => {
      await page.goto(`${baseUrl()}/operate`);
      const table = page.getByRole('table', { name: 'Your vaults', exact: true });
      const row = table.getByRole('row').filter({ hasText: growth.name });
      await row.getByRole('link', { name: /(rest within 1 d|all at once|short)$/ }).click();
      await page.waitForURL(/[#/]risk$/);
      await page.getByRole('heading', { name: growth.name, exact: true }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page, vault, address, alert or action').fill('top up');
      await page.getByRole('menuitem', { name: `Top up the upkeep ${growth.name}`, exact: true }).click();
      await page.waitForURL(/\/settings#deposit-upkeep$/);
    },
    scenarioMs,
  );

  test(
    'behavior: settings: the deviation guard is changed and shown, listed among the calls as verified, and audited',
    async () => {
      const percent = freshPercent();
      await step('change it', async () => {
        await page.goto(operate(growth, 'settings'));
        await page.getByRole('textbox', { name: 'Largest jump, %' }).fill(percent);
        await button('Prepare change').click();
        await expect(dialog().getByText('Decoded in this browser')).toBeVisible();
        await picture(page, 'passport-dark');
        await signAndSend(page);
        await expect(page.getByText(`${percent}%`).first()).toBeVisible();
      });
      await step('review its call', async () => {
        await page.goto(operate(growth, 'calls'));
        const calls = page.getByRole('table', { name: /calls/i });
        await expect(calls.getByText('Verified').first()).toBeVisible();
        await calls.getByRole('link', { name: 'Set the deviation guard' }).first().click();
        await page.waitForURL(/\/operate\/review\//);
        await expect(page.getByRole('main').getByText('Verified').first()).toBeVisible();
        await picture(page, 'review-dark', true);
      });
      await step('find it on the timeline, and verify the audit log', async () => {
        await page.goto(operate(growth, 'audit'));
        const entry = page.getByText(/^Verified on chain: Set the deviation guard/).first();
        await expect(entry).toBeVisible({ withinMs: minedMs });
        await page.getByRole('tab', { name: 'Audit log' }).click();
        await button('Verify chain').click();
        await expect(page.getByText(/The log is whole/)).toBeVisible();
      });
    },
    scenarioMs,
  );

  test(
    'behavior: settings: upkeep is paid by an approval and a deposit in one go',
    async () => {
      await page.goto(operate(growth, 'settings?panel=upkeep'));
      await page.getByRole('textbox', { name: 'Amount, UP' }).fill('2.5');
      await button('Prepare deposit').click();
      await signAndSend(page, 2);
    },
    scenarioMs,
  );

  test(
    'behavior: settings: fees are proposed and wait for their week',
    async () => {
      const percent = freshPercent();
      await page.goto(operate(growth, 'settings'));
      await page.getByRole('textbox', { name: 'Performance fee, %' }).fill(percent);
      await button('Prepare proposal').first().click();
      await signAndSend(page);
      await expect(page.getByText(`${percent}%`).first()).toBeVisible();
    },
    scenarioMs,
  );

  test(
    'behavior: pause: with a reason and the end of the address, then released',
    async () => {
      await page.goto(operate(reserve, 'pause'));
      const suffix = reserve.vault_address.slice(-6);
      const confirm = (reason: string, name: string) =>
        step(name, async () => {
          await page.getByRole('textbox', { name: 'Reason' }).fill(reason);
          await page.getByRole('textbox', { name: /^Type the last 6 characters/ }).fill(suffix);
          await button(name).click();
          await signAndSend(page);
        });
      await confirm('Drill in the browser', 'Prepare pause');
      await expect(button('Prepare release')).toBeVisible();
      await picture(page, 'pause-dark', true);
      await confirm('The drill is over', 'Prepare release');
      await expect(button('Prepare pause')).toBeVisible();
    },
    scenarioMs,
  );

  test(
    'behavior: yield sources: one is added with its oracle, and taken off again',
    async () => {
      await page.goto(operate(growth, 'yield-sources'));
      const table = page.getByRole('table', { name: 'Yield sources' });
      const { oracles } = await createClient({ baseUrl: baseUrl() }).yieldSources({
        params: { chain_id: String(growth.chain_id), vault_address: growth.vault_address },
      });
      const candidate = candidateOf(growth);
      const row = table.getByText(candidate.name, { exact: true });
      await page.getByLabel('Source 1').fill(candidate.source);
      // With this answer the form fills an oracle in, which must not happen while one is typed.
      await expect(page.getByRole('status', { name: 'What the chain says of source 1' })).toHaveText(/holds/);
      await page.getByLabel('Oracle 1').fill(oracles[0]?.oracle_address ?? '');
      await button('Prepare to add').click();
      await signAndSend(page);
      await expect(row).toBeVisible();
      await picture(page, 'yield-sources-dark', true);
      await table.getByRole('button', { name: `Remove ${candidate.name}` }).click();
      await dialog()
        .getByRole('button', { name: /^Prepare/ })
        .click();
      await signAndSend(page);
      await expect(row).toBeGone();
    },
    scenarioMs,
  );

  test(
    'behavior: merkle: a configuration becomes a tree that is published, and whose root waits on the chain',
    async () => {
      await page.goto(operate(reserve, 'merkle'));
      const { yield_sources } = await createClient({ baseUrl: baseUrl() }).yieldSources({
        params: { chain_id: String(reserve.chain_id), vault_address: reserve.vault_address },
      });
      await step('make a version', async () => {
        await button('New version').click();
        const form = page.getByRole('form', { name: 'New hook configuration' });
        const removers = form.getByRole('button', { name: /^Remove row/ });
        while ((await removers.count()) > 0) await removers.first().click();
        for (const [row, hook] of [
          [1, 'Approve and deposit ERC-4626'],
          [2, 'Redeem ERC-4626'],
        ] as const) {
          await button('Another row').click();
          await page.getByLabel(`Hook ${row}`).selectOption({ label: hook });
          await page
            .getByRole('combobox', { name: `Yield source ${row}` })
            .fill(yield_sources[0]?.source_address ?? '');
        }
        // Nobody's address makes a root that was never there before.
        await page.getByRole('combobox', { name: 'Owner 2' }).fill(`0x${Date.now().toString(16).padStart(40, '1')}`);
        await button('Make the version').click();
        await expect(form).toBeGone();
        await button(/^Activate version/)
          .first()
          .click();
      });
      await step('propose its root', async () => {
        await button('Generate the tree').click();
        await button('Propose the root').click({ timeout: keeperMs });
        await expect(dialog().getByText('Decoded in this browser')).toBeVisible();
        await signAndSend(page);
        await expect(page.getByText(/^May be executed from/)).toBeVisible({ withinMs: minedMs });
        await picture(page, 'merkle-dark', true);
      });
      await step('publish its tree and show the leaves', async () => {
        await page.getByRole('tab', { name: 'Merkle trees' }).click();
        const publish = button(/^Publish 0x/).first();
        const root = ((await publish.getAttribute('aria-label')) ?? '').replace('Publish ', '');
        const showLeaves = button(`Show leaves of ${root}`);
        const tree = page.getByRole('row').filter({ has: showLeaves });
        await button(`Publish ${root}`).click();
        await expect(tree.getByText('Published', { exact: true })).toBeVisible({ withinMs: minedMs });
        await showLeaves.click();
        await expect(page.getByRole('table', { name: 'Leaves' }).getByText('Redeem ERC-4626')).toBeVisible();
      });
    },
    scenarioMs,
  );

  test('behavior: sessions: a token is made, shown once, and revoked', async () => {
    const name = `E2E ${Date.now().toString(36)}`;
    await page.goto(`${baseUrl()}/operate/sessions`);
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await button('Make token').click();
    const shown = page.getByRole('dialog', { name: `Token ${name}` });
    await expect(shown.getByText(/^eyJ/).first()).toBeVisible();
    await shown
      .getByRole('button', { name: /^(Done|Close|I have)/ })
      .last()
      .click();
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.getByRole('button', { name: /Revoke/ }).click();
    await dialog()
      .getByRole('button', { name: /Revoke/ })
      .click();
    await expect(row).toBeGone();
  });
});

const phone = { width: 390, height: 844 };

test('behavior: no page of Operate scrolls sideways on a phone or at a desk', async () => {
  page = await browser.open({ ...phone, session });
  const ofVault = ['users', 'settings', 'yield-sources', 'merkle', 'redemptions', 'pause', 'calls', 'audit'];
  for (const url of [...ofVault.map((path) => operate(growth, path)), `${baseUrl()}/operate/sessions`]) {
    const name = url.split('/').at(-1) ?? '';
    await page.setViewportSize(phone);
    await page.goto(url);
    await expect(page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first()).toBeVisible();
    await scrollThrough(page);
    await expectToFit(page, name);
    // From here in the same visit: the desk, and the phones after it.
    await look(page, `operate-${name}`);
  }
});
