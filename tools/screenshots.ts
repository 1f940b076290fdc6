import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Pictures of every page of a running system, in both themes and both widths. */

const usage = `node tools/screenshots.ts [options]
  --url <origin>   the running system (default http://127.0.0.1:8080)
  --out <folder>   where the pictures go (default screenshots)
  --only <names>   some of the pages, by name, with commas
  --width <px>     1440 or 390; both without it
  --theme <name>   dark or light; both without it`;

type Vault = { chain_id: number; chain_slug: string; vault_address: string; name: string };
type Shot = {
  name: string;
  /** Path of the page, for the vaults of the public list. */
  path: (vaults: readonly Vault[]) => string;
  isSignedIn?: boolean;
  /** What to do before the picture. */
  act?: (page: Page) => Promise<void>;
  /** A dialog is pictured as the screen shows it, a page as a whole. */
  isScreen?: boolean;
};

const first = ([vault]: readonly Vault[]): Vault => {
  if (vault === undefined) throw new Error('The system lists no vault yet.');
  return vault;
};
const named = (vaults: readonly Vault[], name: string): Vault =>
  vaults.find((vault) => vault.name === name) ?? first(vaults);
const core = (vaults: readonly Vault[]) => named(vaults, 'USDC Core');
const publicPath = (vault: Vault) => `/managed-vaults/${vault.chain_slug}/${vault.vault_address}`;
const operatePath = (vault: Vault) => `/operate/${vault.chain_slug}/${vault.vault_address}`;
const threeDaysAgo = () => new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 19);

const shots: readonly Shot[] = [
  { name: 'home', path: () => '/' },
  { name: 'home-signed-in', path: () => '/', isSignedIn: true },
  { name: 'vault', path: (vaults) => publicPath(core(vaults)) },
  { name: 'vault-token-90d', path: (vaults) => `${publicPath(first(vaults))}?period=90d&unit=token` },
  { name: 'vault-past', path: (vaults) => `${publicPath(core(vaults))}?at=${threeDaysAgo()}Z` },
  {
    name: 'receipt',
    path: (vaults) => publicPath(core(vaults)),
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Receipt of/ })
        .first()
        .click();
      await page.getByText('Formula').waitFor();
    },
    isScreen: true,
  },
  {
    name: 'compare',
    path: (vaults) =>
      `/compare?vaults=${vaults.map(({ chain_id, vault_address }) => `${chain_id}:${vault_address}`).join(',')}`,
  },
  { name: 'compare-empty', path: () => '/compare' },
  {
    name: 'sign-in',
    path: () => '/',
    act: async (page) => {
      await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('dialog').waitFor();
    },
    isScreen: true,
  },
  {
    name: 'palette',
    path: () => '/',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
    isScreen: true,
  },
  {
    name: 'shortcuts',
    path: () => '/',
    act: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
    isScreen: true,
  },
  { name: 'operate-anonymous', path: () => '/operate' },
  { name: 'operate', path: () => '/operate', isSignedIn: true },
  { name: 'operate-vault', path: (vaults) => operatePath(core(vaults)), isSignedIn: true },
  { name: 'operate-users', path: (vaults) => `${operatePath(core(vaults))}/users`, isSignedIn: true },
  { name: 'unknown-vault', path: (vaults) => `/managed-vaults/${first(vaults).chain_slug}/0x${'1'.repeat(40)}` },
  { name: 'unknown-chain', path: (vaults) => `/managed-vaults/nowhere/${first(vaults).vault_address}` },
  { name: 'not-found', path: () => '/nothing-here' },
];

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

/** Signs in with the first demo wallet and keeps what the browser stored. */
async function signedIn(browser: Browser, url: string): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Primary manager/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign message' }).click();
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Sections come when they come near: walks down the page until nothing loads any more, and back up. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => undefined);
  for (let pass = 0; pass < 2; pass += 1) {
    const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
    for (let top = 0; top < height; top += 600) {
      await page.evaluate(`window.scrollTo(0, ${top})`);
      await page.waitForTimeout(120);
    }
  }
  await page.evaluate('window.scrollTo(0, 0)');
  await page
    .waitForFunction("document.querySelectorAll('.skeleton, .keep-loading').length === 0", undefined, {
      timeout: 15_000,
    })
    .catch(() => console.warn(`something still loads on ${page.url()}`));
  await page.waitForTimeout(300);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      out: { type: 'string', default: 'screenshots' },
      only: { type: 'string' },
      width: { type: 'string' },
      theme: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const wanted = values.only?.split(',');
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const vaults = (await (await fetch(`${values.url}/api/v1/public/vaults`)).json()) as Vault[];
  const browser = await chromium.launch({ executablePath, headless: true, args });
  try {
    const session = await signedIn(browser, values.url);
    for (const width of [1440, 390].filter((each) => values.width === undefined || String(each) === values.width)) {
      for (const theme of (['dark', 'light'] as const).filter((each) => (values.theme ?? each) === each)) {
        for (const shot of shots.filter(({ name }) => wanted === undefined || wanted.includes(name))) {
          const context = await browser.newContext({
            viewport: { width, height: width === 390 ? 844 : 1000 },
            colorScheme: theme,
            reducedMotion: 'reduce',
            ...(shot.isSignedIn ? { storageState: session } : {}),
          });
          const page = await context.newPage();
          page.on('pageerror', (error) => console.warn(`${shot.name}: ${error.message}`));
          await page.goto(`${values.url}${shot.path(vaults)}`);
          await page.getByRole('heading', { level: 1 }).first().waitFor();
          if (!shot.isScreen) await settle(page);
          await shot.act?.(page);
          const path = join(out, `${shot.name}-${width}-${theme}.png`);
          await page.screenshot({ path, fullPage: !shot.isScreen });
          console.log(path);
          await context.close();
        }
      }
    }
  } finally {
    await browser.close();
  }
}

await main();
