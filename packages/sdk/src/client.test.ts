import { operateRoutes, operateStartRoutes, publicRoutes, type Route, routes } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { createGrowingClient, type RouteTable } from './growing-client.ts';
import { ApiError, createClient, type DeprecationNotice } from './index.ts';
import { operationNames } from './types.ts';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const me = { wallet_address: address, is_manager: true, vaults: [] };

type Sent = { url: string; init: RequestInit };
const clientWith = (answer: () => Response | Promise<Response>, token?: string | (() => string | undefined)) => {
  const sent: Sent[] = [];
  const fake: typeof fetch = async (input, init = {}) => {
    sent.push({ url: String(input), init });
    return answer();
  };
  const client = createClient({ baseUrl: 'https://app.example.org/', fetch: fake, ...(token ? { token } : {}) });
  return { client, sent };
};
const json = (body: unknown, status = 200, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

describe('calls', () => {
  test('default: path values are encoded, absent query values left out, the token is a header', async () => {
    const { client, sent } = clientWith(() => json({ users: [], total: 0, has_more: false, next_cursor: null }), 'abc');
    await client.users({ query: { vault_address: address, chain_id: '31337', limit: undefined } as never });
    expect(sent[0]?.url).toBe(`https://app.example.org/api/v1/users?vault_address=${address}&chain_id=31337`);
    expect(sent[0]?.init.headers).toMatchObject({ authorization: 'Bearer abc' });
    await expect(client.vault({ params: { chain_id: '1', vault_address: 'a/b?c' } })).rejects.toThrow();
    expect(sent[1]?.url).toBe('https://app.example.org/api/v1/vaults/1/a%2Fb%3Fc');
  });

  test('behavior: the token is asked for on each call, and not sent to a public route', async () => {
    let token: string | undefined = 'one';
    const { client, sent } = clientWith(
      () => json(me),
      () => token,
    );
    await client.me({});
    token = undefined;
    await client.me({});
    token = 'three';
    await expect(client.chains({})).rejects.toThrow();
    const headers = sent.map(({ init }) => new Headers(init.headers).get('authorization'));
    expect(headers).toEqual(['Bearer one', null, null]);
  });

  test('behavior: writes carry JSON and, if given, their key; 204 is null', async () => {
    const { client, sent } = clientWith(() => new Response(null, { status: 204 }), 'abc');
    const query = { vault_address: address, chain_id: '1' };
    expect(await client.revokeViewOnly({ params: { wallet_address: address }, query, idempotencyKey: 'k' })).toBeNull();
    expect(sent[0]?.init.method).toBe('DELETE');
    expect(new Headers(sent[0]?.init.headers).get('idempotency-key')).toBe('k');
    expect(sent[0]?.init.body).toBeUndefined();
  });

  test('error: an answer against its contract is not passed on', async () => {
    const { client } = clientWith(() => json({ wallet_address: 5 }));
    await expect(client.me({})).rejects.toThrow();
  });
});

describe('parts of answers', () => {
  test('default: with fields an answer is passed on as it is, and its type says that each may be absent', async () => {
    const part = { chain_id: 1, vault_address: address, asset: { symbol: 'USDC' } };
    const { client, sent } = clientWith(() => json(part));
    const params = { chain_id: '1', vault_address: address };
    const answer = await client.vault({ params, query: { fields: 'asset.symbol' } });
    const symbol: string | undefined = answer.asset?.symbol;
    expect([answer, symbol]).toEqual([part, 'USDC']);
    expect(sent[0]?.url).toBe(`https://app.example.org/api/v1/vaults/1/${address}?fields=asset.symbol`);
    const refusedByTheCompiler = [
      // @ts-expect-error -- a write has no fields to choose
      () => client.createNonce({ body: { address, chain_id: 1 }, query: { fields: 'nonce' } }),
      // @ts-expect-error -- nor is anything else a parameter of this route
      () => client.vault({ params, query: { surprise: '1' } }),
      // @ts-expect-error -- what was not asked for may be absent
      async () => (await client.vault({ params, query: { fields: 'asset.symbol' } })).asset.symbol,
    ];
    expect(refusedByTheCompiler).toHaveLength(3);
  });

  test('error: without them the same answer breaks the contract', async () => {
    const { client } = clientWith(() => json({ chain_id: 1, vault_address: address }));
    await expect(client.vault({ params: { chain_id: '1', vault_address: address } })).rejects.toThrow();
  });
});

describe('deprecated operations', () => {
  const noVaults = (headers: Record<string, string>) => json([], 200, headers);
  const noticed = (headers: Record<string, string>) => {
    const notices: DeprecationNotice[] = [];
    const client = createClient({
      baseUrl: 'http://x',
      fetch: async (url) => (String(url).includes('public') ? noVaults(headers) : json(me)),
      onDeprecated: (notice) => notices.push(notice),
    });
    return { client, notices };
  };

  test('default: each is reported once, with its days and where to read on', async () => {
    const { client, notices } = noticed({
      deprecation: '@1796083200',
      sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
      link: '<https://x.example/next>; rel="next", <https://x.example/docs/changelog>; rel="deprecation"; type="text/html"',
    });
    await client.publicVaults({});
    await client.publicVaults({});
    await client.me({});
    expect(notices).toEqual([
      {
        operation: 'publicVaults',
        since: new Date('2026-12-01T00:00:00Z'),
        sunset: new Date('2027-06-01T00:00:00Z'),
        link: 'https://x.example/docs/changelog',
      },
    ]);
  });

  test('behavior: while no day is fixed and no page named both are null; a header that is no date is none', async () => {
    const bare = noticed({ deprecation: '@1796083200' });
    await bare.client.publicVaults({});
    expect(bare.notices).toMatchObject([{ sunset: null, link: null }]);
    const nonsense = noticed({ deprecation: 'true' });
    await nonsense.client.publicVaults({});
    expect(nonsense.notices).toEqual([]);
  });
});

describe('errors', () => {
  test('error: a problem keeps all it says', async () => {
    const problem = { status: 429, code: 'RATE_LIMITED', detail: 'Slow down.', request_id: 'r1', errors: [] };
    const { client } = clientWith(() =>
      json(problem, 429, { 'content-type': 'application/problem+json', 'retry-after': '3' }),
    );
    const error = await client.me({}).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', request_id: 'r1', retry_after_seconds: 3 });
  });

  test('error: what is no problem keeps its status', async () => {
    const { client } = clientWith(() => new Response('<html>', { status: 502, headers: { 'x-request-id': 'r2' } }));
    await expect(client.me({})).rejects.toMatchObject({ status: 502, code: 'NOT_A_PROBLEM', request_id: 'r2' });
  });
});

test('behavior: methods are named as the operations of the description', () => {
  const client = createClient({ baseUrl: 'http://x' }) as unknown as Record<string, unknown>;
  for (const [key, route] of Object.entries(routes) as [string, Route][]) {
    const name = (operationNames as Record<string, string>)[key] ?? key;
    expect(name).toBe(route.id);
    if (route.action) expect(typeof client[name]).toBe('function');
  }
});

describe('a client that grows', () => {
  const all = routes as unknown as RouteTable;
  const noUsers = { users: [], total: 0, has_more: false, next_cursor: null };
  const ask = { query: { vault_address: address, chain_id: '1' } };
  const growing = (tableOf: (name: string) => Promise<RouteTable>) =>
    createGrowingClient(
      { baseUrl: 'http://x', fetch: async (url) => json(/users/.test(String(url)) ? noUsers : me) },
      tableOf,
    );

  test('default: a table comes once, with the first call of an operation', async () => {
    const tableOf = jest.fn(async () => all);
    const client = growing(tableOf);
    expect(tableOf).not.toHaveBeenCalled();
    expect(await Promise.all([client.users(ask), client.users(ask)])).toEqual([noUsers, noUsers]);
    expect(await client.users(ask)).toEqual(noUsers);
    expect(tableOf).toHaveBeenCalledTimes(1);
    expect(await client.me({})).toEqual(me);
    expect(await Promise.resolve(client)).toBe(client);
  });

  test('error: what did not come is asked for again with the next call', async () => {
    const tableOf = jest.fn(async () => all).mockRejectedValueOnce(new TypeError('Failed to fetch'));
    const client = growing(tableOf);
    await expect(client.users(ask)).rejects.toThrow('Failed to fetch');
    expect(await client.users(ask)).toEqual(noUsers);
  });

  test('error: an operation that no table has is named', async () => {
    const client = growing(async () => all) as unknown as Record<string, (input: object) => Promise<unknown>>;
    await expect(client.nothing?.({})).rejects.toThrow('no operation nothing');
  });

  test('behavior: what brings a table learns which operation was called, and may bring a part', async () => {
    const { users, ...others } = all;
    if (users === undefined) throw new Error('there is no such route');
    const tableOf = jest.fn(async (name: string) => (name === 'users' ? { users } : others));
    const client = growing(tableOf);
    expect(await client.users(ask)).toEqual(noUsers);
    await client.listSessions({}).catch(() => undefined);
    expect(tableOf.mock.calls).toEqual([['users'], ['listSessions']]);
  });

  test('behavior: what Operate starts with is a part of its routes', () => {
    expect(operateRoutes).toMatchObject(operateStartRoutes);
  });

  test('behavior: the two tables of the contracts are the whole, and share nothing', () => {
    expect(Object.keys(routes).sort()).toEqual([...Object.keys(publicRoutes), ...Object.keys(operateRoutes)].sort());
  });
});
