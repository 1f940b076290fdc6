import type { CallOptions } from '@castellan/service-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AppPorts } from '../src/app.ts';
import { managerAddress } from './a-vault.ts';
import { startTestGateway, type TestGateway, testConfig } from './harness.ts';

/** Where a sign-in comes from, as it is passed on to the service that limits sign-ins. */

const proxy = '172.30.0.1';
const networks: (string | undefined)[] = [];
let gateway: TestGateway;

beforeAll(async () => {
  const callAction = (async (_action: unknown, _params: unknown, options: CallOptions) => {
    networks.push(options.network);
    return {};
  }) as unknown as AppPorts['callAction'];
  gateway = await startTestGateway({ config: { http: { ...testConfig().http, trustProxy: proxy } }, callAction });
});
afterAll(() => gateway.stop());

async function networkOf(remoteAddress: string, forwarded?: string): Promise<string | undefined> {
  await gateway.http.inject({
    method: 'POST',
    url: '/idp/v1/nonce',
    remoteAddress,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    payload: { address: managerAddress, chain_id: 31337 },
  });
  return networks.at(-1);
}

test('default: the address of the client that connects', async () => {
  expect(await networkOf('192.0.2.7')).toBe('192.0.2.7');
  expect(await networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(await networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::');
});

test('behavior: behind the proxy each visitor has a network, as the proxy says it', async () => {
  expect(await networkOf(proxy, '198.51.100.4')).toBe('198.51.100.4');
  // What the visitor claimed stands before what the proxy added.
  expect(await networkOf(proxy, '203.0.113.9, 198.51.100.4')).toBe('198.51.100.4');
});

test('error: nobody else is believed', async () => {
  expect(await networkOf('192.0.2.7', '198.51.100.4')).toBe('192.0.2.7');
});

test('behavior: other routes pass on no address of the client', async () => {
  await gateway.http.inject({ url: '/api/v1/chains', remoteAddress: '192.0.2.7' });
  expect(networks.at(-1)).toBeUndefined();
});
