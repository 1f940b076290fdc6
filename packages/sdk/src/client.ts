import { type Route, routes } from '@castellan/contracts';
import { apiErrorOf } from './api-error.ts';
import { authorizationOf, type Transport, transportOf, urlOf } from './request.ts';
import { type FollowInput, followVault, type StreamInput, streamVault, type VaultEvent } from './stream.ts';
import type { CallOptions, ClientOptions, Operations } from './types.ts';

type AnyInput = CallOptions & {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
};

/** The API as functions: one per route, and the live updates of a vault. */
export type Client = Operations & {
  /**
   * The updates of a vault over one connection; throws or ends when it does.
   * @example
   * for await (const { update } of client.streamVault({ params: vault })) console.log(update.kind);
   */
  streamVault(input: StreamInput): AsyncGenerator<VaultEvent, void, undefined>;
  /**
   * The updates of a vault; comes back by itself until the signal aborts.
   * @example
   * const stopping = new AbortController();
   * await client.followVault({
   *   params: vault,
   *   signal: stopping.signal,
   *   onEvent: ({ update }) => console.log(update.kind),
   *   onReset: () => console.log('read the vault again'),
   * });
   */
  followVault(input: FollowInput): Promise<void>;
};

async function call(transport: Transport, route: Route, input: AnyInput): Promise<unknown> {
  const { params, query, body, signal, idempotencyKey } = input;
  const response = await transport.send(urlOf(transport.origin, route.path, params, query), {
    method: route.method,
    headers: {
      accept: 'application/json',
      ...(route.auth === 'public' ? {} : await authorizationOf(transport.token)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await apiErrorOf(response);
  return route.result.parse(response.status === 204 ? null : await response.json());
}

/** Some of the routes, by their key in the table. */
export type RouteTable = Readonly<Record<string, Route>>;

const methodsOf = (transport: Transport, table: RouteTable) =>
  Object.fromEntries(
    Object.values(table)
      .filter(({ action }) => action !== undefined)
      .map((route) => [route.id, (input: AnyInput) => call(transport, route, input)]),
  );

const withStreams = (transport: Transport, methods: unknown): Client => ({
  ...(methods as Operations),
  streamVault: (input) => streamVault(transport, input),
  followVault: (input) => followVault(transport, input),
});

/**
 * A client of the API, in browsers and in Node. Every method throws {@link ApiError} for an answer that is not a success,
 * `fetch`'s own error when the network fails, and zod's when an answer breaks the contract.
 * @example
 * const client = createClient({ baseUrl: 'https://app.example.org', token: () => access_token });
 * try {
 *   await client.vault({ params: vault });
 * } catch (error) {
 *   if (!(error instanceof ApiError) || error.code !== 'VAULT_NOT_FOUND') throw error;
 * }
 */
export function createClient(options: ClientOptions): Client {
  const transport = transportOf(options);
  return withStreams(transport, methodsOf(transport, routes as unknown as RouteTable));
}

/**
 * The same client for a page that should not begin with the shapes of every answer: the `first` routes are at hand, the
 * others come with `rest` when one of them is first called, and are asked for again if they did not come.
 * @example
 * const rest = async () => (await import('@castellan/contracts')).operateRoutes;
 * const client = createGrowingClient({ baseUrl: 'https://app.example.org' }, publicRoutes, rest);
 */
export function createGrowingClient(
  options: ClientOptions,
  first: RouteTable,
  rest: () => Promise<RouteTable>,
): Client {
  const transport = transportOf(options);
  let coming: Promise<ReturnType<typeof methodsOf>> | undefined;
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
