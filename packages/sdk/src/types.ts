import type { RouteInput, RouteResult, Routes } from '@castellan/contracts';
import type { Clock } from './clock.ts';
import type { DeprecationNotice } from './deprecation.ts';

/** Keys of the route table whose operation is called otherwise. */
export const operationNames = { nonce: 'createNonce', token: 'createToken', stream: 'vaultStream' } as const;

// A part of the request may be left out when everything in it may.
type Part<K extends string, T> = [T] extends [undefined]
  ? unknown
  : Record<never, never> extends T
    ? { [P in K]?: T }
    : { [P in K]: T };

/** Options of every call. */
export type CallOptions = {
  signal?: AbortSignal;
  /** Off-chain writes: the same key and request within 24 h do the work once. */
  idempotencyKey?: string;
};

type QueryOf<R> = RouteInput<R>['query'];
type Without<Q, K extends PropertyKey> = Exclude<keyof Q, K> extends never ? Record<string, never> : Omit<Q, K>;
type Whole<Q> = 'fields' extends keyof Q ? Without<Q, 'fields'> : Q;

/** What one operation takes: the parts of its request, and options of the call. */
export type OperationInput<R> = Part<'params', RouteInput<R>['params']> &
  Part<'query', Whole<QueryOf<R>>> &
  Part<'body', RouteInput<R>['body']> &
  CallOptions;

/** The same for an operation that takes `fields`, such as `name,apy.current`: what of its answer is sent. */
export type SelectingInput<R> = Part<'params', RouteInput<R>['params']> & {
  query: QueryOf<R> & { fields: string };
} & CallOptions;

type Inside<T> = T extends readonly (infer Item)[] ? Inside<Item>[] : T extends object ? Partial<T> : T;
/** An answer of which only some fields were asked for: each may be absent, and each inside of one. */
export type Selected<T> = T extends readonly (infer Item)[]
  ? Selected<Item>[]
  : T extends object
    ? { [P in keyof T]?: Inside<T[P]> }
    : T;

type WholeMethod<R> = (input: OperationInput<R>) => Promise<RouteResult<R>>;
/** The compiler reads the last form where it is given a method, so that pages and hooks have whole answers. */
type SelectingMethod<R> = {
  (input: SelectingInput<R>): Promise<Selected<RouteResult<R>>>;
  (input: OperationInput<R>): Promise<RouteResult<R>>;
};
type Method<R> = 'fields' extends keyof QueryOf<R> ? SelectingMethod<R> : WholeMethod<R>;
// Mapped as Pick does, without new names: so an editor goes from a method to its route, where the example is.
type Methods<T, K extends keyof T> = { [P in K]: Method<T[P]> };

/** One method per route that answers JSON, named as its operationId. */
export type Operations = Methods<Routes, Exclude<keyof Routes, keyof typeof operationNames>> & {
  /**
   * A nonce, and the messages a wallet may sign with it.
   * @example
   * const { nonce } = await client.createNonce({ body: { address: wallet_address, chain_id: 1 } });
   */
  createNonce: Method<Routes['nonce']>;
  /**
   * Exchanges a signed message for a token.
   * @example
   * const { access_token } = await client.createToken({ body: { method: 'siwe', message, signature } });
   */
  createToken: Method<Routes['token']>;
};

/** A token, or how to get the current one; undefined for the public view. */
export type TokenSource = string | undefined | (() => string | undefined | Promise<string | undefined>);

/** Where the API is, and who calls. `fetch` defaults to the global one. */
export type ClientOptions = {
  /** Origin of the deployment, such as `https://app.example.org`. */
  baseUrl: string;
  token?: TokenSource;
  fetch?: typeof fetch;
  /**
   * How often a request is repeated that failed for a while (429, 503, network), after what `Retry-After` asks. Reads, writes with an
   * `idempotencyKey`, and what was refused by 429 are; other writes never. Default 0.
   */
  retries?: number;
  /** Called once for each deprecated operation, with its first success. */
  onDeprecated?: (notice: DeprecationNotice) => void;
  /** Time for retries and streams, in tests. */
  clock?: Clock;
};
