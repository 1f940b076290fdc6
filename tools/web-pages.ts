import { setTimeout as sleep } from 'node:timers/promises';
import { vaultSections } from '@castellan/contracts';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumPath } from './chromium-path.ts';

/** Every page of the web app, and how a browser without a person gets there; for pictures and accessibility checks. */

export type ListedVault = { chain_id: number; chain_slug: string; vault_address: string; name: string };

export type WebPage = {
  name: string;
  /** Path of the page, for the vaults of the public list. */
  path: (vaults: readonly ListedVault[]) => string;
  isSignedIn?: boolean;
  /** What to do once the page is there. */
  act?: (page: Page) => Promise<void>;
  /** A dialog over the page: what counts is the screen, not the whole length below it. */
  isScreen?: boolean;
};

const first = ([vault]: readonly ListedVault[]): ListedVault => {
  if (vault === undefined) throw new Error('The system lists no vault yet.');
  return vault;
};
const core = (vaults: readonly ListedVault[]) => vaults.find(({ name }) => name === 'USDC Core') ?? first(vaults);
const publicPath = (vault: ListedVault) => `/managed-vaults/${vault.chain_slug}/${vault.vault_address}`;
const operatePath = (vault: ListedVault) => `/operate/${vault.chain_slug}/${vault.vault_address}`;
/** The overview is the vault's page itself. */
const sections = Object.keys(vaultSections).filter((section) => section !== 'overview');
const daysAgo = (days: number) => `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19)}Z`;

const dialogBy = (open: (page: Page) => Promise<void>) => async (page: Page) => {
  await open(page);
  await page.getByRole('dialog').waitFor();
};

const openChat = async (page: Page) => {
  await page.getByRole('button', { name: 'Ask about this vault' }).click();
  await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
};

/** A new strategy of a template; what an editor that was visited before has left is dropped. */
const beginWithTemplate = async (page: Page) => {
  const template = page.getByRole('button', { name: 'Put idle assets to work', exact: true });
  const kept = page.getByRole('button', { name: 'Drop it and start over' });
  await kept.or(template).first().waitFor();
  if (await kept.isVisible()) await kept.click();
  await template.click();
};

export const webPages: readonly WebPage[] = [
  { name: 'home', path: () => '/' },
  { name: 'home-signed-in', path: () => '/', isSignedIn: true },
  { name: 'vault', path: (vaults) => publicPath(core(vaults)) },
  ...sections.map((section) => ({
    name: `vault-${section}`,
    path: (vaults: readonly ListedVault[]) => `${publicPath(core(vaults))}/${section}`,
  })),
  { name: 'vault-token-90d', path: (vaults) => `${publicPath(first(vaults))}/performance?period=90d&unit=token` },
  { name: 'vault-past', path: (vaults) => `${publicPath(core(vaults))}/print?at=${daysAgo(3)}` },
  {
    name: 'vault-range',
    path: (vaults) => `${publicPath(core(vaults))}?from=${daysAgo(5)}&to=${daysAgo(2)}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Custom' }).click();
      const from = page.getByLabel('From (UTC)');
      await from.fill(await page.getByLabel('To (UTC)').inputValue());
      await page.getByRole('button', { name: 'Show this range' }).click();
      await page.getByText('The beginning must be before the end.').waitFor();
    },
    isScreen: true,
  },
  {
    name: 'receipt',
    path: (vaults) => publicPath(core(vaults)),
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Receipt of/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Formula' }).waitFor();
    },
    isScreen: true,
  },
  { name: 'validators', path: () => '/validators' },
  { name: 'validators-history', path: () => '/validators/history' },
  {
    name: 'validators-round',
    path: (vaults) => `/validators/history?vault=${core(vaults).chain_id}:${core(vaults).vault_address}`,
    act: async (page) => {
      await page
        .getByRole('link', { name: /^Round / })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Prices' }).waitFor();
    },
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
    act: dialogBy((page) => page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()),
    isScreen: true,
  },
  { name: 'palette', path: () => '/', act: dialogBy((page) => page.keyboard.press('Control+k')), isScreen: true },
  { name: 'shortcuts', path: () => '/', act: dialogBy((page) => page.keyboard.press('?')), isScreen: true },
  { name: 'operate-anonymous', path: () => '/operate' },
  { name: 'operate', path: () => '/operate', isSignedIn: true },
  { name: 'operate-vault-risk', path: (vaults) => `${operatePath(core(vaults))}/dashboard/risk`, isSignedIn: true },
  { name: 'operate-vault', path: (vaults) => operatePath(core(vaults)), isSignedIn: true },
  { name: 'operate-users', path: (vaults) => `${operatePath(core(vaults))}/users`, isSignedIn: true },
  ...(
    ['mandate', 'settings', 'redemptions', 'pause', 'yield-sources', 'merkle', 'duty', 'calls', 'audit'] as const
  ).map((page) => ({
    name: `operate-${page}`,
    path: (vaults: readonly ListedVault[]) => `${operatePath(core(vaults))}/${page}`,
    isSignedIn: true,
  })),
  {
    name: 'operate-yield-sources-catalogue',
    path: (vaults) => `${operatePath(core(vaults))}/yield-sources`,
    isSignedIn: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Choose from the catalogue' }).click();
      await page.getByRole('table', { name: 'Catalogue' }).waitFor();
      await page.getByRole('textbox', { name: 'Source 1' }).fill(`0x${'1'.repeat(40)}`);
      await page.getByText('There is no contract at this address.').waitFor();
    },
  },
  {
    name: 'operate-merkle-rows',
    path: (vaults) => `${operatePath(core(vaults))}/merkle`,
    isSignedIn: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'New version' }).click();
      await page.getByRole('button', { name: 'Deposit and redeem for all my sources' }).waitFor();
      await page.getByText('Rows of one source').click();
    },
  },
  ...(['analysis', 'feed'] as const).map((page) => ({
    name: `operate-${page}`,
    path: (vaults: readonly ListedVault[]) => `${operatePath(core(vaults))}/${page}`,
    isSignedIn: true,
  })),
  ...(['strategies', 'intents', 'keeper', 'simulation'] as const).map((page) => ({
    name: `operate-${page}`,
    path: (vaults: readonly ListedVault[]) => `${operatePath(core(vaults))}/${page}`,
    isSignedIn: true,
  })),
  {
    name: 'operate-strategies-list',
    path: (vaults) => `${operatePath(core(vaults))}/strategies?view=list`,
    isSignedIn: true,
  },
  {
    name: 'operate-strategy-editor',
    path: (vaults) => `${operatePath(core(vaults))}/strategies?edit=new`,
    isSignedIn: true,
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Node 1, condition' }).fill('vault_free_asets > 1_000e6');
      await page.getByRole('textbox', { name: 'Size' }).fill('vault_free_assets / 2');
      await page.getByRole('button', { name: 'Use vault_free_assets' }).waitFor();
    },
  },
  {
    name: 'operate-exit',
    path: (vaults) => `${operatePath(core(vaults))}/pause?tab=exit`,
    isSignedIn: true,
  },
  {
    name: 'operate-exit-arm',
    path: (vaults) => `${operatePath(core(vaults))}/pause?tab=exit`,
    isSignedIn: true,
    act: dialogBy((page) =>
      page
        .getByRole('button', { name: /^Arm the exit from/ })
        .first()
        .click(),
    ),
    isScreen: true,
  },
  {
    name: 'operate-feed-post',
    path: (vaults) => `${operatePath(core(vaults))}/feed`,
    isSignedIn: true,
    act: dialogBy((page) => page.getByRole('button', { name: 'Write a post' }).click()),
    isScreen: true,
  },
  {
    name: 'chat',
    path: (vaults) => `${operatePath(core(vaults))}/feed`,
    isSignedIn: true,
    act: openChat,
    isScreen: true,
  },
  {
    name: 'chat-answer',
    path: (vaults) => `${operatePath(core(vaults))}/feed`,
    isSignedIn: true,
    act: async (page) => {
      await openChat(page);
      await page.getByRole('button', { name: 'What happened lately?' }).click();
      await page.getByRole('button', { name: 'Copy answer' }).waitFor();
    },
    isScreen: true,
  },
  {
    name: 'alerts',
    path: () => '/operate/alerts',
    isSignedIn: true,
    act: (page) => page.getByRole('list', { name: 'Rules' }).locator('summary').first().click(),
  },
  { name: 'sessions', path: () => '/operate/sessions', isSignedIn: true },
  { name: 'unknown-vault', path: (vaults) => `/managed-vaults/${first(vaults).chain_slug}/0x${'1'.repeat(40)}` },
  { name: 'unknown-chain', path: (vaults) => `/managed-vaults/nowhere/${first(vaults).vault_address}` },
  { name: 'not-found', path: () => '/nothing-here' },
  {
    name: 'operate-strategy-canvas',
    path: (vaults) => `${operatePath(core(vaults))}/strategies?edit=new&as=canvas`,
    isSignedIn: true,
    act: async (page) => {
      await beginWithTemplate(page);
      await page.getByRole('button', { name: 'Add Any of' }).click();
      await page.getByRole('button', { name: 'Add Condition' }).click();
      await page.getByRole('textbox', { name: 'Condition', exact: true }).fill('price > 0.995 EUR');
      await page.keyboard.press('Escape');
      await page.getByRole('treeitem', { name: /^Condition 2\.1: price > 0.995 EUR, / }).waitFor();
    },
  },
  {
    name: 'operate-strategy-text',
    path: (vaults) => `${operatePath(core(vaults))}/strategies?edit=new&as=text`,
    isSignedIn: true,
    act: async (page) => {
      await beginWithTemplate(page);
      const program = page.getByRole('textbox', { name: 'Program' });
      const text = await program.inputValue();
      await program.fill(text.replace('cooldown: 1 h', 'cooldown: 90'));
      await page.getByRole('list', { name: 'What is wrong' }).getByText('90 has no unit').waitFor();
    },
  },
];

/** @throws Error when no Chromium is installed. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });

export const listedVaults = async (url: string): Promise<ListedVault[]> =>
  (await (await fetch(`${url}/api/v1/public/vaults`)).json()) as ListedVault[];

export type StoredSession = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Signs in with the demo wallet of the primary manager of every vault of the devnet. */
export async function signInAsPrimary(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Primary manager/ }).click();
  await dialog.getByRole('button', { name: 'Sign message' }).click();
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor();
}

/** Signs in as the primary manager. @returns what the browser stored. */
export async function storedSession(browser: Browser, url: string): Promise<StoredSession> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await signInAsPrimary(page);
  const state = await context.storageState();
  await context.close();
  return state;
}

const DRAWN_WITHIN_MS = 15_000;
/** Two frames: what a scroll sets off, such as an observer of what is in view, has run by then. */
const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))';
const LOADED_WITHIN_MS = 40_000;
/** True once nothing loads any more. Looking ten times a second leaves the page the time to load. */
const ALL_LOADED = `new Promise((done) => {
  const latest = Date.now() + ${LOADED_WITHIN_MS};
  const look = () => {
    const [loading] = document.querySelectorAll('.skeleton, .keep-loading');
    if (loading === undefined || Date.now() > latest) return done(loading === undefined);
    loading.scrollIntoView({ block: 'center' });
    setTimeout(look, 100);
  };
  look();
})`;

/** What a script on the page comes to; undefined when it does not within so long. */
const answered = <T>(page: Page, script: string, withinMs: number): Promise<T | undefined> =>
  Promise.race([
    // A page that is loaded anew meanwhile ends it.
    page.evaluate<T>(script).catch(() => undefined),
    sleep(withinMs, undefined, { ref: false }),
  ]);

/** @returns false when the page stopped being drawn on the way. */
async function walkDown(page: Page): Promise<boolean> {
  const isDrawnAt = (top: number) =>
    answered<boolean>(page, `window.scrollTo(0, ${top}), ${FRAMES}`, DRAWN_WITHIN_MS).then(Boolean);
  const height = () => answered<number>(page, 'document.documentElement.scrollHeight', DRAWN_WITHIN_MS);
  for (let top = 0; top < ((await height()) ?? 0); top += 700) if (!(await isDrawnAt(top))) return false;
  const isLoaded = await answered<boolean>(page, ALL_LOADED, LOADED_WITHIN_MS + DRAWN_WITHIN_MS);
  const isDrawn = await isDrawnAt(0);
  if (isDrawn && !isLoaded) throw new Error(`Something on ${page.url()} still loads after ${LOADED_WITHIN_MS} ms.`);
  return isDrawn;
}

/**
 * Walks down a page whose sections load when they come near, until all have come. Not by a condition that Playwright polls inside
 * the page: that needs eval, which the content policy forbids. Chromium without a screen sometimes stops drawing a page for good
 * while its scripts go on, and draws it again once it was loaded anew.
 */
export async function scrollThrough(page: Page): Promise<void> {
  if (await walkDown(page)) return;
  await page.reload();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (!(await walkDown(page))) throw new Error(`${page.url()} was not drawn for ${DRAWN_WITHIN_MS} ms.`);
}

type Screen = { width: number; theme: 'dark' | 'light' };

const sizeOf = (width: number) => ({ width, height: width < 600 ? 844 : 1000 });

/** The tab of a visitor with a browser of their own, signed in when a session is given. The caller closes its context. */
export async function newTab(browser: Browser, session?: StoredSession): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...(session ? { storageState: session } : {}) });
  return context.newPage();
}

/**
 * Goes to a page, waits until all of it is there and does what belongs to it. One tab for many pages loads the scripts once;
 * pages of other tabs are not drawn while they are not in front.
 */
export async function visitWebPage(
  to: WebPage,
  { page, url, vaults, width, theme }: { page: Page; url: string; vaults: readonly ListedVault[] } & Screen,
): Promise<void> {
  await page.setViewportSize(sizeOf(width));
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(`${url}${to.path(vaults)}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (!to.isScreen) await scrollThrough(page);
  await to.act?.(page);
}
