import type { TokenScope } from './identity/token-scope.ts';

/** Services with a signing key of their own. */
export const serviceNames = ['gateway', 'auth', 'vaults', 'keeper', 'analytics', 'users', 'ai'] as const;
/** One of `serviceNames`. */
export type ServiceName = (typeof serviceNames)[number];

/**
 * Who may call an action, by what the call proves. Whatever is not declared is refused: an action without an entry that fits
 * is closed. See docs/decisions/0013-callers-are-proven.md.
 */
export type Callers = {
  /** A user, by an envelope of at least this scope that the gateway signed and presents. */
  readonly user?: TokenScope;
  /** Services that may present an envelope of a user, which the gateway signed for them to do so. */
  readonly relayedBy?: readonly ServiceName[];
  /** Services that may call as themselves, with no user behind the call. */
  readonly services?: readonly ServiceName[];
  /** Everybody on the bus, without proof. */
  readonly public?: true;
};

/** They are asked for by the gateway alone, as reads are, and change something. */
const changing = ['v1.auth.nonce', 'v1.auth.token'];

/** Whether a call that may have run can be made again without harm: a read, by the scope it takes or by who alone asks for it. */
export const isRepeatable = ({ name, callers }: { name: string; callers: Callers }): boolean =>
  (callers.user ?? 'read') === 'read' && !changing.includes(name);

/** Services that read on behalf of users beyond one call: envelopes for them may be presented by them, and renewed. */
export const relayingServices: readonly ServiceName[] = ['ai'];
