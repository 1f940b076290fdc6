import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * What the dashboard costs a visitor, against a running system (`npm start`): JavaScript of the first route, time to the first
 * figures on a slow phone, the slowest interaction while updates arrive, memory before and after minutes of updates.
 *
 *   node bench/web.ts [--base http://127.0.0.1:8080] [--minutes 10]
 */

const option = (name: string, fallback: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : (process.argv[at + 1] ?? fallback);
};
const base = option('base', 'http://127.0.0.1:8080');
const minutes = Number(option('minutes', '10'));
const goals = { firstRouteKb: 200, firstFiguresSeconds: 3, interactionMs: 200 };

/** A mid-range phone on a slow mobile network: four times slower, 1.6 Mbit/s, 150 ms there and back. */
const slow = { cpu: 4, downloadBytes: 200_000, uploadBytes: 94_000, latencyMs: 150 };

const line = (what: string, value: string, goal: string) =>
  process.stdout.write(`${what.padEnd(52)}${value.padStart(14)}   ${goal}\n`);

/** Bytes of the scripts that a page loads, as gzip sends them. */
async function scriptBytes(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') bodies.push(response.body());
  });
  await page.goto(url);
  await page.getByRole('table').first().waitFor();
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
  await context.close();
  return sizes.reduce((total, size) => total + size, 0);
}

async function throttled(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: slow.latencyMs,
    downloadThroughput: slow.downloadBytes,
    uploadThroughput: slow.uploadBytes,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: slow.cpu });
}

/** One visit says more of the machine than of the page; the median of these is printed, with the fastest. */
const VISITS = 7;

async function manyVisits(browser: Browser, url: string): Promise<{ middle: number; fastest: number }> {
  const seconds: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) seconds.push(await firstFigures(browser, url));
  seconds.sort((a, b) => a - b);
  return { middle: seconds[Math.floor(VISITS / 2)] ?? Number.NaN, fastest: seconds[0] ?? Number.NaN };
}

/** Seconds from the address to the first figure that can be read. */
async function firstFigures(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await throttled(page);
  const started = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page
    .getByText(/\$[\d.,]+/)
    .first()
    .waitFor({ timeout: 60_000 });
  const seconds = (performance.now() - started) / 1_000;
  await context.close();
  return seconds;
}

const heapOf = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  return usedSize / 1_048_576;
};

/** Presses periods while updates arrive. @returns the slowest of those interactions, and the heap before and after. */
async function underUpdates(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: '90d' }).waitFor();
  await page.waitForTimeout(5_000);
  await page.evaluate(`
    window.slowest = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.slowest = Math.max(window.slowest, entry.duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  `);
  const before = await heapOf(page);
  const until = performance.now() + minutes * 60_000;
  for (let press = 0; performance.now() < until; press += 1) {
    await page.getByRole('button', { name: press % 2 === 0 ? '90d' : '30d' }).click();
    await page.waitForTimeout(5_000);
  }
  await page.getByRole('button', { name: '30d' }).click();
  await page.waitForTimeout(3_000);
  const after = await heapOf(page);
  const slowest = (await page.evaluate('window.slowest')) as number;
  await context.close();
  return { slowest, before, after };
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const vaults = (await (await fetch(`${base}/api/v1/public/vaults`)).json()) as { vault_address: string }[];
  const vaultPage = `${base}/managed-vaults/devnet/${vaults[0]?.vault_address}`;
  const kilobytes = (await scriptBytes(browser, base)) / 1024;
  line('JavaScript of the first route, gzip', `${kilobytes.toFixed(0)} kB`, `goal ${goals.firstRouteKb} kB`);
  const home = await manyVisits(browser, base);
  line(
    'first figures, home, 4x slower CPU, slow network',
    `${home.middle.toFixed(1)} s`,
    `goal ${goals.firstFiguresSeconds} s, fastest ${home.fastest.toFixed(1)} s`,
  );
  const vault = await manyVisits(browser, vaultPage);
  line(
    'first figures, a vault, the same',
    `${vault.middle.toFixed(1)} s`,
    `goal ${goals.firstFiguresSeconds} s, fastest ${vault.fastest.toFixed(1)} s`,
  );
  const { slowest, before, after } = await underUpdates(browser, vaultPage);
  line('slowest interaction while updates arrive', `${slowest.toFixed(0)} ms`, `goal ${goals.interactionMs} ms`);
  line(`heap before and after ${minutes} min of updates`, `${before.toFixed(0)} -> ${after.toFixed(0)} MiB`, '');
} finally {
  await browser.close();
}
