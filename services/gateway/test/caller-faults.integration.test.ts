import { SetDisplayName } from '@castellan/contracts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.stop());

/** The fake service has a bug that every request for it meets. */
const rename = async (wallet_address: string) => {
  const authorization = `Bearer ${await aToken({ claims: { wallet_address } })}`;
  const { statusCode, headers } = await gateway.http.inject({
    method: 'PATCH',
    url: `/api/v1/users/${managerAddress}/display-name`,
    headers: { authorization },
    payload: { display_name: 'x' },
  });
  return { statusCode, retryAfter: headers['retry-after'] };
};
const reached = () => gateway.spy.filter(({ name }) => name === SetDisplayName.name).length;

test('default: whose requests keep failing is refused on that route, whatever token they bring, and others are not', async () => {
  for (let n = 0; n < 10; n += 1) expect((await rename(managerAddress)).statusCode).toBe(500);
  for (let n = 0; n < 60; n += 1) {
    expect(await rename(managerAddress)).toEqual({ statusCode: 429, retryAfter: '6' });
  }
  expect(reached()).toBe(10);
  expect((await rename(vaultAddress)).statusCode).toBe(500);
  const other = { authorization: `Bearer ${await aToken()}` };
  expect((await gateway.http.inject({ url: '/api/v1/auth/me', headers: other })).statusCode).toBe(200);
});

test('behavior: after a while the caller may try again', async () => {
  for (let n = 0; n < 10; n += 1) expect((await rename(managerAddress)).statusCode).toBe(500);
  expect((await rename(managerAddress)).statusCode).toBe(429);
  gateway.clock.now += 6_000;
  expect((await rename(managerAddress)).statusCode).toBe(500);
  expect((await rename(managerAddress)).statusCode).toBe(429);
});

test('behavior: refusals are no faults', async () => {
  const unknown = () => gateway.http.inject(`/api/v1/vaults/31337/${managerAddress}`);
  for (let n = 0; n < 30; n += 1) expect((await unknown()).statusCode).toBe(404);
});
