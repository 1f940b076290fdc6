import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Route, routes, takesFields, takesIdempotencyKey } from './index.ts';

const all = Object.values(routes) as unknown as Route[];

test('behavior: every route has its own id, and its own method and path', () => {
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(new Set(all.map(({ method, path }) => `${method} ${path}`)).size).toBe(all.length);
});

test('behavior: the path values of a route are exactly its params', () => {
  for (const { path, params } of all) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
    expect(Object.keys((params as z.ZodObject).shape).sort()).toEqual(named);
  }
});

test('behavior: unknown query parameters are refused on every route', () => {
  for (const { query } of all) {
    const result = query.safeParse({ surprise: '1' });
    expect(result.error?.issues.some(({ code }) => code === 'unrecognized_keys')).toBe(true);
  }
});

test('behavior: a repeated query parameter is refused', () => {
  const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  expect(routes.users.query.safeParse({ vault_address: [other, other], chain_id: '1' }).success).toBe(false);
});

test('behavior: parts map to params the action accepts', () => {
  const vault_address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
  const body = routes.prepareAddSecondaryManager.body.parse({
    vault_address,
    chain_id: 1,
    manager_address: vault_address,
  });
  const query = routes.prepareAddSecondaryManager.query.parse({});
  const params = routes.prepareAddSecondaryManager.toParams({ params: {}, query, body });
  expect(routes.prepareAddSecondaryManager.action?.params.safeParse(params).success).toBe(true);
});

test('behavior: every schema can be described as JSON Schema', () => {
  for (const { params, query, body, result } of all) {
    for (const schema of [params, query, ...(body ? [body] : [])]) {
      expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow();
    }
    expect(() => z.toJSONSchema(result)).not.toThrow();
  }
});

test('behavior: every read of one vault states for how long its figures may stand', () => {
  const reads = all.filter(({ id }) => /^analytics(?!Export$|Compare$|Summaries$)/.test(id));
  expect(reads.length).toBeGreaterThanOrEqual(20);
  for (const { id, staleMs } of reads) expect([id, staleMs >= 15_000]).toEqual([id, true]);
});

test('behavior: what is open to a bound token takes a token, and names no vault in its path', () => {
  const open = all.filter(({ openToBoundTokens }) => openToBoundTokens);
  expect(open.length).toBeGreaterThan(0);
  expect(open.filter(({ auth, path }) => auth === 'public' || /\{vault_(address|id)\}/.test(path))).toEqual([]);
});

test('behavior: a read for which a caller names any address to be asked has the rate of what asks the chain', () => {
  expect(routes.describeYieldSource).toMatchObject({ rate: 'prepare', scope: 'read' });
});

const everybody = all.filter(({ sharing }) => sharing?.with === 'everybody');

test('behavior: only these answers are shared, and all other routes are answered by their service each time', () => {
  const isFigure = (id: string) => /^analytics/.test(id);
  expect(everybody.map(({ id }) => id).filter((id) => !isFigure(id))).toEqual([
    'chains',
    'publicVaults',
    'pauseStatus',
    'transmissions',
    'validators',
    'transaction',
    'tokenAssets',
    'yieldSources',
    'publishedMerkleTree',
    'merkleProofStatus',
    'validatorHistory',
    'validatorRounds',
    'validatorRound',
  ]);
  expect(all.filter(({ sharing }) => sharing?.with === 'caller').map(({ id }) => id)).toEqual(['vault', 'feed']);
  expect(all.filter(({ sharing }) => sharing?.with === 'public').map(({ id }) => id)).toEqual(['vaultSettings']);
  const unshared = all.filter(({ id, sharing }) => isFigure(id) && sharing === undefined).map(({ id }) => id);
  expect(unshared).toEqual(['analyticsExport', 'analyticsCompare']);
});

test('behavior: what is shared with everybody needs no sign-in, and is answered to a service that names no caller', () => {
  for (const { id, auth, action } of everybody)
    expect([id, auth !== 'bearer' && action?.callers.services?.includes('gateway')]).toEqual([id, true]);
});

test('behavior: what is shared is a plain read, of what its path or nothing names', () => {
  for (const { id, method, cache, toAnswer, sharing, path } of all.filter((each) => each.sharing !== undefined)) {
    expect([id, method, cache, toAnswer]).toEqual([id, 'GET', 'etag', undefined]);
    if (sharing?.from === 'vault' || sharing?.from === 'projection')
      expect(path).toContain('/{chain_id}/{vault_address}');
  }
});

test('behavior: what no event ends says how long it may stand', () => {
  const timed = all.filter(({ sharing }) => sharing?.from === 'time').map(({ id, staleMs }) => [id, staleMs]);
  expect(timed).toEqual([
    ['chains', 1000],
    ['validators', 1000],
    ['transaction', 1000],
    ['merkleProofStatus', 10_000],
    ['analyticsSummaries', 5000],
    ['validatorHistory', 20_000],
    ['validatorRounds', 1000],
    ['validatorRound', 1000],
  ]);
});

test('behavior: what is deprecated names two days at least half a year apart, and a route that stays', () => {
  const staying = new Set(all.filter(({ deprecated }) => deprecated === undefined).map(({ id }) => id));
  for (const { id, deprecated } of all) {
    if (deprecated === undefined) continue;
    const { since, sunset = '9999-12-31', instead } = deprecated;
    const days = [since, sunset].map((day) => new Date(day).toISOString().slice(0, 10));
    // docs/api/README.md promises half a year.
    const isLongEnough = Date.parse(sunset) - Date.parse(since) >= 180 * 86_400_000;
    expect([id, days, isLongEnough, staying.has(instead)]).toEqual([id, [since, sunset], true, true]);
  }
});

test('behavior: a GET with an ETag takes fields, which is the name of no parameter', () => {
  expect(all.filter(takesFields).map(({ method, cache }) => `${method} ${cache}`)).toEqual(
    all.filter(({ method, cache }) => method === 'GET' && cache === 'etag').map(() => 'GET etag'),
  );
  const taken = all.filter(({ query }) => 'fields' in (query as z.ZodObject).shape).map(({ id }) => id);
  expect(taken).toEqual([]);
});

test('behavior: of what is no GET only these take no Idempotency-Key, besides calls that are prepared', () => {
  const others = all.filter((route) => route.method !== 'GET' && !takesIdempotencyKey(route));
  expect(others.map(({ id }) => id).filter((id) => !id.startsWith('prepare'))).toEqual([
    // Their answers are secrets, which are not kept.
    ...['createNonce', 'createToken', 'logout'],
    'analyticsCompare',
    ...['createScopedToken', 'stepUp'],
    // The same transaction of the same call, however often.
    'broadcastPrepared',
    'backtestMandate',
    'backtestAlertRule',
    'testChannel',
    'backtestOwnAlertRule',
    'lookupVaults',
  ]);
});
