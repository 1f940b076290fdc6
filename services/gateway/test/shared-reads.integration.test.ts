import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AppError,
  type Caller,
  formulasVersion,
  GetOverview,
  GetVault,
  ListChains,
  ListFeed,
  ListPublicVaults,
  ReadTogether,
  type VaultUpdate,
} from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { projectionMoved, vaultChanged } from '../src/http/shared-reads.ts';
import { aVault, managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway, testConfig } from './harness.ts';

/** Answers that are the same for others, asked for by callers of different rights. */

let gateway: TestGateway;
let dist: string;
let calls: { name: string; caller: Caller | undefined }[];
/** What the services answer; a test replaces it. */
let answer: (name: string, caller: Caller | undefined) => unknown;
const overviewPath = `/api/v1/vaults/31337/${vaultAddress}/analytics/overview`;
const vaultPath = `/api/v1/vaults/31337/${vaultAddress}`;
const listPath = '/api/v1/public/vaults';
const stranger = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

const bodies: Readonly<Record<string, unknown>> = {
  [ListChains.name]: { chains: [{ chain_id: 31337, slug: 'devnet', name: 'Devnet' }] },
  [GetOverview.name]: { block_number: 7 },
  [ListPublicVaults.name]: [],
};
const callAction = (async ({ name }: { name: string }, _params: unknown, { caller }: { caller?: Caller } = {}) => {
  // Of a version that reads for each caller by itself.
  if (name === ReadTogether.name)
    throw new AppError('SERVICE_UNAVAILABLE', 'Nobody serves it.', { cause: { type: 'SERVICE_NOT_FOUND' } });
  calls.push({ name, caller });
  return answer(name, caller);
}) as unknown as CallAction;
const callsOf = ({ name }: { name: string }) => calls.filter((call) => call.name === name);
const update = { chain_id: 31337, vault_address: vaultAddress, kind: 'vault' as const, block_number: 1 };
const signedIn = async (claims: Record<string, unknown> = {}) => ({
  authorization: `Bearer ${await aToken({ claims: { ...claims } })}`,
});
const isUnconnected = () =>
  new Promise<boolean>((resolve) => {
    gateway.http.server.getConnections((_error, count) => resolve(count === 0));
  });
const read = (url: string, headers: Record<string, string> = {}) => gateway.http.inject({ url, headers });

beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'castellan-shared-'));
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'index.html'), '<head><title>One</title></head><body></body>');
  writeFileSync(join(dist, 'preloads.json'), JSON.stringify({ '': ['/home.js'], 'managed-vaults': ['/vault.js'] }));
  const web = { ...testConfig().web, dist };
  gateway = await startTestGateway({ callAction, config: { web } });
});
beforeEach(() => {
  calls = [];
  answer = (name) => (name === GetVault.name ? aVault() : bodies[name]);
  gateway.clock.now += 60_000;
});
afterAll(async () => {
  await gateway.stop();
  rmSync(dist, { recursive: true, force: true });
});

describe('figures of analytics', () => {
  test('default: one call for the public, managers, strangers and bound tokens, which names none of them', async () => {
    const answers = [await read(overviewPath)];
    for (const claims of [
      {},
      { wallet_address: stranger },
      { castellan_scope: 'read' },
      { castellan_vault: `31337:${stranger}` },
    ])
      answers.push(await read(overviewPath, await signedIn(claims)));
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual(
      answers.map(() => [200, '{"block_number":7}']),
    );
    expect(callsOf(GetOverview)).toEqual([{ name: GetOverview.name, caller: undefined }]);
    expect(answers[0]?.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
  });

  test('error: what is kept is not for a token that is refused, nor for a request that is malformed', async () => {
    await read(overviewPath);
    const forged = `${(await signedIn()).authorization}x`;
    expect((await read(overviewPath, { authorization: forged })).statusCode).toBe(401);
    const sid = 'ended';
    gateway.ports.revocations.add(sid, gateway.clock.now + 3_600_000);
    expect((await read(overviewPath, await signedIn({ sid }))).statusCode).toBe(401);
    expect((await read(`${overviewPath}?points=9`)).statusCode).toBe(400);
    expect(callsOf(GetOverview)).toHaveLength(1);
  });

  test('behavior: 304 from what is kept, until the projection moves', async () => {
    const { headers } = await read(overviewPath);
    const etag = `${headers.etag}`;
    expect((await read(overviewPath, { 'if-none-match': etag })).statusCode).toBe(304);
    expect(callsOf(GetOverview)).toHaveLength(1);
    projectionMoved(gateway.ports.snapshots, { chain_id: 31337, block_number: 7 });
    answer = () => ({ block_number: 7, facts: 'others' });
    const after = await read(overviewPath, { 'if-none-match': etag });
    expect([after.statusCode, after.json().facts]).toEqual([200, 'others']);
  });

  test('behavior: an answer about a final moment may be kept for good, by an address that names the formulas', async () => {
    const chain = { chain_id: 31337, slug: 'devnet', name: 'Devnet', final_time: '2026-11-20T12:00:00Z' };
    const whole = { explorer_url: null, native_symbol: 'ETH', head_block: 9, indexed_block: 9, lag_seconds: 0 };
    let chains: object[] = [{ ...chain, ...whole }];
    let as_of = '2026-11-20T11:59:59.000Z';
    answer = (name) => (name === ListChains.name ? { chains } : { as_of, block_number: 7 });
    const kept = async (query: string) => {
      gateway.clock.now += 60_000;
      return (await read(`${overviewPath}?${query}`)).headers['cache-control'];
    };
    const asked = 'at=2026-11-20T11:59:59Z';
    const forGood = 'private, max-age=31536000, immutable';
    expect([await kept(`${asked}&v=${formulasVersion}`), await kept(`block=7&v=${formulasVersion}`)]).toEqual([
      forGood,
      forGood,
    ]);
    const answered = [
      await kept(asked),
      await kept(`${asked}&v=${formulasVersion}0`),
      await kept(`v=${formulasVersion}`),
    ];
    as_of = chain.final_time;
    answered.push(await kept(`${asked}&v=${formulasVersion}`));
    as_of = '2026-11-20T11:59:59.000Z';
    for (const others of [[{ ...chain, ...whole, final_time: null }], []]) {
      chains = others;
      answered.push(await kept(`${asked}&v=${formulasVersion}`));
    }
    answer = (name) => {
      if (name === ListChains.name) throw new AppError('SERVICE_UNAVAILABLE', 'away');
      return { as_of, block_number: 7 };
    };
    answered.push(await kept(`${asked}&v=${formulasVersion}`));
    expect(answered).toEqual(answered.map(() => 'private, no-cache'));
    expect(callsOf(GetOverview)).toHaveLength(9);
  });

  test('behavior: one who hangs up does not take the answer from those who wait for it too', async () => {
    let finish: () => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        finish = () => resolve({ block_number: 7 });
      });
    await gateway.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = gateway.http.server.address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${overviewPath} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until('the first has asked', async () => callsOf(GetOverview).length === 1);
    const second = read(overviewPath);
    socket.destroy();
    await until('the server has noticed', () => isUnconnected());
    finish();
    expect((await second).body).toBe('{"block_number":7}');
    expect(callsOf(GetOverview)).toHaveLength(1);
  });
});

describe('a view of a caller', () => {
  test('error: what one may see is not for another who may not; a refusal is asked for each time', async () => {
    answer = (_name, caller) => {
      if (caller?.wallet_address === stranger) throw new AppError('ROLE_REQUIRED', 'You have no role here.');
      return aVault();
    };
    const manager = await signedIn();
    const other = await signedIn({ wallet_address: stranger });
    const statuses = async () => [
      (await read(vaultPath, manager)).statusCode,
      (await read(vaultPath, other)).statusCode,
    ];
    expect([await statuses(), await statuses()]).toEqual([
      [200, 403],
      [200, 403],
    ]);
    expect(callsOf(GetVault).map(({ caller }) => caller?.wallet_address)).toEqual([managerAddress, stranger, stranger]);
  });

  test('behavior: a write about a vault ends what is kept of it, and without one it is kept for a second', async () => {
    const feedPath = `/api/v1/vaults/31337/${vaultAddress}/analytics/social`;
    const manager = await signedIn();
    let total = 0;
    answer = (name) => (name === ListFeed.name ? { items: [], total, has_more: false, next_cursor: null } : {});
    const listed = async (headers: Record<string, string> = manager) => (await read(feedPath, headers)).json().total;
    expect([await listed(), await listed({})]).toEqual([0, 0]);
    total = 1;
    expect(await listed()).toBe(0);
    const payload = { title: 'A new source', body: 'We added a lending market.' };
    const posted = await gateway.http.inject({ method: 'POST', url: feedPath, headers: manager, payload });
    expect([posted.statusCode, await listed(), await listed({})]).toEqual([201, 1, 1]);
    total = 2;
    await gateway.http.inject({
      url: `/api/v1/merkle/sync?chain_id=31337&vault_address=${vaultAddress}`,
      headers: manager,
    });
    expect(await listed({})).toBe(1);
    gateway.clock.now += 1000;
    expect(await listed({})).toBe(2);
  });

  test('behavior: a role that ended is gone with the next request after its event', async () => {
    const manager = await signedIn();
    answer = () => ({ ...aVault(), my_role: 'primary_manager' });
    expect((await read(vaultPath, manager)).json().my_role).toBe('primary_manager');
    answer = () => ({ ...aVault(), my_role: null });
    vaultChanged(gateway.ports.snapshots, { ...update, kind: 'roles' });
    expect((await read(vaultPath, manager)).json().my_role).toBeNull();
  });
});

describe('pages', () => {
  test('default: home and the list are made from one call, until a vault changes or the web is built anew', async () => {
    const first = await read('/', { 'accept-encoding': 'br' });
    for (let n = 0; n < 3; n += 1) await read('/', { 'accept-encoding': 'br' });
    expect((await read('/', { 'if-none-match': `${first.headers.etag}` })).statusCode).toBe(304);
    await read(listPath);
    expect(callsOf(ListPublicVaults)).toHaveLength(1);
    vaultChanged(gateway.ports.snapshots, update);
    await read('/');
    expect(callsOf(ListPublicVaults)).toHaveLength(2);
    writeFileSync(join(dist, 'index.html'), '<head><title>Another</title></head><body></body>');
    expect((await read('/')).body).toContain('<title>One</title>');
    gateway.clock.now += 1000;
    expect((await read('/')).body).toContain('<title>Another</title>');
    expect(callsOf(ListPublicVaults)).toHaveLength(2);
  });

  test('behavior: a page is no older than its figures', async () => {
    await read(listPath);
    gateway.clock.now += 10_000;
    await read('/');
    gateway.clock.now += 5000;
    await read('/');
    expect(callsOf(ListPublicVaults)).toHaveLength(2);
  });

  test.each(['/', `/managed-vaults/devnet/${vaultAddress}`])(
    'error: %s without figures, while a service is away, is nobody else’s',
    async (url) => {
      const whole = answer;
      answer = (name, caller) => {
        if (name === ListChains.name) return whole(name, caller);
        throw new AppError('SERVICE_UNAVAILABLE', 'away');
      };
      expect((await read(url)).body).not.toContain('"vault');
      answer = whole;
      expect((await read(url)).body).toContain('"vault');
    },
  );

  test('behavior: the page of a vault is made again with its vault, not with another', async () => {
    const url = `/managed-vaults/devnet/${vaultAddress}`;
    const name = async () => /<title>(.*)<\/title>/.exec((await read(url)).body)?.[1];
    answer = (action) => (action === GetVault.name ? aVault({ name: 'First' }) : bodies[action]);
    expect(await name()).toContain('First');
    answer = (action) => (action === GetVault.name ? aVault({ name: 'Second' }) : bodies[action]);
    vaultChanged(gateway.ports.snapshots, { ...update, vault_address: stranger });
    expect(await name()).toContain('First');
    vaultChanged(gateway.ports.snapshots, update);
    expect(await name()).toContain('Second');
  });

  test.each(['/', `/managed-vaults/devnet/${stranger}`])(
    'behavior: %s is not kept while it shows a vault at an earlier block than was announced',
    async (url) => {
      let block_number = 10;
      const shown = () => aVault({ vault_address: stranger, block_number });
      answer = (name) => (name === GetVault.name ? shown() : bodies[name]);
      if (url === '/') answer = (name) => (name === ListPublicVaults.name ? [shown()] : bodies[name]);
      const names = async () => [(await read(url)).headers.etag, (await read(url)).headers.etag];
      const entry = { kind: 'log' } as NonNullable<VaultUpdate['entry']>;
      vaultChanged(gateway.ports.snapshots, { ...update, vault_address: stranger, entry, block_number: 11 });
      const [old] = await names();
      block_number = 11;
      const [fresh, again] = await names();
      expect(fresh).not.toBe(old);
      block_number = 12;
      expect([again, (await read(url)).headers.etag]).toEqual([fresh, fresh]);
    },
  );
});
