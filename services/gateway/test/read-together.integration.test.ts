import {
  AppError,
  GetVault,
  type InputOf,
  ListMyVaults,
  ReadTogether,
  type ResultOf,
  type Role,
} from '@castellan/contracts';
import { type CallAction, etagOf } from '@castellan/service-kit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { aVault, managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';

/** What signed-in pollers are answered by two gateways that ask the same services, while nothing is published. */

const stranger = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const detailPath = `/api/v1/vaults/31337/${vaultAddress}`;
const listPath = '/api/v1/vaults';

let gateways: TestGateway[];
let roles: Map<string, Role>;
let block: number;
let blocks = 7;
let isAway: boolean;
let asked: string[];
/** Bodies that went over the bus. */
let sent: number;

const detailFor = (wallet: string) => ({ ...aVault(), block_number: block, my_role: roles.get(wallet) ?? null });
const listFor = (wallet: string): ResultOf<typeof ListMyVaults> => {
  const my_role = roles.get(wallet);
  const vaults = my_role ? [{ vault_address: vaultAddress, chain_id: 31337, name: `One at ${block}`, my_role }] : [];
  return { vaults, total: vaults.length, has_more: false, next_cursor: null };
};
const answerTo = ({ read, wallet_address, known }: InputOf<typeof ReadTogether>['reads'][number]) => {
  const text = JSON.stringify(read === 'detail' ? detailFor(wallet_address) : listFor(wallet_address));
  const etag = etagOf(text);
  const isKnown = known.includes(etag);
  sent += isKnown ? 0 : 1;
  return { etag, body: isKnown ? null : text, block_number: read === 'detail' ? block : null };
};
const callAction = (async (action: { name: string }, params: unknown, { caller }: { caller?: unknown } = {}) => {
  asked.push(action.name);
  if (isAway) throw new AppError('SERVICE_UNAVAILABLE', 'A part of the system does not answer.');
  // A wallet is named by the gateway alone, never by an envelope, so that nobody else may ask this way.
  if (action.name === ReadTogether.name && caller === undefined)
    return { answers: (params as InputOf<typeof ReadTogether>).reads.map(answerTo) };
  return action.name === ListMyVaults.name ? listFor(managerAddress) : detailFor('');
}) as unknown as CallAction;

beforeAll(async () => {
  gateways = [await startTestGateway({ callAction }), await startTestGateway({ callAction })];
});
beforeEach(() => {
  roles = new Map([
    [managerAddress, 'primary_manager'],
    [stranger, 'primary_manager'],
  ]);
  // Another answer than that of the tests before, of which gateways may hold some.
  blocks += 10;
  block = blocks;
  isAway = false;
  asked = [];
  sent = 0;
  later();
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
});

/** The next poll: nothing that a gateway keeps for a while stands any more. */
const later = () => {
  for (const gateway of gateways) gateway.clock.now += 60_000;
};
const reader = async (wallet: string, claims: Record<string, unknown> = {}) => {
  const authorization = `Bearer ${await aToken({ claims: { wallet_address: wallet, sub: wallet, ...claims } })}`;
  return (gateway: TestGateway, url: string, tag?: string) =>
    gateway.http.inject({ url, headers: { authorization, ...(tag === undefined ? {} : { 'if-none-match': tag }) } });
};
const one = () => gateways[0] as TestGateway;
const two = () => gateways[1] as TestGateway;

test('default: a poller is answered 304 after one question, and the detail is sent once for all with its role', async () => {
  const manager = await reader(managerAddress);
  const other = await reader(stranger);
  const first = await manager(one(), detailPath);
  expect([first.statusCode, first.json(), first.headers.etag]).toEqual([
    200,
    JSON.parse(JSON.stringify(detailFor(managerAddress))),
    etagOf(first.body),
  ]);
  expect(first.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
  expect((await other(one(), detailPath)).body).toBe(first.body);
  expect(sent).toBe(1);
  later();
  expect((await manager(one(), detailPath, String(first.headers.etag))).statusCode).toBe(304);
  const list = await manager(one(), listPath);
  expect((await manager(one(), listPath, String(list.headers.etag))).statusCode).toBe(304);
  expect([sent, asked.filter((name) => name !== ReadTogether.name)]).toEqual([2, []]);
});

test('behavior: a role that was taken away is gone on the next request, at each gateway, without an event', async () => {
  const manager = await reader(managerAddress);
  const tags = new Map<TestGateway, string[]>();
  for (const gateway of gateways) {
    const answers = [await manager(gateway, listPath), await manager(gateway, detailPath)];
    tags.set(
      gateway,
      answers.map(({ headers }) => String(headers.etag)),
    );
  }
  roles.delete(managerAddress);
  for (const gateway of gateways) {
    const list = await manager(gateway, listPath, tags.get(gateway)?.[0]);
    expect([list.statusCode, list.json()]).toMatchObject([200, { vaults: [], total: 0 }]);
  }
  later();
  for (const gateway of gateways) {
    const detail = await manager(gateway, detailPath, tags.get(gateway)?.[1]);
    expect([detail.statusCode, detail.json().my_role]).toEqual([200, null]);
  }
});

test('behavior: a change that one gateway has seen, the other sees by its own question', async () => {
  const manager = await reader(managerAddress);
  for (const gateway of gateways) await manager(gateway, detailPath);
  block += 1;
  later();
  for (const gateway of gateways) expect((await manager(gateway, detailPath)).json().block_number).toBe(block);
});

test('behavior: a wallet without the role never has the bytes of one with it, whatever tag it sends', async () => {
  const manager = await reader(managerAddress);
  const former = await reader(stranger);
  roles.delete(stranger);
  const { headers, body } = await manager(one(), detailPath);
  const answer = await former(one(), detailPath, String(headers.etag));
  expect([answer.statusCode, answer.json().my_role]).toEqual([200, null]);
  expect(answer.body).not.toBe(body);
  expect((await former(one(), listPath)).json().vaults).toEqual([]);
});

test('behavior: a token for one vault is read for by itself, with what it may see', async () => {
  const bound = await reader(managerAddress, { castellan_vault: `31337:${vaultAddress}` });
  await bound(one(), detailPath);
  await bound(one(), listPath);
  expect(asked).toEqual([GetVault.name, ListMyVaults.name]);
});

test('error: while the service is away nothing that was held is answered, and what it says when it is back is', async () => {
  const manager = await reader(managerAddress);
  const { headers } = await manager(two(), listPath);
  await manager(two(), detailPath);
  later();
  isAway = true;
  for (const path of [listPath, detailPath])
    expect((await manager(two(), path, String(headers.etag))).statusCode).toBe(503);
  isAway = false;
  roles.set(managerAddress, 'view_only');
  expect((await manager(two(), listPath)).json().vaults[0].my_role).toBe('view_only');
  expect((await manager(two(), detailPath)).json().my_role).toBe('view_only');
});
