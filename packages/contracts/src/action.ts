import type { z } from 'zod';
import type { Callers } from './callers.ts';
import type { TokenScope } from './identity/token-scope.ts';

/** One request/reply contract of the bus: a versioned name and the schemas of both directions. */
export type Action<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> = {
  readonly name: string;
  readonly params: P;
  readonly result: R;
  readonly callers: Callers;
};

/** What a handler receives, after parsing. */
export type ParamsOf<A extends Action> = z.output<A['params']>;
/** What a caller sends. */
export type InputOf<A extends Action> = z.input<A['params']>;
/** What a handler returns and a caller gets: parsed results are plain JSON. */
export type ResultOf<A extends Action> = z.output<A['result']>;

/** Declares an action, e.g. `action('v1.vaults.detail', { params, result, callers: { user: 'read' } })`. */
export const action = <P extends z.ZodType, R extends z.ZodType>(
  name: `v${number}.${string}.${string}`,
  declared: { params: P; result: R; callers: Callers },
): Action<P, R> => ({ name, ...declared });

/**
 * Who is asking, as the gateway established it from a verified token. `wallet_address` is EIP-55. Services decide what the
 * caller may do; the gateway only says who it is, and refuses what the token's scope leaves out.
 */
export type Caller = {
  wallet_address: string;
  sid: string;
  issuer: string;
  /** Absent: `full`. */
  scope?: TokenScope;
  /** The only vault this token is for; absent: every vault. */
  vault?: { chain_id: number; vault_address: string };
  /** The only chain on which the wallet is proven, where a contract there said so; absent: proven by its key, on every chain. */
  chain_id?: number;
  /** When the wallet last signed, in Unix seconds; absent: nobody knows, so never recently. */
  auth_time?: number;
  /** When the token ends, in Unix seconds; absent: nothing that outlives the call is made for it. */
  expires_at?: number;
};
