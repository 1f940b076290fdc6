import { type AnyInput, type AnyMethods, type Client, methodsOf, type RouteTable, withStreams } from './client.ts';
import { transportOf } from './request.ts';
import type { ClientOptions } from './types.ts';

export type { RouteTable } from './client.ts';

/**
 * The same client for a page that should not begin with the shapes of every answer: the `first` routes are at hand, the
 * others come with `rest` when one of them is first called, and are asked for again if they did not come. `rest` learns which
 * operation was called, so that it may bring a part of them.
 * @example
 * const rest = async () => (await import('@castellan/contracts')).operateRoutes;
 * const client = createGrowingClient({ baseUrl: 'https://app.example.org' }, publicRoutes, rest);
 */
export function createGrowingClient(
  options: Omit<ClientOptions, 'onDeprecated'>,
  first: RouteTable,
  rest: (name: string) => Promise<RouteTable>,
): Client {
  const transport = transportOf(options);
  const tables = new WeakMap<RouteTable, AnyMethods>();
  const coming = new Map<string, Promise<AnyMethods>>();
  const methodsFor = (table: RouteTable) => {
    const methods = tables.get(table) ?? methodsOf(transport, table);
    tables.set(table, methods);
    return methods;
  };
  const others = (name: string) => {
    const known = coming.get(name);
    if (known !== undefined) return known;
    const asked = rest(name).then(methodsFor, (error: unknown) => {
      coming.delete(name);
      throw error;
    });
    coming.set(name, asked);
    return asked;
  };
  const later = (name: string) => async (input: AnyInput) => {
    const method = (await others(name))[name];
    if (method === undefined) throw new TypeError(`The API has no operation ${name}.`);
    return method(input);
  };
  return new Proxy(withStreams(transport, methodsOf(transport, first)), {
    get(methods: Client & Record<string, unknown>, name) {
      // What has a `then` would be taken for a promise.
      if (typeof name === 'string' && name !== 'then') methods[name] ??= later(name);
      return Reflect.get(methods, name);
    },
  });
}
