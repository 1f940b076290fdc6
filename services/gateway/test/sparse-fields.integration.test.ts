import { createHash } from 'node:crypto';
import { Problem, routes } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';

let gateway: TestGateway;
const vaultPath = `/api/v1/vaults/31337/${vaultAddress}`;
const detailCalls = () => gateway.spy.filter(({ name }) => name === 'v1.vaults.detail').length;
const read = (url: string, headers: Record<string, string> = {}) => gateway.http.inject({ url, headers });
const hashOf = (body: string) => `"${createHash('sha256').update(body).digest('base64url')}"`;

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(() => {
  gateway.spy.length = 0;
  gateway.clock.now += 60_000;
});
afterAll(() => gateway.stop());

test('default: the fields that are asked for, and where, when and how fresh; with an ETag of these bytes', async () => {
  const answer = await read(`${vaultPath}?fields=current_pps,managers.primary`);
  const { current_pps, chain_id, vault_address, block_number, chain_time, pps_status, managers } = (
    await read(vaultPath)
  ).json();
  expect(answer.json()).toEqual({
    current_pps,
    chain_id,
    vault_address,
    block_number,
    chain_time,
    pps_status,
    managers: { primary: managers.primary },
  });
  expect(answer.headers).toMatchObject({
    etag: hashOf(answer.body),
    'cache-control': 'private, no-cache',
    vary: 'Authorization',
    'content-type': 'application/json; charset=utf-8',
  });
  const again = await read(`${vaultPath}?fields=managers.primary,current_pps`, {
    'if-none-match': `${answer.headers.etag}`,
  });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  const whole = await read(vaultPath, { 'if-none-match': `${answer.headers.etag}` });
  expect(whole.statusCode).toBe(200);
});

test('behavior: whatever is asked for, the service is asked once and the whole answer is what is kept', async () => {
  const before = await read(vaultPath);
  for (const fields of ['name', 'symbol', 'asset', 'asset.price_usd']) await read(`${vaultPath}?fields=${fields}`);
  const after = await read(vaultPath);
  expect([after.body, after.headers.etag]).toEqual([before.body, hashOf(before.body)]);
  expect(detailCalls()).toBe(1);
  expect(gateway.spy[0]?.params).toEqual({ chain_id: 31337, vault_address: vaultAddress });
});

test('behavior: every caller selects from what is shown to them', async () => {
  const authorization = `Bearer ${await aToken()}`;
  const roleOf = async (headers: Record<string, string>) =>
    (await read(`${vaultPath}?fields=my_role`, headers)).json().my_role as unknown;
  expect([await roleOf({ authorization }), await roleOf({})]).toEqual(['primary_manager', null]);
  expect((await read(`${vaultPath}?fields=my_role`, { authorization: `${authorization}x` })).statusCode).toBe(401);
});

test('behavior: what needs no sign-in and what is a bare list take them, HEAD as GET', async () => {
  expect((await read('/api/v1/chains?fields=chains.head_block')).json()).toEqual({
    chains: [{ chain_id: 31337, name: 'Devnet', head_block: 1 }],
  });
  expect((await read('/api/v1/public/vaults?fields=apy')).json()).toEqual([]);
  const head = await gateway.http.inject({ method: 'HEAD', url: `${vaultPath}?fields=name` });
  const get = await read(`${vaultPath}?fields=name`);
  expect([head.body, head.headers.etag]).toEqual(['', get.headers.etag]);
});

test('error: a name that the answer has not is refused each time, with those that it has', async () => {
  for (let n = 0; n < 2; n += 1) {
    const { statusCode, body } = await read(`${vaultPath}?fields=name,prise`);
    const { code, errors } = Problem.parse(JSON.parse(body));
    expect([statusCode, code]).toEqual([400, 'VALIDATION_FAILED']);
    const names = Object.keys(routes.vault.result.shape).join(', ');
    expect(errors).toEqual([{ path: 'query.fields', message: `the answer has no field "prise"; it has ${names}` }]);
  }
  expect((await read(`${vaultPath}?fields=name&fields=symbol`)).statusCode).toBe(400);
  expect((await read(`${vaultPath}?fields=`)).statusCode).toBe(400);
  expect(gateway.spy).toEqual([]);
});

test('error: other faults and refusals come as without it', async () => {
  const faults = async (url: string) => Problem.parse((await read(url)).json()).errors?.map(({ path }) => path);
  expect(await faults(`${vaultPath}?fields=name&surprise=1`)).toEqual(['query.surprise']);
  expect((await read(`/api/v1/vaults/31337/0x${'11'.repeat(20)}?fields=name`)).statusCode).toBe(404);
});

test('error: what writes, streams, and has no ETag takes none', async () => {
  const me = await read('/api/v1/auth/me?fields=vaults', { authorization: `Bearer ${await aToken()}` });
  expect(Problem.parse(me.json()).errors).toEqual([
    { path: 'query.fields', message: 'is not a parameter of this route' },
  ]);
  expect((await read(`${vaultPath}/stream?fields=kind`)).statusCode).toBe(400);
  const post = await gateway.http.inject({
    method: 'POST',
    url: '/api/v1/vaults/lookup?fields=name',
    payload: { vaults: [{ chain_id: 31337, vault_address: vaultAddress }] },
  });
  expect(post.statusCode).toBe(400);
});
