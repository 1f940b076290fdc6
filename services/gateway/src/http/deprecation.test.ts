import { AppError, type Deprecated, type Route, route, routes } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { openApiDocument } from '../openapi/document.ts';
import { type RoutePorts, registerApiRoutes } from './serve-routes.ts';

const publicUrl = 'https://vaults.example';

/** A server of two routes: `chains`, and a deprecated form of it. */
async function serving(deprecated: Deprecated) {
  const { chains } = routes;
  const old = route({ ...chains, path: '/api/v1/old-chains', sharing: undefined, deprecated }) as unknown as Route;
  const uses: string[] = [];
  const limits = { isUsedUp: false };
  const limit: RoutePorts['limits']['api'] = async () => {
    if (limits.isUsedUp) throw new AppError('RATE_LIMITED', 'Too many requests.');
  };
  const ports = {
    callAction: async () => ({ chains: [] }),
    limits: { api: limit },
    faults: { check: () => undefined },
    together: async () => undefined,
    publicUrl,
    onDeprecatedUse: ({ path }: Route) => void uses.push(path),
  } as unknown as RoutePorts;
  const app = fastify();
  app.setErrorHandler((error, _request, reply) => reply.code((error as AppError).status).send({}));
  app.addHook('onRequest', (request, _reply, done) => {
    request.inContext = (work) => work();
    done();
  });
  registerApiRoutes(app, ports, [old, { ...old, path: chains.path, deprecated: undefined } as unknown as Route]);
  await app.ready();
  return { app, uses, limits };
}

test('default: each answer says since when it is deprecated, until when it is served, and where that is explained', async () => {
  const { app, uses } = await serving({ since: '2026-12-01', sunset: '2027-06-01', instead: 'chains' });
  const answer = await app.inject('/api/v1/old-chains');
  expect([answer.statusCode, answer.json()]).toEqual([200, { chains: [] }]);
  expect(answer.headers).toMatchObject({
    deprecation: '@1796083200',
    sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
    link: '<https://vaults.example/docs/changelog>; rel="deprecation"; type="text/html"',
  });
  await app.inject({ method: 'HEAD', url: '/api/v1/old-chains' });
  expect(uses).toEqual(['/api/v1/old-chains', '/api/v1/old-chains']);
  await app.close();
});

test('behavior: a route that stays says nothing and is not counted', async () => {
  const { app, uses } = await serving({ since: '2026-12-01', instead: 'chains' });
  const { headers } = await app.inject('/api/v1/chains');
  expect([headers.deprecation, headers.sunset, headers.link]).toEqual([undefined, undefined, undefined]);
  expect(uses).toEqual([]);
  await app.close();
});

test('behavior: while no day is fixed there is no Sunset', async () => {
  const { app } = await serving({ since: '2026-12-01', instead: 'chains' });
  const { headers } = await app.inject('/api/v1/old-chains');
  expect([headers.deprecation, headers.sunset]).toEqual(['@1796083200', undefined]);
  await app.close();
});

test('error: refusals say it too, and count as no use', async () => {
  const { app, uses, limits } = await serving({ since: '2026-12-01', instead: 'chains' });
  const malformed = await app.inject('/api/v1/old-chains?surprise=1');
  limits.isUsedUp = true;
  const limited = await app.inject('/api/v1/old-chains');
  expect([malformed, limited].map(({ statusCode, headers }) => [statusCode, headers.deprecation])).toEqual([
    [400, '@1796083200'],
    [429, '@1796083200'],
  ]);
  expect(uses).toEqual([]);
  await app.close();
});

test('behavior: the description marks it, with the days and what takes its place', () => {
  const deprecated = { since: '2026-12-01', sunset: '2027-06-01', instead: 'chains' };
  const document = openApiDocument([{ ...routes.chains, deprecated } as unknown as Route], publicUrl);
  const operation = document.paths['/api/v1/chains']?.get;
  expect(operation?.deprecated).toBe(true);
  expect(operation?.description).toContain(
    'Deprecated since 2026-12-01, may be removed from 2027-06-01 on: use chains.',
  );
});
