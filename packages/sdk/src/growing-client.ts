import { type AnyInput, type AnyMethods, type Client, methodsOf, type RouteTable, withStreams } from './client.ts';
import { transportOf } from './request.ts';
import type { ClientOptions } from './types.ts';

export type { RouteTable } from './client.ts';

/**
 * The same client for a page that should not begin with the shapes of every answer: they come with `tableOf` when an operation of
 * theirs is first called, and are asked for again if they did not come. `tableOf` learns which operation was called, so that it may
 * bring a part of them.
 * @example
 * const tableOf = async () => (await import('@castellan/contracts')).routes;
 * const client = createGrowingClient({ baseUrl: 'https://app.example.org' }, tableOf);
 */
export function createGrowingClient(
  options: Omit<ClientOptions, 'onDeprecated'>,
  tableOf: (name: string) => Promise<RouteTable>,
): Client {
  const transport = transportOf(options);
  const tables = new WeakMap<RouteTable, AnyMethods>();
  const coming = new Map<string, Promise<AnyMethods>>();
  const methodsFor = (table: RouteTable) => {
    const methods = tables.get(table) ?? methodsOf(transport, table);
    tables.set(table, methods);
    return methods;
  };
  const comingWith = (name: string) => {
    const known = coming.get(name);
    if (known !== undefined) return known;
    const asked = tableOf(name).then(methodsFor, (error: unknown) => {
      coming.delete(name);
      throw error;
    });
    coming.set(name, asked);
    return asked;
  };
  const later = (name: string) => async (input: AnyInput) => {
    const method = (await comingWith(name))[name];
    if (method === undefined) throw new TypeError(`The API has no operation ${name}.`);
    return method(input);
  };
  return new Proxy(withStreams(transport, {}), {
    get(methods: Client & Record<string, unknown>, name) {
      // What has a `then` would be taken for a promise.
      if (typeof name === 'string' && name !== 'then') methods[name] ??= later(name);
      return Reflect.get(methods, name);
    },
  });
}
