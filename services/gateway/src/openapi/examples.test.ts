import type { Route } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { allRoutes } from '../http/serve-routes.ts';
import { exampleLink, exampleOf, examples } from './examples.ts';

/** What no local system answers in JSON without more than a scene of its own: streams, files, maintainers, a keeper, a chat, a breach, a month. */
const withoutExample = [
  ...['vaultStream', 'analyticsExport', 'auditExport', 'merkleArtifact', 'vaultReport'],
  ...['createRegistryHook', 'updateRegistryHook', 'deleteRegistryHook'],
  ...['conversation', 'deleteConversation', 'acknowledgeAlert', 'resolveAlert', 'acknowledgeMandateBreach'],
  'mandateAttestation',
  ...['engineShard', 'getIntent', 'intentEvents', 'intentFills'],
];

test('default: every operation has an example, but for those that are named', () => {
  const missing = allRoutes.filter(({ id }) => examples[id] === undefined).map(({ id }) => id);
  // node tools/record-examples/main.ts records them.
  expect(missing.sort()).toEqual(withoutExample.sort());
});

const routesOf = Object.entries(examples).map(([id, example]) => [id, example] as const);

test.each(routesOf)('default: the example of %s fits its operation', (id, { request, status, answer }) => {
  const route = allRoutes.find((each) => each.id === id) as Route;
  expect(route.method).toBe(request.method);
  expect(request.path.split('?')[0]).toMatch(new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
  expect([200, 201, 202, 204]).toContain(status);
  expect(route.body?.safeParse(request.body).error).toBeUndefined();
  expect(route.result.safeParse(answer).error).toBeUndefined();
});

test('behavior: no example holds a token', () => {
  expect(JSON.stringify(examples)).not.toMatch(/eyJ[\w-]+\./);
});

test('error: there is no example of what is not an operation', () => {
  expect(exampleOf('toString')).toBeUndefined();
  expect(exampleLink('vaultStream', 'http://127.0.0.1:8080')).toEqual({});
});
