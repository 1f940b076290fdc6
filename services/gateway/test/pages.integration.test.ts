import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { AppError } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { JSDOM } from 'jsdom';
import { aVault, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway, testConfig } from './harness.ts';

const shell = `<!doctype html>
<html lang="en">
  <head>
    <meta name="description" content="General." />
    <meta property="og:site_name" content="Castellan" />
    <meta property="og:title" content="Castellan" />
    <meta property="og:description" content="General." />
    <meta property="og:image" content="/social.png" />
    <title>Castellan</title>
    <script>theme = 'dark'</script>
  </head>
  <body><div id="root"></div></body>
</html>`;

let gateway: TestGateway;
let dist: string;
let vault: () => ReturnType<typeof aVault>;
const pagePath = `/managed-vaults/devnet/${vaultAddress}`;
const origin = 'http://127.0.0.1:8080';

beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'castellan-pages-'));
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'index.html'), shell);
  const scripts = {
    '': ['/assets/home.js'],
    'managed-vaults': ['/v.js'],
    operate: ['/desk.js'],
    'operate/*/*': ['/operated.js'],
    'operate/*/*/*/*': ['/operated.js'],
  };
  writeFileSync(join(dist, 'preloads.json'), JSON.stringify(scripts));
  const web = { ...testConfig().web, dist };
  const rates = { ...testConfig().rates, apiBurst: 40 };
  gateway = await startTestGateway({ config: { web, rates }, vault: () => vault() });
});
beforeEach(() => {
  vault = () => aVault();
  gateway.clock.now += 60_000;
  gateway.spy.length = 0;
  gateway.ports.snapshots.invalidate(`31337:${vaultAddress.toLowerCase()}`);
});
afterAll(async () => {
  await gateway.stop();
  rmSync(dist, { recursive: true, force: true });
});

const open = async (url: string) => {
  const answer = await gateway.http.inject(url);
  const { document } = new JSDOM(answer.body).window;
  const attribute = (selector: string, name: string) => document.querySelector(selector)?.getAttribute(name);
  return {
    answer,
    document,
    attribute,
    carried: JSON.parse(document.getElementById('carried')?.textContent ?? 'null'),
  };
};

describe('the page of a vault', () => {
  test('default: its own title, description and address, once each, for who runs no script', async () => {
    const { answer, document, attribute } = await open(pagePath);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    expect(document.title).toBe('USDC Core (cUSDC) · Castellan');
    expect(attribute('meta[name=description]', 'content')).toBe(
      'USDC Core, a vault for USDC on Devnet. Live. $1.01K in it. One share is 1.01 USDC. Its price and how old it is, its risk, its managers.',
    );
    expect(attribute('meta[property="og:title"]', 'content')).toBe('USDC Core (cUSDC) · Castellan');
    expect(attribute('meta[property="og:url"]', 'content')).toBe(`${origin}${pagePath}`);
    expect(attribute('link[rel=canonical]', 'href')).toBe(`${origin}${pagePath}`);
    expect(attribute('meta[property="og:image"]', 'content')).toBe(`${origin}/social.png`);
    for (const selector of [
      'title',
      'meta[name=description]',
      'meta[property="og:title"]',
      'meta[property="og:image"]',
    ]) {
      expect(document.querySelectorAll(selector)).toHaveLength(1);
    }
    expect(attribute('meta[name=robots]', 'content')).toBeUndefined();
    expect(attribute('link[rel=modulepreload]', 'href')).toBe('/v.js');
  });

  test('behavior: a part of it has its own title and address; one that there is not is 404', async () => {
    const risk = await open(`${pagePath}/risk`);
    expect([risk.answer.statusCode, risk.document.title]).toEqual([200, 'Risk · USDC Core (cUSDC) · Castellan']);
    expect(risk.attribute('link[rel=canonical]', 'href')).toBe(`${origin}${pagePath}/risk`);
    expect(risk.carried.vault.name).toBe('USDC Core');
    const all = await open(`${pagePath}/print`);
    expect(all.attribute('link[rel=canonical]', 'href')).toBe(`${origin}${pagePath}`);
    for (const step of ['nothing', 'Risk', 'toString']) {
      const { answer, carried } = await open(`${pagePath}/${step}`);
      expect([step, answer.statusCode, carried.vault]).toEqual([step, 404, undefined]);
    }
  });

  test('error: a hostile name stays text, in the tags and in the data', async () => {
    const name = `</title></script><script>alert(1)</script><!--"'>$&$\`$'<img src=x onerror=alert(2)>&lt;`;
    vault = () => aVault({ name, symbol: '"><script>' });
    const { answer, document, attribute, carried } = await open(pagePath);
    expect(document.title).toBe(`${name} ("><script>) · Castellan`);
    expect(attribute('meta[property="og:title"]', 'content')).toBe(document.title);
    expect(attribute('meta[name=description]', 'content')).toContain(name);
    expect(carried.vault.name).toBe(name);
    expect([...document.scripts].map(({ text, type, id }) => (type ? `${type} ${id}` : text))).toEqual([
      "theme = 'dark'",
      'application/json carried',
    ]);
    expect(document.querySelector('img')).toBeNull();
    expect(document.getElementById('root')).not.toBeNull();
    // `printf "theme = 'dark'" | openssl dgst -sha256 -binary | base64`
    expect(answer.headers['content-security-policy']).toContain(
      `script-src 'self' 'sha256-8r5gArfIj3AVr5V6gcl1JphnMg5FnvwLbDoa33sUMZ8=';`,
    );
  });

  test('behavior: what is no page allows no script in it', async () => {
    for (const url of ['/api/v1/public/vaults', '/no-such-file.txt', '/preloads.json']) {
      const { headers } = await gateway.http.inject(url);
      expect([url, headers['content-security-policy']]).toEqual([url, expect.stringContaining("script-src 'self';")]);
    }
  });

  test('error: a vault or chain that is not there is 404 with the page; one that cannot be read is the page', async () => {
    const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
    for (const path of [`devnet/${other}`, `nowhere/${vaultAddress}`, 'devnet/0x12', 'devnet/%3Cscript%3E']) {
      const { answer, document, carried } = await open(`/managed-vaults/${path}`);
      expect(answer.statusCode).toBe(404);
      expect(document.title).toBe('Castellan');
      expect(carried.vault).toBeUndefined();
      expect(carried.config.chains).toHaveLength(1);
    }
    vault = () => {
      throw new AppError('RPC_UNAVAILABLE', 'No node answers.');
    };
    const away = await open(pagePath);
    expect(away.answer.statusCode).toBe(200);
    expect(away.document.getElementById('root')).not.toBeNull();
  });

  test('behavior: any case of the address and the shorter path lead to the one address; an unlisted vault is not indexed', async () => {
    vault = () => aVault({ activation: { ...aVault().activation, is_discoverable: false } });
    for (const path of [
      pagePath.toLowerCase(),
      `/managed-vaults/31337/${vaultAddress}`,
      `/vaults/devnet/${vaultAddress}`,
    ]) {
      const { attribute } = await open(path);
      expect(attribute('link[rel=canonical]', 'href')).toBe(`${origin}${pagePath}`);
      expect(attribute('meta[name=robots]', 'content')).toBe('noindex');
    }
  });

  test('behavior: it carries what the public may read, for every caller, and the snapshot that the API has', async () => {
    const headers = { authorization: `Bearer ${await aToken()}` };
    const answer = await gateway.http.inject({ url: pagePath, headers });
    const { document } = new JSDOM(answer.body).window;
    const { vault: carried } = JSON.parse(document.getElementById('carried')?.textContent ?? '{}');
    expect(carried.my_role).toBeNull();
    expect((await gateway.http.inject(`/api/v1/vaults/31337/${vaultAddress}`)).json()).toEqual(carried);
    expect(gateway.spy.filter(({ name }) => name === 'v1.vaults.detail')).toHaveLength(1);
  });
});

describe('pages as they are sent', () => {
  test('default: home carries the list and how the server is set up, other pages the latter', async () => {
    const home = await open('/');
    expect(home.carried).toMatchObject({ vaults: [], config: { public_url: origin } });
    expect(home.attribute('link[rel=modulepreload]', 'href')).toBe('/assets/home.js');
    expect((await open('/operate')).carried).toEqual({ config: home.carried.config });
  });

  test('behavior: a page names the scripts of its shape, else those of its first step', async () => {
    const scriptOf = async (url: string) => (await open(url)).attribute('link[rel=modulepreload]', 'href');
    expect(await scriptOf('/operate')).toBe('/desk.js');
    expect(await scriptOf('/operate/')).toBe('/desk.js');
    expect(await scriptOf('/operate/alerts')).toBe('/desk.js');
    for (const rest of ['', '/dashboard/risk', '/dashboard/risk/more']) {
      expect(await scriptOf(`/operate/devnet/${vaultAddress}${rest}`)).toBe('/operated.js');
    }
    expect(await scriptOf(`/operate/devnet/${vaultAddress}/users`)).toBe('/desk.js');
    expect((await open('/no-such-page/at/all')).answer.statusCode).toBe(404);
  });

  test('behavior: compressed as asked, and 304 for who has it', async () => {
    const ask = (headers: Record<string, string>) => gateway.http.inject({ url: pagePath, headers });
    const plain = await ask({});
    const small = await ask({ 'accept-encoding': 'gzip, br' });
    const older = await ask({ 'accept-encoding': 'gzip' });
    expect(small.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(`${brotliDecompressSync(small.rawPayload)}`).toBe(plain.body);
    expect(`${gunzipSync(older.rawPayload)}`).toBe(plain.body);
    const again = await ask({ 'if-none-match': `${plain.headers.etag}` });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('error: pages that ask services are limited', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => gateway.http.inject(pagePath)));
    expect(answers.some(({ statusCode }) => statusCode === 429)).toBe(true);
  });
});

test.each(['/constructor', '/__proto__', '/toString', '/hasOwnProperty/x', '/nothing-here'])(
  'error: %s is 404 with the page',
  async (path) => {
    const { answer, document } = await open(path);
    expect(answer.statusCode).toBe(404);
    expect(document.getElementById('root')).not.toBeNull();
  },
);

describe('addresses that are made up', () => {
  test('behavior: all have one page for each encoding, which is kept', async () => {
    const get = jest.spyOn(gateway.ports.snapshots, 'get');
    for (const n of [1, 2, 3])
      await gateway.http.inject({ url: `/made-up-${n}/${n}`, headers: { 'accept-encoding': 'br' } });
    const pages = get.mock.calls.flatMap(([key], call) => (key.startsWith('["page"') ? [{ key, call }] : []));
    expect(new Set(pages.map(({ key }) => key)).size).toBe(2);
    for (const { call } of pages)
      expect(await get.mock.results[call]?.value).toMatchObject({ status: 404, keep: true });
    get.mockRestore();
  });

  test.each(['/made-up-', '/made-up.'])('error: RATE_LIMITED after too many of %s', async (path) => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => gateway.http.inject(`${path}${n}`)));
    expect(answers.some(({ statusCode }) => statusCode === 429)).toBe(true);
  });

  test('behavior: files of the build are served without a limit', async () => {
    writeFileSync(join(dist, 'assets', 'one.js'), '');
    const answers = await Promise.all(Array.from({ length: 60 }, () => gateway.http.inject('/assets/one.js')));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });
});

test.each(['/%00', '/a%00.js', '/managed-vaults/%00/%00'])('error: %s is 404', async (path) => {
  const { statusCode } = await gateway.http.inject(path);
  expect(statusCode).toBe(404);
});
