import { Problem } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';

/** How much a wallet, and a network, may ask. */

const rates = { apiPerSecond: 50, apiBurst: 200, preparePerSecond: 10, idpPerMinute: 60, networkMultiple: 5 };
let limited: TestGateway;
beforeAll(async () => {
  limited = await startTestGateway({ config: { rates } });
});
afterAll(() => limited.stop());
const burst = async (count: number, url: string, headers = {}) => {
  const answers = await Promise.all(Array.from({ length: count }, () => limited.http.inject({ url, headers })));
  return answers.filter(({ statusCode }) => statusCode === 429);
};

test('behavior: a burst of 200, then 50 a second', async () => {
  limited.clock.now += 60_000;
  expect(await burst(200, '/api/v1/chains')).toHaveLength(0);
  const refused = await limited.http.inject('/api/v1/chains');
  expect(refused.statusCode).toBe(429);
  expect(Problem.parse(refused.json()).code).toBe('RATE_LIMITED');
  expect(refused.headers).toMatchObject({ 'ratelimit-limit': '200', 'ratelimit-remaining': '0', 'retry-after': '1' });
  expect(refused.headers).toMatchObject({ 'ratelimit-policy': '"api";q=200;w=4', ratelimit: '"api";r=0;t=1' });
  limited.clock.now += 1000;
  expect(await burst(60, '/api/v1/chains')).toHaveLength(10);
});

test('behavior: the tokens of a wallet share one budget, and that of another wallet is its own', async () => {
  limited.clock.now += 60_000;
  const ask = async (token: string) =>
    (await limited.http.inject({ url: '/api/v1/auth/me', headers: { authorization: `Bearer ${token}` } })).statusCode;
  const tokens = await Promise.all(Array.from({ length: 4 }, (_, n) => aToken({ claims: { sid: `of-one-${n}` } })));
  const other = await aToken({ claims: { wallet_address: vaultAddress, sub: vaultAddress } });
  for (const token of [...tokens, other]) expect(await ask(token)).toBe(200);
  const statuses: number[] = [];
  for (let n = 0; n < 240; n += 1) statuses.push(await ask(tokens[n % 4] as string));
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(200);
  for (const token of tokens) expect(await ask(token)).toBe(429);
  expect(await ask(other)).toBe(200);
});

test('error: RATE_LIMITED once all wallets of a network together have taken five budgets; another network has its own', async () => {
  limited.clock.now += 60_000;
  const wallets = Array.from({ length: 8 }, (_, n) => anAddress(0xe0 + n));
  const tokens = await Promise.all(
    wallets.map((wallet_address) => aToken({ claims: { wallet_address, sub: wallet_address } })),
  );
  const ask = async (token: string | undefined, remoteAddress: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await limited.http.inject({ url: '/api/v1/auth/me', headers, remoteAddress })).statusCode;
  };
  for (const token of tokens) expect(await ask(token, '198.51.100.7')).toBe(200);
  const statuses: number[] = [];
  for (let n = 0; n < 1040; n += 1) statuses.push(await ask(tokens[n % 8], '192.0.2.7'));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1000);
  expect(await ask(tokens[0], '198.51.100.7')).toBe(200);
  limited.clock.now += 1000;
  expect(await ask(tokens[0], '192.0.2.7')).toBe(200);
});

test('behavior: made-up tokens share the budget of their address, a verified one has its own', async () => {
  limited.clock.now += 60_000;
  const token = await aToken();
  const headers = { authorization: `Bearer ${token}` };
  await limited.http.inject({ url: '/api/v1/auth/me', headers });
  for (let n = 0; n < 200; n += 1) {
    await limited.http.inject({ url: '/api/v1/auth/me', headers: { authorization: `Bearer made-up-${n}` } });
  }
  const madeUp = await limited.http.inject({ url: '/api/v1/auth/me', headers: { authorization: 'Bearer another' } });
  expect(madeUp.statusCode).toBe(429);
  expect((await limited.http.inject({ url: '/api/v1/auth/me', headers })).statusCode).toBe(200);
});

test('behavior: signing in and preparing have budgets of their own', async () => {
  limited.clock.now += 60_000;
  const post = (url: string) => limited.http.inject({ method: 'POST', url, payload: {} });
  const statuses = async (count: number, url: string) =>
    (await Promise.all(Array.from({ length: count }, () => post(url)))).map(({ statusCode }) => statusCode);
  expect(new Set(await statuses(60, '/idp/v1/nonce'))).toEqual(new Set([400]));
  expect((await statuses(1, '/idp/v1/token'))[0]).toBe(429);
  expect((await statuses(11, '/api/v1/users/secondary-manager/prepare'))[10]).toBe(429);
  expect((await limited.http.inject('/api/v1/chains')).statusCode).toBe(200);
});

test('behavior: 404 and 405 come before 429', async () => {
  await burst(210, '/api/v1/chains');
  expect((await limited.http.inject('/api/v1/nothing')).statusCode).toBe(404);
});
