import { routes } from '@castellan/contracts';
import { deprecationReader } from './deprecation.ts';
import { authorizationOf, type Transport, transportOf, urlOf } from './request.ts';
import { sendWithRetries } from './retry.ts';
import { type FollowInput, followVault, type StreamInput, streamVault, type VaultEvent } from './stream.ts';
import type { CallOptions, ClientOptions, Operations } from './types.ts';

/** What any method takes. */
export type AnyInput = CallOptions & {
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

/** What is needed of a route to call it. What is built for others has no schemas in it: `result` is absent there. */
type Called = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
  readonly otherMedia: readonly string[];
  readonly action?: unknown;
  readonly result?: { readonly parse: (answer: unknown) => unknown };
};

/** A file is text, in whatever format was asked for. */
async function answerOf({ otherMedia }: Called, response: Response): Promise<unknown> {
  if (response.status === 204) return null;
  return otherMedia.length > 0 ? response.text() : response.json();
}

async function call(transport: Transport, route: Called, input: AnyInput): Promise<unknown> {
  const { params, query, body, signal, idempotencyKey } = input;
  const send = async () =>
    transport.send(urlOf(transport.origin, route.path, params, query), {
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
  const isRepeatable = route.method === 'GET' || idempotencyKey !== undefined;
  const response = await sendWithRetries(transport, { isRepeatable, signal, send });
  transport.onAnswer?.(route.id, response.headers);
  const answer = await answerOf(route, response);
  // Of a part of an answer the schema would miss the rest.
  return route.result === undefined || query?.fields !== undefined ? answer : route.result.parse(answer);
}

/** Some of the routes, by their key in the table. */
export type RouteTable = Readonly<Record<string, Called>>;

/** Methods, by their names. */
export type AnyMethods = Record<string, (input: AnyInput) => Promise<unknown>>;

/** The methods of some routes, by their names. */
export const methodsOf = (transport: Transport, table: RouteTable): AnyMethods =>
  Object.fromEntries(
    Object.values(table)
      .filter(({ action }) => action !== undefined)
      .map((route) => [route.id, (input: AnyInput) => call(transport, route, input)]),
  );

/** The whole client: its methods, and the streams. */
export const withStreams = (transport: Transport, methods: unknown): Client => ({
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
  const { onDeprecated } = options;
  const transport = {
    ...transportOf(options),
    ...(onDeprecated === undefined ? {} : { onAnswer: deprecationReader(onDeprecated) }),
  };
  return withStreams(transport, methodsOf(transport, routes as unknown as RouteTable));
}
