import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PublicVault, terminalCode, terminalRequestIn } from '@castellan/contracts';
import { type ApiError, createClient } from '@castellan/sdk';
import { beforeAll, describe, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { runCastellan } from '../../../tools/castellan/commands.ts';
import { account, baseUrl, until, untilRead } from '../../system/actors.ts';
import { browserForTests, desktop } from '../../system/browser.ts';
import { signAndSend } from '../../system/demo-wallet.ts';
import { expect } from '../../system/expect.ts';
import { scenarioMs } from '../../system/patience.ts';
import { expectToFit, picture, pictures } from '../../system/screen-checks.ts';
import { sessionOf } from '../../system/session.ts';

/** A curator's first hour, in Chromium: public pages, sign-in with a demo wallet, a manager added and removed on chain. */

const browser = browserForTests();
let core: PublicVault;
let reserve: PublicVault;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  const named = (wanted: string) => vaults.find(({ name }) => name === wanted) as PublicVault;
  [core, reserve] = [named('USDC Core'), named('WBTC Reserve')];
});

describe.each([
  { ...desktop, colorScheme: 'dark' as const },
  { width: 390, height: 844, colorScheme: 'light' as const },
])('public pages at $width px', (size) => {
  test('behavior: home and a vault, the address in any case, without a wallet prompt or sideways scrolling', async () => {
    const page = await browser.open(size);
    await page.goto(baseUrl());
    await expect(page.getByRole('link', { name: 'USDC Core' }).first()).toBeVisible();
    await pictures(page, 'home');
    await page.goto(`${baseUrl()}/managed-vaults/devnet/${core.vault_address.toLowerCase()}`);
    await expect(page.getByRole('heading', { level: 1, name: 'USDC Core' })).toBeVisible();
    await page.waitForURL((url) => url.href.includes(core.vault_address));
    await page.getByRole('link', { name: 'Read the allocation' }).click();
    await expect(
      page.getByRole('table', { name: 'Allocation by source' }).getByText('Morpho Prime USDC'),
    ).toBeVisible();
    await page.waitForURL((url) => url.pathname.endsWith(`${core.vault_address}/allocation`));
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expectToFit(page, 'the page of a vault');
    await pictures(page, 'vault', true);
  });
});

test('behavior: unknown vault, unknown chain and no address each have their own page', async () => {
  const page = await browser.open();
  const pages = [
    [`devnet/0x${'1'.repeat(40)}`, 'No such vault'],
    [`nowhere/${core.vault_address}`, 'Unknown chain'],
    ['devnet/0x12', 'That is not an address'],
  ] as const;
  for (const [path, title] of pages) {
    await page.goto(`${baseUrl()}/managed-vaults/${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  }
});

async function signInAs(page: Page, wallet: RegExp): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('dialog').getByRole('button', { name: wallet }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign message' }).click();
  await expect(page.getByRole('button', { name: /^Account 0x/ })).toBeVisible();
}

const storedKeys = (page: Page) =>
  page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('curator_')).sort()");
const allKeys = ['curator_address', 'curator_is_manager', 'curator_jwt', 'curator_vaults'];
/** The page shows who is signed in a moment before, or after, it has stored all of it. */
const keysAre = (page: Page, wanted: readonly string[]) =>
  untilRead(
    `the stored keys are ${wanted.join(', ')}`,
    () => storedKeys(page),
    (keys) => JSON.stringify(keys) === JSON.stringify(wanted),
  );
const usersPage = () => `${baseUrl()}/operate/devnet/${reserve.vault_address}/users`;

describe('a curator', () => {
  test(
    'behavior: signs in, adds a secondary manager through the wallet, sees it without reload, and removes it',
    async () => {
      const page = await browser.open();
      const newcomer = privateKeyToAccount(generatePrivateKey()).address;
      await page.goto(usersPage());
      await signInAs(page, /^Primary manager/);
      await keysAre(page, allKeys);
      await page.getByRole('textbox', { name: "New manager's address" }).fill(newcomer);
      await page.getByRole('button', { name: 'Add manager' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a secondary manager' });
      await expect(dialog.getByRole('button', { name: 'Sign and send' })).toBeVisible();
      await picture(page, 'sign-dark');
      await signAndSend(page);
      const short = newcomer.slice(0, 6);
      await expect(page.getByRole('table', { name: 'Managers' }).getByText(short).first()).toBeVisible();
      await picture(page, 'users-dark', true);
      const remove = page.getByRole('button', { name: new RegExp(`^Remove ${short}`) });
      await remove.click();
      await expect(page.getByRole('dialog', { name: 'Remove a secondary manager' })).toBeVisible();
      await signAndSend(page);
      await expect(remove).toBeGone();
    },
    scenarioMs,
  );

  test('behavior: any 401 logs out at once and all four keys are gone', async () => {
    const page = await browser.open({ session: await sessionOf(1), colorScheme: 'light' });
    await page.goto(usersPage());
    await expect(page.getByRole('button', { name: /^Account 0x/ })).toBeVisible();
    await keysAre(page, allKeys);
    const token = (await page.evaluate("localStorage.getItem('curator_jwt')")) as string;
    const client = createClient({ baseUrl: baseUrl(), token });
    await client.logout({});
    await until('the token is refused', () =>
      client.me({}).then(
        () => false,
        (error: ApiError) => error.status === 401,
      ),
    );
    await page.reload();
    await expect(page.getByRole('button', { name: /^Sign in/ }).first()).toBeVisible();
    await keysAre(page, []);
  });

  test('behavior: a wallet without a role sees that it has none', async () => {
    const page = await browser.open({ width: 390, height: 844, colorScheme: 'light' });
    await page.goto(usersPage());
    await signInAs(page, /^No role/i);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You have no role on this vault');
    await picture(page, 'no-role-390-light');
  });
});

test('behavior: a wallet in the browser signs in for the command line; no token is in an address or on the page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-terminal-'));
  const said: string[] = [];
  const opened = Promise.withResolvers<string>();
  const castellan = (...args: string[]) =>
    runCastellan(args, {
      env: { XDG_CONFIG_HOME: folder, CASTELLAN_URL: baseUrl() },
      out: (text) => void said.push(text),
      err: (text) => void said.push(text),
      browse: opened.resolve,
    });
  try {
    const page = await browser.open({ session: await sessionOf(1) });
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => void addresses.push(frame.url()));
    const signingIn = castellan('login', '--browser');
    const url = await opened.promise;
    const request = terminalRequestIn(new URL(url).hash);
    if (request === undefined) throw new Error(`The page asks for nothing: ${url}`);
    await page.goto(url);
    await expect(page.getByText(terminalCode(request))).toBeVisible();
    await picture(page, 'terminal-sign-in-dark');
    await page.getByRole('button', { name: /^The codes are the same/ }).click();
    await expect(page.getByRole('status')).toHaveText(/^Signed in\./);
    expect(await signingIn).toBe(0);
    expect(said.join('')).toContain(terminalCode(request));
    expect(await castellan('whoami')).toBe(0);
    expect(said.join('')).toContain(account(1).address);
    expect(addresses.filter((address) => address.includes('eyJ'))).toEqual([]);
    expect(page.url()).toBe(`http://127.0.0.1:${request.port}/`);
    await castellan('logout');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
