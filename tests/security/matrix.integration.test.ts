import { type Route, type Routes, routes } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { anAddress, until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { descriptions } from '../../services/gateway/src/openapi/descriptions.ts';
import { openApiDocument } from '../../services/gateway/src/openapi/document.ts';
import { requestsFor } from '../../services/gateway/test/route-requests.ts';
import { tokenRules } from '../../services/gateway/test/token-rules.ts';
import { hostileDocuments } from './hostile-documents.ts';
import { tokenAttacks } from './token-attacks.ts';
import { Forger, genuineKey } from './token-forger.ts';
import { World, wallets } from './world.ts';

jest.setTimeout(600_000);

/** Every route of the description by every kind of caller, through all services: nobody is let in whom the two tables keep out. */

const callers = [
  ...(['anonymous', 'ended', 'expired', 'stranger', 'removed', 'other', 'viewer', 'secondary', 'primary'] as const),
  ...(['primary, by a token to read', 'primary, by a token to prepare'] as const),
];
type Caller = (typeof callers)[number];
/** Of the document, which is what the world reads, by the names of the contracts. */
const names = Object.keys(routes) as (keyof Routes)[];
const routeOf = (name: keyof Routes) => routes[name] as unknown as Route;

let world: World;
const tokens = new Map<Caller, string>();
beforeAll(async () => {
  world = await World.start();
  for (const name of ['stranger', 'removed', 'other', 'viewer', 'secondary', 'primary'] as const)
    tokens.set(name, await world.signIn(wallets[name]));
  const ended = await world.signIn(wallets.primary);
  const logOut = await fetch(`${world.origin}${routes.logout.path}`, {
    method: routes.logout.method,
    headers: { authorization: `Bearer ${ended}` },
  });
  expect(logOut.ok).toBe(true);
  tokens.set('ended', ended);
  const forger = new Forger(await genuineKey(world), world.origin);
  tokens.set('expired', await forger.token({ claims: { exp: Math.floor(Date.now() / 1000) - 60 } }));
  const client = createClient({ baseUrl: world.origin, token: tokens.get('primary') as string });
  await client.grantViewOnly({ body: { ...world.vault, wallet_address: wallets.viewer.address } });
  for (const scope of ['read', 'prepare'] as const) {
    const body = { name: scope, scope, expires_in_seconds: 3600 };
    tokens.set(`primary, by a token to ${scope}`, (await client.createScopedToken({ body })).access_token);
  }
  // What was ended and granted reaches the other services by the bus.
  await until('the end of the session is known', async () => (await outcomeOf('me', 'ended')) === 'TOKEN_REVOKED');
  await until('the grant is known', async () => (await outcomeOf('pauseProof', 'viewer')) === 'let in');
});
afterAll(() => world?.stop());

const ranks = ['viewer', 'secondary', 'primary'];

/** What is to happen, by the tables alone. */
function expected(name: keyof Routes, caller: Caller): string {
  const rule = tokenRules[name];
  if (rule === 'public') return 'let in';
  if (caller === 'anonymous' && !rule.startsWith('optional')) return 'TOKEN_MISSING';
  if (caller === 'ended') return 'TOKEN_REVOKED';
  if (caller === 'expired') return 'TOKEN_EXPIRED';
  const scopes = ['read', 'prepare', 'full'];
  const scope = caller.split('a token to ')[1] ?? 'full';
  const needed = rule.startsWith('optional') ? 'read' : (rule.split(' ')[0] as string);
  if (scopes.indexOf(scope) < scopes.indexOf(needed)) return 'SCOPE_REQUIRED';
  const { role } = descriptions[name];
  const has = caller.split(',')[0] as string;
  if (role === 'anyone') return 'let in';
  if (role === 'manager of any vault')
    return ['other', 'secondary', 'primary'].includes(has) ? 'let in' : 'ROLE_REQUIRED';
  return role !== 'nobody here' && ranks.indexOf(has) >= ranks.indexOf(role) ? 'let in' : 'ROLE_REQUIRED';
}

async function ask(name: keyof Routes, caller: Caller): Promise<string> {
  const about = { vault_address: world.vault.vault_address, wallet_address: anAddress(0xd1) };
  const { method, url, payload } = requestsFor(about)(name) as { method: string; url: string; payload?: object };
  const token = tokens.get(caller);
  const opened = new AbortController();
  const answer = await fetch(`${world.origin}${url}`, {
    method,
    signal: opened.signal,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
  });
  if (answer.status !== 401 && answer.status !== 403 && answer.status < 500) {
    if (routeOf(name).media === 'text/event-stream') opened.abort();
    else await answer.arrayBuffer();
    return 'let in';
  }
  const { code } = (await answer.json()) as { code: string };
  return code;
}

/** A machine that is busy with other tests lets a call end too late now and then, which says nothing of who may make it. */
const outcomeOf = (name: keyof Routes, caller: Caller): Promise<string> =>
  until(
    `an answer to ${caller} at ${name}`,
    async () => {
      const outcome = await ask(name, caller);
      return outcome === 'SERVICE_UNAVAILABLE' ? undefined : outcome;
    },
    180_000,
  );

test('default: every operation of the description has a row in both tables', () => {
  const all = names.map(routeOf);
  const described = Object.values(openApiDocument(all, world.origin).paths).flatMap((path) => Object.values(path));
  const ids = described.map(({ operationId }) => String(operationId)).sort();
  for (const table of [descriptions, tokenRules])
    expect((Object.keys(table) as (keyof Routes)[]).map((name) => routeOf(name).id).sort()).toEqual(ids);
});

test('behavior: each caller is let in where the tables say so, and nowhere else', async () => {
  // Logging out would end the sessions that ask for the rest.
  for (const name of names.filter((each) => each !== 'logout')) {
    const seen = await Promise.all(callers.map(async (caller) => [caller, await outcomeOf(name, caller)] as const));
    const wanted = callers.map((caller) => [caller, expected(name, caller)] as const);
    expect([name, Object.fromEntries(seen)]).toEqual([name, Object.fromEntries(wanted)]);
  }
});

describe('forged tokens', () => tokenAttacks(() => world));
describe('forged documents', () => hostileDocuments(() => world));
