import { routes } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { allRoutes } from '../http/api-routes.ts';
import { openApiDocument } from './document.ts';

type Answer = { description: string; content?: Record<string, unknown> };
const { paths } = openApiDocument(allRoutes, 'http://127.0.0.1:8080');
const answersOf = ({ path, method }: { path: string; method: string }) =>
  (paths[path]?.[method.toLowerCase()]?.responses ?? {}) as Record<string, Answer>;

test('default: both exports state every content type they are sent with', () => {
  const files = ['application/json', 'application/x-ndjson', 'text/csv'];
  for (const route of [routes.analyticsExport, routes.auditExport])
    expect(Object.keys(answersOf(route)[200]?.content ?? {}).sort()).toEqual(files);
});

test('behavior: every route states 400, and every write 413 and 415, with or without a body of its own', () => {
  for (const route of allRoutes) {
    const stated = Object.keys(answersOf(route));
    const isWrite = route.method !== 'GET';
    expect([route.id, stated.includes('400')]).toEqual([route.id, true]);
    expect([route.id, stated.includes('413'), stated.includes('415')]).toEqual([route.id, isWrite, isWrite]);
  }
});
