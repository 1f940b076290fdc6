import type { z } from 'zod';
import type { Action } from './action.ts';
import type { TokenScope } from './identity/token-scope.ts';

/** The methods that routes use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `public`: a token is ignored. `optional`: no header is the public view, a bad one 401. `bearer`: a token is required. */
export type RouteAuth = 'public' | 'optional' | 'bearer';

type Cache = 'none' | 'etag' | 'immutable';

/** Which budget a request draws on (see the gateway's rate limits). */
export type RateClass = 'api' | 'idp' | 'prepare';

/**
 * For whom an answer is the same, and what it is built from. `everybody`: the service is asked without a caller, so that the answer
 * cannot depend on one. `caller`: one wallet with one kind of token. `public`: all who have no token; who has one is answered anew.
 * `vault`, `vaults`: the state of the vault in the path, or of all. `projection`: what analytics has projected of the chain in the path.
 * `time`: what changes all the time, without an event; its age is bounded by `staleMs` alone.
 */
export type Sharing = {
  readonly with: 'everybody' | 'caller' | 'public';
  readonly from: 'vault' | 'vaults' | 'projection' | 'time';
};

/** A deprecated route: its answers carry `Deprecation`, `Sunset` and a link to the changelog, which says what to call instead. */
export type Deprecated = {
  /** The day from which it is deprecated, such as `2026-12-01`. */
  readonly since: string;
  /** The day from which it may be removed; absent while none is fixed. */
  readonly sunset?: string;
  /** The id of the route that replaces it. */
  readonly instead: string;
};

type Parts = Readonly<Record<string, unknown>>;

/**
 * One HTTP route. Validation, types, the SDK and the schemas of the OpenAPI description come from this declaration; the words of that
 * description are the gateway's (its src/openapi/descriptions), because the web loads this file.
 */
export type Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType | undefined = z.ZodType | undefined,
  R extends z.ZodType = z.ZodType,
  A extends Action | undefined = Action | undefined,
> = {
  /** operationId of the OpenAPI description and method name of the SDK. */
  readonly id: string;
  readonly method: Method;
  /** Full path with `{name}` for path values. */
  readonly path: string;
  readonly auth: RouteAuth;
  readonly rate: RateClass;
  /** The least scope of a token that may use it; by default `read` for GET, `prepare` for prepared calls, else `full`. */
  readonly scope: TokenScope;
  /**
   * Whether a token bound to one vault may use it though its request names no vault: what it answers is the caller's own, or the
   * service checks the vault of what it found. Where a request names vaults, theirs decide.
   */
  readonly openToBoundTokens: boolean;
  /**
   * How long the service may give the same answer, in milliseconds (API, column Stale): sooner it need not be asked again, and a shared
   * answer is kept no longer. 0: it answers anew; what of a shared answer has changed ends it.
   */
  readonly staleMs: number;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly result: R;
  readonly status: number;
  /** The bus action that answers; absent for what the gateway itself streams. */
  readonly action: A;
  /** Parsed path, query and body into the action's params; by default all of them merged. */
  readonly toParams: (parts: { params: Parts; query: Parts; body: Parts }) => unknown;
  /** Picks status and body from the action's result; by default `status` and the result as it is. */
  readonly toAnswer: ((result: never) => { status: number; body: unknown }) | undefined;
  /** `etag`: answers carry an ETag, and a GET takes `fields` (see `takesFields`). `immutable`: the path names the bytes. */
  readonly cache: Cache;
  /** Whether the gateway may answer with what it has kept. undefined: every request is answered by the service. */
  readonly sharing: Sharing | undefined;
  /** The content type of a success answer; of a file in the caller's choice of formats, the usual one. */
  readonly media: string;
  /** The content types a file may have besides. */
  readonly otherMedia: readonly string[];
  /** Since when it is deprecated, and what replaces it; absent on every other route. */
  readonly deprecated?: Deprecated;
};

/** What `takesFields` asks of a route, for the compiler. */
type Selectable = { readonly method: 'GET'; readonly cache: 'etag' };
type Fields = { fields?: string | undefined };
// A query without parameters is one that allows no key at all.
type Selecting<Q> = string extends keyof Q ? Fields : Q & Fields;

/**
 * Whether a route takes `fields` in its query: names with commas between, of which its answer then holds no others but those that say
 * what it is about. No schema of a query has it, for the gateway picks them from the answer of the service.
 */
export const takesFields = ({ method, cache }: Pick<Route, 'method' | 'cache'>): boolean =>
  method === 'GET' && cache === 'etag';

/**
 * Whether a route looks at an `Idempotency-Key`: writes that keep something of ours. Prepared calls change nothing, answers of the
 * identity provider and new tokens are secrets that are not kept, and a read is the same read when it comes again.
 */
export const takesIdempotencyKey = ({ method, rate, cache }: Pick<Route, 'method' | 'rate' | 'cache'>): boolean =>
  method !== 'GET' && rate === 'api' && cache === 'none';

/** The parts of a request, as a client gives them. */
export type RouteInput<T> =
  T extends Route<infer P, infer Q, infer B, z.ZodType>
    ? {
        params: z.input<P>;
        query: T extends Selectable ? Selecting<z.input<Q>> : z.input<Q>;
        body: B extends z.ZodType ? z.input<B> : undefined;
      }
    : never;
/** The answer of a route, after parsing. */
export type RouteResult<T> =
  T extends Route<z.ZodType, z.ZodType, z.ZodType | undefined, infer R> ? z.output<R> : never;

type Optional =
  | 'toParams'
  | 'toAnswer'
  | 'status'
  | 'cache'
  | 'sharing'
  | 'rate'
  | 'media'
  | 'otherMedia'
  | 'scope'
  | 'openToBoundTokens'
  | 'staleMs';

const scopeOf = ({ method, rate }: { method: Method; rate?: RateClass | undefined }): TokenScope => {
  if (method === 'GET') return 'read';
  return rate === 'prepare' ? 'prepare' : 'full';
};

/** Declares a route and fills the usual choices in. */
export const route = <
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType | undefined,
  R extends z.ZodType,
  A extends Action | undefined,
  M extends Method,
  C extends Cache = 'none',
>(
  declared: Omit<Route<P, Q, B, R, A>, Optional | 'method'> &
    Partial<Pick<Route<P, Q, B, R, A>, Exclude<Optional, 'cache'>>> & { readonly method: M; readonly cache?: C },
): Route<P, Q, B, R, A> & { readonly method: M; readonly cache: C } => ({
  toParams: ({ params, query, body }) => ({ ...params, ...query, ...body }),
  toAnswer: undefined,
  status: 200,
  cache: 'none' as C,
  sharing: undefined,
  rate: 'api',
  media: 'application/json',
  otherMedia: [],
  scope: scopeOf(declared),
  openToBoundTokens: false,
  staleMs: 0,
  ...declared,
});
