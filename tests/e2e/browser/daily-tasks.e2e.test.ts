import { readFileSync } from 'node:fs';
import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { longTests } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { StoredSession } from '../../../tools/web-pages.ts';
import { baseUrl } from '../../system/actors.ts';
import { browserForTests, tabTo } from '../../system/browser.ts';
import { countEffort, type Effort } from '../../system/clicks.ts';
import { dailyScene } from '../../system/daily-scene.ts';
import { signAndSend } from '../../system/demo-wallet.ts';
import { expect } from '../../system/expect.ts';
import { keeperMs, minedMs, scenarioMs } from '../../system/patience.ts';
import { sessionOf } from '../../system/session.ts';
import { strategyScene } from '../../system/strategy-scene.ts';

/**
 * What a curator does on most days, from the table of the own vaults until it is signed, sent and its dialog closed, in presses of the
 * pointer and signatures of the wallet. docs/operate.md has the same table.
 */
const mostOf = {
  'Add a secondary manager': { clicks: 5, signatures: 1 },
  'Propose a fee': { clicks: 5, signatures: 1 },
  'Top up the upkeep within what is approved': { clicks: 5, signatures: 1 },
  'Top up the upkeep and approve a year': { clicks: 7, signatures: 2 },
  'Change the hooks tree by a preset': { clicks: 7, signatures: 1 },
  'Pause a vault': { clicks: 6, signatures: 1 },
  'Fulfil waiting redemptions': { clicks: 6, signatures: 1 },
  'Set the cap of a source': { clicks: 4, signatures: 0 },
  'Acknowledge an alert': { clicks: 2, signatures: 0 },
  'Begin with a template and start the strategy': { clicks: 7, signatures: 0 },
  'See whether the vault is all right, down to a proof': { clicks: 2, signatures: 0 },
  'Grant view-only access': { clicks: 3, signatures: 0 },
} as const satisfies Record<string, Effort>;
type Task = keyof typeof mostOf;

/** What waits for blocks, alerts and jobs takes a minute and a half in all; the short form counts the others. */
const long: (...of: Parameters<typeof test>) => void = (...of) => {
  if (longTests) test(...of);
};
if (!longTests) process.stderr.write('Tasks of a day that wait for blocks are not counted here: LONG_TESTS=1 does.\n');

const browser = browserForTests();
const mark = Date.now().toString(36);
let growth: PublicVault;
let reserve: PublicVault;
let session: StoredSession;
let strategies: Awaited<ReturnType<typeof strategyScene>>;
let scene: ReturnType<typeof dailyScene>;
let page: Page;
let effort: Awaited<ReturnType<typeof countEffort>>;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  const named = (wanted: string) => vaults.find(({ name }) => name === wanted) as PublicVault;
  [growth, reserve] = [named('WETH Growth'), named('WBTC Reserve')];
  [session, strategies] = [await sessionOf(1), await strategyScene(growth)];
  scene = dailyScene(strategies.client);
}, scenarioMs);

afterAll(() => strategies.archive((name) => name.endsWith(mark)));

beforeEach(async () => {
  page = await browser.open({ session });
  effort = await countEffort(page);
});

const button = (name: string | RegExp, exact = false) => page.getByRole('button', { name, exact });
const dialog = () => page.getByRole('dialog').last();
const rowOf = ({ name }: PublicVault) =>
  page.getByRole('table', { name: 'Your vaults', exact: true }).getByRole('row').filter({ hasText: name });
/** Nobody's address. */
const stranger = (digit: string) => `0x${Date.now().toString(16).padStart(40, digit)}`;
/** A percentage that neither the system has from its start nor another test sets: 5.02 to 9.98. */
const freshPercent = () => (5 + (2 + 2 * (Date.now() % 249)) / 100).toFixed(2);

/** The table of the own vaults, from which on it is counted. */
async function atHome(vault: PublicVault): Promise<void> {
  await page.goto(`${baseUrl()}/operate`);
  await expect(rowOf(vault)).toBeVisible();
  effort.begin();
}

/** What the menu of a vault's row leads to. */
async function choose(vault: PublicVault, action: string): Promise<void> {
  await atHome(vault);
  await button(`Actions on ${vault.name}`).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

async function expectEffortOf(task: Task): Promise<void> {
  expect(await effort.soFar()).toEqual(mostOf[task]);
}

describe('by pointer', () => {
  test(
    'behavior: whether the vault is all right is said two presses away, with its proof',
    async () => {
      await atHome(growth);
      await rowOf(growth).getByRole('link', { name: growth.name, exact: true }).click();
      await page.getByRole('link', { name: /^Price .* old/ }).click();
      await page.waitForURL(/\/dashboard\/pricing$/);
      await expectEffortOf('See whether the vault is all right, down to a proof');
    },
    scenarioMs,
  );

  long(
    'behavior: a secondary manager is added',
    async () => {
      const manager_address = stranger('2');
      await choose(reserve, 'Add a manager');
      await effort.typeAtOnce(page.getByRole('textbox', { name: "New manager's address" }), manager_address);
      await button('Add manager').click();
      await signAndSend(page);
      await expectEffortOf('Add a secondary manager');
      await scene.removeManager(reserve, manager_address);
    },
    scenarioMs,
  );

  long(
    'behavior: a fee is proposed',
    async () => {
      await choose(growth, 'Propose a fee');
      await effort.typeAtOnce(page.getByRole('textbox', { name: 'Performance fee, %' }), freshPercent());
      await button('Prepare proposal').first().click();
      await signAndSend(page);
      await expectEffortOf('Propose a fee');
    },
    scenarioMs,
  );

  long(
    'behavior: upkeep is topped up; once a year it is approved',
    async () => {
      await scene.revokeUpkeep();
      const amount = page.getByRole('textbox', { name: 'Amount, UP' });
      await choose(growth, 'Top up the upkeep');
      await effort.typeAtOnce(amount, '1.25');
      await page.getByRole('checkbox', { name: /a year at the cost of a day/ }).click();
      await button('Prepare deposit').click();
      await signAndSend(page, 2);
      await expectEffortOf('Top up the upkeep and approve a year');
      await choose(growth, 'Top up the upkeep');
      await effort.typeAtOnce(amount, '1.5');
      await expect(page.getByText(/^One signature/)).toBeVisible();
      await button('Prepare deposit').click();
      await signAndSend(page);
      await expectEffortOf('Top up the upkeep within what is approved');
      await scene.revokeUpkeep();
    },
    scenarioMs,
  );

  long(
    'behavior: the hooks tree is changed by a preset',
    async () => {
      await scene.beginTree(reserve, stranger('3'));
      await choose(reserve, 'Change the hooks tree');
      await button('Deposit and redeem for all my sources').click();
      await button('Make, activate and generate its tree').click();
      await button('Propose the root').click({ timeout: keeperMs });
      await signAndSend(page);
      await expectEffortOf('Change the hooks tree by a preset');
    },
    scenarioMs,
  );

  long(
    'behavior: a vault is paused',
    async () => {
      await scene.isLive(reserve);
      await choose(reserve, 'Pause');
      await effort.typeAtOnce(page.getByRole('textbox', { name: 'Reason' }), 'A drill of the day');
      const suffix = page.getByRole('textbox', { name: /^Type the last 6 characters/ });
      await effort.pressAndType(suffix, reserve.vault_address.slice(-6));
      await button('Prepare pause').click();
      await signAndSend(page);
      await expectEffortOf('Pause a vault');
      await scene.release(reserve, 'The drill is over');
    },
    scenarioMs,
  );

  long(
    'behavior: waiting redemptions are fulfilled',
    async () => {
      // The keeper would be faster.
      await scene.stopKeeper(reserve, true);
      try {
        await scene.requestRedemption(reserve);
        await choose(reserve, 'Fulfil redemptions');
        await button(/^Choose all that can be paid \([1-9]/).click({ timeout: minedMs });
        await button('Fulfil chosen').click();
        await signAndSend(page);
        await expectEffortOf('Fulfil waiting redemptions');
      } finally {
        await scene.stopKeeper(reserve, false);
      }
    },
    scenarioMs,
  );

  test(
    'behavior: the cap of a source is set',
    async () => {
      await choose(growth, 'Set targets and caps');
      const cap = page.getByRole('textbox', { name: /Cap, %/ }).first();
      await effort.pressAndType(cap, (90 + Number(freshPercent())).toFixed(2));
      await button('Set targets and caps').click();
      await expect(button('Change them')).toBeVisible();
      await expectEffortOf('Set the cap of a source');
      await scene.dropTargets(growth);
    },
    scenarioMs,
  );

  long(
    'behavior: an alert is acknowledged',
    async () => {
      await scene.openStaleAlert(growth);
      await atHome(growth);
      await rowOf(growth).locator('a[href^="/operate/alerts"]').click();
      const alert = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: `${growth.name}: Price stale` }) });
      await alert.getByRole('button', { name: 'Acknowledge Price stale', exact: true }).click();
      await expect(alert).toBeGone();
      await expectEffortOf('Acknowledge an alert');
      await scene.resetStale(growth);
    },
    scenarioMs,
  );

  long(
    'behavior: a strategy is made of a template and started',
    async () => {
      const name = `Daily ${mark}`;
      await choose(growth, 'New strategy');
      // Its hook is filled in once it is known that there is only one.
      const hooks = page.getByLabel('Hook', { exact: true });
      await hooks.locator('option', { hasText: 'ERC-4626' }).first().waitFor({ state: 'attached' });
      await button('Keep a source below a cap').click();
      await effort.pressAndType(page.getByRole('textbox', { name: 'Name', exact: true }), name);
      await button('Save the strategy').click();
      await button(`Start ${name}`).click();
      await dialog().getByRole('button', { name: 'Start', exact: true }).click();
      await expect(button(`Stop ${name}`)).toBeVisible();
      await expectEffortOf('Begin with a template and start the strategy');
    },
    scenarioMs,
  );

  test(
    'behavior: view-only access is granted',
    async () => {
      const wallet_address = stranger('4');
      await choose(growth, 'Grant view-only access');
      await effort.typeAtOnce(page.getByRole('textbox', { name: "Viewer's address" }), wallet_address);
      await button('Grant access').click();
      await expect(page.getByText(/can see this vault in Operate$/)).toBeVisible();
      await expectEffortOf('Grant view-only access');
      await scene.revokeViewer(growth, wallet_address);
    },
    scenarioMs,
  );
});

long(
  'behavior: by keyboard the palette leads to each form, and a manager is added without the pointer',
  async () => {
    const lead = async (words: string, to: RegExp) => {
      await atHome(reserve);
      await page.keyboard.press('Control+k');
      await effort.typeAtOnce(
        page.getByPlaceholder('Page, vault, address, alert or action'),
        `${words} ${reserve.name}`,
      );
      await page
        .getByRole('menuitem', { name: new RegExp(reserve.name) })
        .first()
        .waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(to);
    };
    for (const [words, to] of [
      ['propose a fee', /\/settings#propose-fees$/],
      ['top up', /\/settings#deposit-upkeep$/],
      ['change the hooks tree', /\/merkle#new-version$/],
      // The page and the action lead to the same form.
      ['pause', /\/pause(#|$)/],
      ['fulfil', /\/redemptions$/],
      ['targets', /\/yield-sources#set-targets$/],
      ['new strategy', /\/strategies\?edit=new$/],
      ['view-only', /\/users\?tab=viewers#grant-view-only$/],
      ['operate', /\/operate\/devnet\/0x[0-9a-fA-F]{40}$/],
      ['add a manager', /\/users#add-manager$/],
    ] as const)
      await lead(words, to);
    const manager_address = stranger('5');
    await effort.typeAtOnce(page.getByRole('textbox', { name: "New manager's address" }), manager_address);
    await page.keyboard.press('Enter');
    await expect(dialog().getByText('Decoded in this browser')).toBeVisible();
    await tabTo(page, /^Sign and send$/);
    await page.keyboard.press('Enter');
    await expect(dialog().getByText('Indexed: the change shows everywhere')).toBeVisible({ withinMs: minedMs });
    await page.keyboard.press('Escape');
    await expect(dialog()).toBeGone();
    expect(await effort.soFar()).toEqual({ clicks: 0, signatures: 1 });
    await scene.removeManager(reserve, manager_address);
  },
  scenarioMs,
);

test('default: the page of operators says the same numbers', () => {
  const docs = readFileSync(new URL('../../../docs/operate.md', import.meta.url), 'utf8');
  const said = Object.fromEntries(
    [...docs.matchAll(/^\| ([^|]+) \| [^|]+ \| (\d+) \| (\d+) \|$/gm)].map(([, task, clicks, signatures]) => [
      task,
      { clicks: Number(clicks), signatures: Number(signatures) },
    ]),
  );
  expect(said).toEqual(mostOf);
});
