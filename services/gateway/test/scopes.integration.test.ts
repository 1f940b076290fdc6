import {
  AppError,
  type InputOf,
  ReadTogether,
  type Route,
  type Routes,
  routes,
  type TokenScope,
} from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';
import { requestsFor } from './route-requests.ts';
import { tokenRules } from './token-rules.ts';

const names = Object.keys(routes) as (keyof Routes)[];
const routeOf = (name: keyof Routes) => routes[name] as unknown as Route;
const requestFor = requestsFor({ vault_address: vaultAddress, wallet_address: managerAddress });
const vault = { vault_address: vaultAddress, chain_id: 31337 };

const elsewhere = `31337:${managerAddress}`;
const here = `31337:${vaultAddress}`;
const tokens = {
  none: undefined,
  read: { castellan_scope: 'read' },
  prepare: { castellan_scope: 'prepare' },
  full: {},
  'full, said so': { castellan_scope: 'full' },
  'read, bound to this vault': { castellan_scope: 'read', castellan_vault: here },
  'prepare, bound to this vault': { castellan_scope: 'prepare', castellan_vault: here },
  'full, bound to this vault': { castellan_vault: here },
  'read, bound to another vault': { castellan_scope: 'read', castellan_vault: elsewhere },
  'prepare, bound to another vault': { castellan_scope: 'prepare', castellan_vault: elsewhere },
  'full, bound to another vault': { castellan_vault: elsewhere },
  'full, of a contract on this chain': { castellan_chain: 31337 },
  'full, of a contract on another chain': { castellan_chain: 1 },
  'read, bound to this address on another chain': { castellan_scope: 'read', castellan_vault: `1:${vaultAddress}` },
} as const;
type TokenName = keyof typeof tokens;
const tokenNames = Object.keys(tokens) as TokenName[];

/** What is to happen, by the rule alone. */
function expected(
  name: keyof Routes,
  token: TokenName,
): 'as the public' | 'as the wallet' | 'TOKEN_MISSING' | 'SCOPE_REQUIRED' {
  const rule = tokenRules[name];
  if (rule === 'public' || rule === 'optional shared') return 'as the public';
  if (token === 'none') return rule.startsWith('optional') ? 'as the public' : 'TOKEN_MISSING';
  const isElsewhere = token.includes('another');
  if (rule === 'optional own') return 'as the wallet';
  // Of several vaults one is always another than the one a token is for, on another chain than a contract's.
  if (rule === 'optional') {
    const namesMany = name === 'analyticsCompare' || name === 'lookupVaults';
    return isElsewhere || (namesMany && /bound|contract/.test(token)) ? 'as the public' : 'as the wallet';
  }
  const [scope, where] = rule.split(' ') as [TokenScope, string];
  const rank = ['read', 'prepare', 'full'];
  if (rank.indexOf(token.split(',')[0] ?? '') < rank.indexOf(scope)) return 'SCOPE_REQUIRED';
  if (where === 'vault' && isElsewhere) return 'SCOPE_REQUIRED';
  return where === 'unbound' && token.includes('bound') ? 'SCOPE_REQUIRED' : 'as the wallet';
}

let gateway: TestGateway;
/** The wallets for which a service was asked: by an envelope, or among those that are read for together. */
const asked: (string | undefined)[] = [];
const bearers = new Map<TokenName, string>();

beforeAll(async () => {
  gateway = await startTestGateway({
    callAction: async (action, params, options) => {
      const isTogether = (action.name as string) === ReadTogether.name;
      const { reads = [] } = (isTogether ? params : {}) as Partial<InputOf<typeof ReadTogether>>;
      asked.push(options?.caller?.wallet_address ?? reads[0]?.wallet_address);
      throw new AppError('NOT_READY', 'Reached a service.');
    },
  });
  for (const name of tokenNames) {
    const claims = tokens[name];
    if (claims) bearers.set(name, await aToken({ claims }));
  }
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => gateway.stop());

const askWith = (name: keyof Routes, token: TokenName) => {
  const bearer = bearers.get(token);
  return gateway.http.inject({
    ...requestFor(name),
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  });
};

async function outcomeOf(name: keyof Routes, token: TokenName): Promise<string> {
  const answer = await askWith(name, token);
  const { code } = answer.json() as { code: string };
  if (code !== 'NOT_READY') return asked.length === 0 ? code : `${code}, though a service was asked`;
  return asked[0] === managerAddress ? 'as the wallet' : 'as the public';
}

describe('every route by every kind of token', () => {
  test('default: each has its rule', () => {
    expect(Object.keys(tokenRules).sort()).toEqual([...names].sort());
  });

  test.each(names)('behavior: %s', async (name) => {
    const seen: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const token of tokenNames) {
      asked.length = 0;
      seen[token] = await outcomeOf(name, token);
      wanted[token] = expected(name, token);
    }
    expect(seen).toEqual(wanted);
  });

  test('behavior: HEAD asks for what GET does', async () => {
    const { url } = requestFor('users');
    const headers = { authorization: `Bearer ${bearers.get('read, bound to another vault')}` };
    const answer = await gateway.http.inject({ method: 'HEAD', url, headers });
    expect([answer.statusCode, asked]).toEqual([403, []]);
  });
});

describe('a refusal', () => {
  test('default: names the scope that is needed and the one there is', async () => {
    const answer = await askWith('preparePause', 'read');
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ code: 'SCOPE_REQUIRED', detail: expect.stringMatching(/prepare.*read/) });
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope", scope="prepare"');
  });

  test('behavior: comes after 401 and 400', async () => {
    const payload = { ...vault, reason: 5 };
    const pause = (headers: Record<string, string>) =>
      gateway.http.inject({ ...requestFor('preparePause'), payload, headers });
    expect((await pause({})).statusCode).toBe(401);
    expect((await pause({ authorization: `Bearer ${bearers.get('read')}` })).statusCode).toBe(400);
  });

  test('behavior: names the vault a token is for', async () => {
    const answer = await askWith('users', 'read, bound to another vault');
    expect(answer.json()).toMatchObject({ status: 403, detail: expect.stringContaining(managerAddress) });
  });
});

/** How the description says whether a token is needed. */
const waysOf = { public: [], optional: [{ bearer: [] }, {}], bearer: [{ bearer: [] }] };

test('default: the description names the scope of each route', async () => {
  const document = (await gateway.http.inject('/api/v1/openapi.json')).json();
  expect(document.components.responses.Refused.description).toMatch(/\*\*403\*\*[^*]+`SCOPE_REQUIRED`/);
  for (const name of names) {
    const { path, method, auth, scope, id } = routeOf(name);
    const operation = document.paths[path][method.toLowerCase()];
    const wanted = auth === 'public' ? undefined : scope;
    expect([id, operation['x-castellan-scope']]).toEqual([id, wanted]);
    expect([id, operation.security ?? document.security]).toEqual([id, waysOf[auth]]);
    expect(operation.responses['4XX']).toEqual({ $ref: '#/components/responses/Refused' });
  }
});
