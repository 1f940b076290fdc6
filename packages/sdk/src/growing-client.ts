import { type AnyInput, type AnyMethods, type Client, methodsOf, type RouteTable, withStreams } from './client.ts';
import { transportOf } from './request.ts';
import type { ClientOptions } from './types.ts';

export type { RouteTable } from './client.ts';

/**
 * The same client for a page that should not begin with the shapes of every answer: the `first` routes are at hand, the
 * others come with `rest` when one of them is first called, and are asked for again if they did not come.
 * @example
 * const rest = async () => (await import('@castellan/contracts')).operateRoutes;
 * const client = createGrowingClient({ baseUrl: 'https://app.example.org' }, publicRoutes, rest);
 */
export function createGrowingClient(
  options: Omit<ClientOptions, 'onDeprecated'>,
  first: RouteTable,
  rest: () => Promise<RouteTable>,
): Client {
  const transport = transportOf(options);
  let coming: Promise<AnyMethods> | undefined;
  const others = () => {
    coming ??= rest().then(
      (table) => methodsOf(transport, table),
      (error: unknown) => {
        coming = undefined;
        throw error;
      },
    );
    return coming;
  };
  const later = (name: string) => async (input: AnyInput) => {
    const method = (await others())[name];
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
