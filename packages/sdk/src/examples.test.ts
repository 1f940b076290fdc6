import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Route, routes } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { declaredForExamples, docstringExamples, methodOf } from '../../../tools/publish/docstring-examples.ts';
import { createClient } from './index.ts';
import { operationNames } from './types.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const examples = docstringExamples(root);

const named = Object.entries(routes as Record<string, Route>).map(([key, route]) => ({
  route,
  name: (operationNames as Record<string, string>)[key] ?? key,
}));

/** The request that the example sends, as its route sees it. */
async function requestOf(code: string): Promise<{ method: string; url: URL; body: unknown }> {
  const sent = Promise.withResolvers<{ method: string; url: URL; body: unknown }>();
  const client = createClient({
    baseUrl: 'http://x',
    token: 'secret',
    fetch: async (url, init) => {
      const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      sent.resolve({ method: init?.method ?? 'GET', url: new URL(String(url)), body });
      throw new TypeError('fetch failed');
    },
  });
  const lines = stripTypeScriptTypes(`async function example() {${declaredForExamples}\n{\n${code}\n}\n}`);
  const run = new Function('client', `${lines}\nreturn example();`) as (given: typeof client) => Promise<unknown>;
  await run(client).catch(sent.reject);
  return sent.promise;
}

describe('examples of the methods', () => {
  test('default: every method has one', () => {
    const shown = new Set(examples.map(methodOf));
    const methods = [
      ...named.filter(({ route }) => route.action).map(({ name }) => name),
      'streamVault',
      'followVault',
    ];
    expect(methods.filter((name) => !shown.has(name))).toEqual([]);
    for (const maker of ['createClient(', 'createSession(', 'createGrowingClient('])
      expect(examples.filter((code) => code.includes(maker))).not.toEqual([]);
  });

  test.each(
    named.flatMap(({ name, route }) =>
      examples
        .filter((code) => methodOf(code) === name && !code.includes('createClient'))
        .map((code) => ({ name, route, code })),
    ),
  )('behavior: $name takes the request of its example', async ({ route, code }) => {
    const { method, url, body } = await requestOf(code);
    expect(method).toBe(route.method);
    const path = new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(
      decodeURIComponent(url.pathname),
    );
    const faults = [
      [route.params, { ...path?.groups }],
      [route.query, Object.fromEntries(url.searchParams)],
      ...(route.body ? [[route.body, body]] : []),
    ].flatMap(([schema, value]) => (schema as Route['params']).safeParse(value).error?.issues ?? []);
    expect(faults).toEqual([]);
  });
});
