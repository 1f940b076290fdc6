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
  /** One connection; throws or ends when it does. */
  streamVault(input: StreamInput): AsyncGenerator<VaultEvent, void, undefined>;
  /** Comes back by itself until the signal aborts. */
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

/**
 * A client of the API, in browsers and in Node. Every method throws {@link ApiError} for an answer that is not a success,
 * `fetch`'s own error when the network fails, and zod's when an answer breaks the contract.
 */
export function createClient(options: ClientOptions): Client {
  const transport = transportOf(options);
  const methods = (Object.values(routes) as unknown as Route[])
    .filter(({ action }) => action !== undefined)
    .map((route) => [route.id, (input: AnyInput) => call(transport, route, input)]);
  return {
    ...(Object.fromEntries(methods) as Operations),
    streamVault: (input) => streamVault(transport, input),
    followVault: (input) => followVault(transport, input),
  };
}
