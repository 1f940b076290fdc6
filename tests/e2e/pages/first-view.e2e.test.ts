import { beforeAll, test } from '@jest/globals';
import { type ListedVault, listedVaults, type StoredSession } from '../../../tools/web-pages.ts';
import { baseUrl } from '../../system/actors.ts';
import { browserForTests } from '../../system/browser.ts';
import { expect } from '../../system/expect.ts';
import { requestsOf } from '../../system/page-requests.ts';
import { sessionOf } from '../../system/session.ts';

/** What a curator who comes back waits for: all that the first view asks for, and the code of it. */

const MOST_REQUESTS = 25;
const SCRIPTS_GZIP_BYTES = 250_000;

const browser = browserForTests();
let vaults: ListedVault[];
let session: StoredSession;

beforeAll(async () => {
  [vaults, session] = await Promise.all([listedVaults(baseUrl()), sessionOf(1)]);
});

test.each([
  ['the own vaults', () => '/operate'],
  [
    'a vault',
    () => {
      const core = vaults.find(({ name }) => name === 'USDC Core');
      if (core === undefined) throw new Error('USDC Core is not listed.');
      return `/operate/${core.chain_slug}/${core.vault_address}`;
    },
  ],
])(
  'behavior: the first view of %s, signed in, costs at most 25 requests and 250 kB of JavaScript, and nothing that signs',
  async (_, path) => {
    const page = await browser.open({ session });
    const { asked, scripts, quiet } = requestsOf(page);
    await page.goto(`${baseUrl()}${path()}`);
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    await expect(page.getByRole('button', { name: /^Account 0x/ })).toBeVisible();
    await quiet();
    const sizes = await Promise.all(scripts.values());
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(SCRIPTS_GZIP_BYTES);
    expect([...scripts.keys()].filter((url) => /wallet|signing/.test(url))).toEqual([]);
    const count = asked.length;
    expect({ count, asked: count > MOST_REQUESTS ? asked : [] }).toEqual({ count, asked: [] });
  },
);

test('behavior: the typefaces are asked for once something is painted', async () => {
  const page = await browser.open();
  await page.goto(`${baseUrl()}/`);
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.endsWith('.woff2')),
  );
  const asked = await page.evaluate(() => ({
    paintedMs: performance.getEntriesByName('first-contentful-paint').map(({ startTime }) => startTime),
    fontsMs: performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.woff2'))
      .map(({ startTime }) => startTime),
  }));
  const [paintedMs = 0] = asked.paintedMs;
  expect(paintedMs).toBeGreaterThan(0);
  expect(asked.fontsMs.filter((askedMs) => askedMs < paintedMs)).toEqual([]);
});
