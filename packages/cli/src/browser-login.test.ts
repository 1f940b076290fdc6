import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { type TerminalRequest, terminalAnswerUrl, terminalRequestIn } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { type Answer, account, address, folder, run } from '../test/deployment.ts';
import { handOverPage } from './browser-page.ts';

const proof = { method: 'siwe', message: 'app.example.org wants you to sign in', signature: '0x51' } as const;

function deployment(wallet_address: string = account.address) {
  const proofs: object[] = [];
  const ended: string[] = [];
  const answers: Record<string, Answer> = {
    '/idp/v1/token': (body) => {
      proofs.push(body);
      return Response.json({ access_token: 'secret-token', expires_in: 600, token_type: 'Bearer', wallet_address });
    },
    '/idp/v1/logout': () => {
      ended.push('session');
      return new Response(null, { status: 204 });
    },
  };
  return { answers, proofs, ended };
}

type Sent = { method?: string; path?: string; headers?: Record<string, string | undefined>; body?: string };
type Browser = TerminalRequest & {
  page: URL;
  /** Sends what our page would, with what is given in its place. */
  send: (sent?: Sent) => Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>;
};

/** Signs in, with a test in the place of the browser. */
async function signIn(act: (browser: Browser) => Promise<void>, args: string[] = [], of = deployment()) {
  const stopping = new AbortController();
  let acting: Promise<void> | undefined;
  const browse = (url: string) => {
    const page = new URL(url);
    const { port, state } = terminalRequestIn(page.hash) ?? { port: 0, state: '' };
    const send: Browser['send'] = ({ method = 'POST', path = '/answer', headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const usual = { origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json' };
        const all = Object.entries({ ...(method === 'POST' ? usual : {}), ...headers });
        const given = Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
        const asked = request({ host: '127.0.0.1', port, method, path, headers: given }, async (response) => {
          let text = '';
          for await (const part of response) text += String(part);
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
        });
        asked.on('error', reject);
        asked.end(method === 'POST' ? (body ?? JSON.stringify({ state, proof })) : undefined);
      });
    acting = act({ port, state, page, send }).finally(() => setImmediate(() => stopping.abort(new Error('Given up.'))));
  };
  const done = await run(['login', '--browser', ...args], { answers: of.answers, browse, signal: stopping.signal });
  await acting;
  return { ...done, ...of };
}

describe('signing in by a wallet in the browser', () => {
  test('default: the page is opened with a code, what comes back is used once, and the token stays here', async () => {
    const answered: string[] = [];
    const { code, out, err, proofs } = await signIn(async ({ page, send, state }) => {
      expect([page.origin, page.pathname, page.search]).toEqual(['https://app.example.org', '/operate/sessions', '']);
      const { status, text } = await send();
      answered.push(`${status} ${text} ${state.slice(0, 4).toUpperCase()}`);
    });
    expect([code, proofs]).toEqual([0, [proof]]);
    expect(answered[0]).toMatch(/^204 {2}[0-9A-F]{4}$/);
    expect(err).toContain(`code ${answered[0]?.slice(-4)}-`);
    expect(out).toContain(account.address);
    expect(out + err).not.toContain('secret-token');
    const saved = JSON.parse(readFileSync(join(folder, 'config/castellan/session.json'), 'utf8'));
    expect(saved).toMatchObject({ url: 'https://app.example.org', access_token: 'secret-token' });
  });

  test('behavior: the page is that of the public address, where it is another', async () => {
    await signIn(
      async ({ page, send }) => {
        expect(page.origin).toBe('https://castellan.example.org');
        await send();
      },
      ['--public-url', 'https://castellan.example.org'],
    );
  });

  test.each<[string, number, (browser: Browser) => Sent]>([
    ['another state', 403, () => ({ body: JSON.stringify({ state: '0'.repeat(64), proof }) })],
    ['a state that is too short', 403, ({ state }) => ({ body: JSON.stringify({ state: state.slice(1), proof }) })],
    ['a page of another origin', 403, () => ({ headers: { origin: 'https://evil.example.org' } })],
    ['a request without an origin', 403, () => ({ headers: { origin: undefined } })],
    ['a form', 403, () => ({ headers: { 'content-type': 'text/plain' } })],
    ['a name that means this address', 421, ({ port }) => ({ headers: { host: `evil.example.org:${port}` } })],
    ['what is no answer', 400, () => ({ body: '{}' })],
    ['what is no JSON', 400, () => ({ body: 'state=1' })],
    ['more than an answer takes', 413, () => ({ body: ' '.repeat(70_000) })],
    ['another path', 404, () => ({ path: '/answer?state=1' })],
    ['another method', 404, () => ({ method: 'OPTIONS' })],
  ])('security: %s is refused with %d, signs nobody in and ends nothing', async (_, status, sent) => {
    const seen: [number, boolean][] = [];
    const of = deployment();
    const { code } = await signIn(
      async (browser) => {
        const answer = await browser.send(sent(browser));
        seen.push([answer.status, 'access-control-allow-origin' in answer.headers]);
        expect(of.proofs).toEqual([]);
        await browser.send();
      },
      [],
      of,
    );
    expect([seen, code, of.proofs]).toEqual([[[status, false]], 0, [proof]]);
  });

  test('security: an answer is taken once; the port is closed then', async () => {
    const of = deployment();
    const second: (number | string)[] = [];
    await signIn(
      async ({ send }) => {
        const both = await Promise.all([send(), send().catch(({ code }: { code: string }) => ({ status: code }))]);
        second.push(...both.map(({ status }) => status));
        await expect(send()).rejects.toThrow('ECONNREFUSED');
      },
      [],
      of,
    );
    expect([of.proofs, second[0]]).toEqual([[proof], 204]);
    expect(['ECONNRESET', 'ECONNREFUSED', 409]).toContain(second[1]);
  });

  test('security: the page that comes back runs its own script alone, is in no frame and is kept nowhere', async () => {
    await signIn(async ({ send }) => {
      const [one, other] = [await send({ method: 'GET', path: '/' }), await send({ method: 'GET', path: '/' })];
      const policy = String(one.headers['content-security-policy']);
      const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
      expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
      expect(one.text).toContain(`<script nonce="${nonce}">`);
      expect(other.text).not.toContain(`${nonce}`);
      expect(one.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      await send();
    });
  });

  test('error: another wallet than the one that is named is signed out again, and nothing is kept', async () => {
    const of = deployment();
    const before = readFileSync(join(folder, 'config/castellan/session.json'), 'utf8');
    const statuses: number[] = [];
    const { code, err } = await signIn(
      async ({ send }) => void statuses.push((await send()).status),
      ['--address', address('99')],
      of,
    );
    expect([code, statuses, of.ended]).toEqual([1, [422], ['session']]);
    expect(err).toContain(`${account.address} signed, and not ${address('99')}.`);
    expect(readFileSync(join(folder, 'config/castellan/session.json'), 'utf8')).toBe(before);
  });

  test('error: what the deployment does not take ends it, with the reason and its exit code', async () => {
    const answers = {
      '/idp/v1/token': () => Response.json({ code: 'NONCE_INVALID', detail: 'Late.' }, { status: 401 }),
    };
    const of = { ...deployment(), answers };
    const { code, err } = await signIn(async ({ send }) => void (await send()), [], of);
    expect([code, err]).toEqual([3, expect.stringContaining('401 NONCE_INVALID: Late.')]);
  });

  test('behavior: it is given up, and the port is closed', async () => {
    const ports: number[] = [];
    const { code, err } = await signIn(async ({ port }) => void ports.push(port));
    expect([code, err]).toEqual([1, expect.stringContaining('Given up.')]);
    await expect(fetch(`http://127.0.0.1:${ports[0]}/`)).rejects.toThrow();
  });

  test('error: a keystore and the browser are two ways', async () => {
    const { code, err } = await run(['login', '--browser', '--keystore', 'key.json']);
    expect([code, err]).toEqual([2, expect.stringContaining('name one of them')]);
  });
});

describe('the page that hands over', () => {
  const play = async (hash: string, fetched: () => Promise<{ ok: boolean }>) => {
    const did: string[] = [];
    const text = { textContent: '' };
    const code = /<script[^>]*>([\s\S]*)<\/script>/.exec(handOverPage('n').html)?.[1] ?? '';
    const names = ['document', 'location', 'history', 'fetch'];
    const send = (url: string, { body }: { body: string }) => {
      did.push(`${url} ${body}`);
      return fetched();
    };
    const replaceState = (_state: null, _title: string, url: string) => void did.push(`address ${url}`);
    new Function(...names, code)({ querySelector: () => text }, { hash }, { replaceState }, send);
    await new Promise(setImmediate);
    return { did, text: text.textContent };
  };
  const { hash } = new URL(terminalAnswerUrl({ port: 41_234, state: 'ab'.repeat(32) }, proof));
  const answer = JSON.stringify({ state: 'ab'.repeat(32), proof });

  test('default: takes the answer out of the address first, then hands it to the terminal', async () => {
    expect(await play(hash, async () => ({ ok: true }))).toEqual({
      did: ['address /', `/answer ${answer}`],
      text: expect.stringContaining('Signed in.'),
    });
  });

  test('error: it says what went wrong', async () => {
    expect((await play(hash, async () => ({ ok: false }))).text).toContain('did not take it');
    expect((await play(hash, () => Promise.reject(new Error('gone')))).text).toContain('does not listen any more');
    expect(await play('', async () => ({ ok: true }))).toEqual({
      did: ['address /'],
      text: expect.stringContaining('Nothing to hand over'),
    });
  });
});
