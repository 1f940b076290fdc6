import {
  type Action,
  AppError,
  type Caller,
  relayingServices,
  type ServiceName,
  scopeAllows,
  type TokenScope,
} from '@castellan/contracts';
import { callerOf, EnvelopeClaims, longestSeconds, StatementClaims } from './claims.ts';
import type { ServiceKeys } from './keys.ts';
import { createSigner, types, unproven, Verifier } from './signatures.ts';

const statementHeader = 'x-castellan-statement';
const userHeader = 'x-castellan-user';

/** A signed text is used again until half of its life is over. */
const reuseMs = (longestSeconds / 2) * 1000;
/** An envelope that ends sooner is renewed before it is presented. */
const renewBeforeMs = 15_000;
const mostKept = 20_000;

type Headers = Readonly<Record<string, string | undefined>>;
type Called = Pick<Action, 'name' | 'callers'>;

/** What a call proved: the service that calls, and the user it calls for. */
export type Proven = { service: ServiceName | undefined; caller: Caller | undefined };

/** How one process proves itself and its users to others, and how it verifies what calls it. */
export type Identity = {
  readonly service: ServiceName;
  /** The headers that prove a call from this node. @throws AppError CALLER_UNPROVEN when nothing proves the user. */
  prove(action: Called, nodeId: string, caller: Caller | undefined): Promise<Record<string, string>>;
  /** Who calls, if that is someone whom the action takes. @throws AppError otherwise. */
  check(action: Called, nodeId: string | null, headers: Headers): Promise<Proven>;
  /** An envelope by which a service acts for a user. @throws Error anywhere but in the gateway. */
  issue(caller: Caller, to: ServiceName, scope: TokenScope): Promise<string>;
  /** The user of an envelope that came by another way than the bus, for whom this service may call from then on. */
  accept(envelope: string): Promise<Caller>;
  /** The user of an envelope of this service that may have run out by now, for the gateway to renew. */
  holderOf(envelope: string, service: ServiceName): Promise<{ caller: Caller; scope: TokenScope }>;
  /** How envelopes that run out are renewed. */
  renewBy(renew: (envelope: string) => Promise<string>): void;
};

type Held = { envelope: string; expiresAtMs: number };

/** Which service an action belongs to: `v1.users.list` to `users`. */
const audienceOf = ({ name }: Called): string => name.split('.')[1] ?? '';

const least = (a: TokenScope, b: TokenScope): TokenScope => (scopeAllows(a, b) ? b : a);

/** Signed texts by what they say, until half of their life is over. */
class Signed {
  readonly #kept = new Map<string, { text: Promise<string>; untilMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(key: string, sign: () => Promise<string>): Promise<string> {
    const found = this.#kept.get(key);
    if (found && this.#now() < found.untilMs) return found.text;
    this.#kept.delete(key);
    const text = sign();
    this.#kept.set(key, { text, untilMs: this.#now() + reuseMs });
    text.catch(() => this.#kept.delete(key));
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value ?? '');
    return text;
  }
}

/** Envelopes of users that this service may present further, by the caller it handed to its own code. */
class Holdings {
  readonly #held = new WeakMap<Caller, Held>();
  readonly #renewing = new WeakMap<Caller, Promise<Held>>();
  readonly #now: () => number;
  #renew: ((envelope: string) => Promise<string>) | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  renewBy(renew: (envelope: string) => Promise<string>): void {
    this.#renew = renew;
  }

  keep(caller: Caller, held: Held): void {
    this.#held.set(caller, held);
  }

  async envelopeOf(caller: Caller): Promise<string> {
    const held = this.#held.get(caller);
    if (!held) throw unproven('the gateway vouched for no such user here');
    if (held.expiresAtMs - this.#now() > renewBeforeMs || !this.#renew) return held.envelope;
    const running = this.#renewing.get(caller) ?? this.#renewed(caller, held, this.#renew);
    this.#renewing.set(caller, running);
    return (await running).envelope;
  }

  async #renewed(caller: Caller, held: Held, renew: (envelope: string) => Promise<string>): Promise<Held> {
    try {
      const envelope = await renew(held.envelope);
      const renewed = { envelope, expiresAtMs: this.#now() + longestSeconds * 1000 };
      this.#held.set(caller, renewed);
      return renewed;
    } finally {
      this.#renewing.delete(caller);
    }
  }
}

/** Whether the action takes this user from the service that presents the envelope. @throws AppError */
function admit(action: Called, presenter: ServiceName, claims: EnvelopeClaims): Caller {
  const { callers, name } = action;
  if (callers.user === undefined) throw unproven(`${name} takes no user`);
  const isDirect = presenter === claims.sender && claims.aud === audienceOf(action);
  const isRelayed = presenter === claims.relay?.by && callers.relayedBy?.includes(presenter) === true;
  if (!isDirect && !isRelayed) throw unproven('the envelope is not for this service from that sender');
  const scope = isDirect ? claims.scope : (claims.relay?.scope ?? 'read');
  if (!scopeAllows(scope, callers.user))
    throw new AppError('SCOPE_REQUIRED', `This needs the scope ${callers.user}; the call has ${scope}.`, {
      data: { scope: callers.user },
    });
  return callerOf(claims, scope);
}

/** Whether the action takes a service that calls for no user. @throws AppError */
function admitAlone({ name, callers }: Called, presenter: ServiceName): void {
  if (callers.services?.includes(presenter)) return;
  if (callers.user !== undefined && (presenter === 'gateway' || callers.relayedBy?.includes(presenter)))
    throw new AppError('TOKEN_MISSING', 'Sign in first.');
  throw unproven(`${name} does not take calls of ${presenter}`);
}

/** The identity of a process that holds the private key of a service. */
export function createIdentity(service: ServiceName, keys: ServiceKeys, now: () => number = Date.now): Identity {
  const sign = createSigner(keys.privateKey, now);
  const verifier = new Verifier(keys.publicKeys, now);
  const signed = new Signed(now);
  const holdings = new Holdings(now);
  const gateway = () => 'gateway' as const;

  const issue = (caller: Caller, to: string, wanted: TokenScope): Promise<string> => {
    if (service !== 'gateway') throw new Error('Only the gateway signs envelopes of users.');
    const scope = least(caller.scope ?? 'full', wanted);
    const { wallet_address, sid, issuer, vault, chain_id, auth_time, expires_at } = caller;
    const relay = relayingServices.includes(to as ServiceName) && { by: to, scope: least(scope, 'prepare') };
    const claims = {
      iss: service,
      aud: to,
      sub: wallet_address,
      sender: service,
      scope,
      sid,
      issuer,
      vault,
      chain_id,
      auth_time,
      token_exp: expires_at,
      relay: relay || undefined,
    };
    return signed.get(JSON.stringify(claims), () => sign(types.envelope, claims));
  };

  const state = (aud: string, nodeId: string): Promise<string> =>
    signed.get(`${aud} ${nodeId}`, () =>
      sign(types.statement, { iss: service, sub: `service:${service}`, aud, sender: nodeId }),
    );

  const keep = (caller: Caller, claims: EnvelopeClaims, envelope: string) => {
    if (claims.relay?.by === service) holdings.keep(caller, { envelope, expiresAtMs: claims.exp * 1000 });
    return caller;
  };

  const presenterOf = async (action: Called, nodeId: string | null, statement: string): Promise<ServiceName> => {
    const claims = await verifier.verify(statement, types.statement, StatementClaims, ({ iss }) => iss);
    if (claims.sub !== `service:${claims.iss}`) throw unproven('its statement names two services');
    if (claims.aud !== audienceOf(action)) throw unproven('its statement is for another service');
    if (claims.sender !== nodeId) throw unproven('its statement is of another sender');
    return claims.iss;
  };

  return {
    service,
    async prove(action, nodeId, caller) {
      const { callers } = action;
      if (callers.public) return {};
      const aud = audienceOf(action);
      const mayRelay = callers.relayedBy?.includes(service) === true;
      const envelope =
        caller === undefined || callers.user === undefined
          ? undefined
          : service === 'gateway'
            ? await issue(caller, aud, callers.user)
            : mayRelay
              ? await holdings.envelopeOf(caller)
              : undefined;
      const statement = await state(aud, nodeId);
      return { [statementHeader]: statement, ...(envelope === undefined ? {} : { [userHeader]: envelope }) };
    },
    async check(action, nodeId, headers) {
      if (action.callers.public) return { service: undefined, caller: undefined };
      const { [statementHeader]: statement, [userHeader]: envelope } = headers;
      if (statement === undefined) throw unproven('it proves no sender');
      const presenter = await presenterOf(action, nodeId, statement);
      if (envelope === undefined) {
        admitAlone(action, presenter);
        return { service: presenter, caller: undefined };
      }
      const claims = await verifier.verify(envelope, types.envelope, EnvelopeClaims, gateway);
      return { service: presenter, caller: keep(admit(action, presenter, claims), claims, envelope) };
    },
    issue,
    async accept(envelope) {
      const claims = await verifier.verify(envelope, types.envelope, EnvelopeClaims, gateway);
      if (claims.aud !== service) throw unproven('the envelope is for another service');
      return keep(callerOf(claims, claims.scope), claims, envelope);
    },
    async holderOf(envelope, holder) {
      const claims = await verifier.verifyExpired(envelope, types.envelope, EnvelopeClaims, gateway);
      if (claims.aud !== holder || claims.relay?.by !== holder) throw unproven('the envelope is not for that service');
      return { caller: callerOf(claims, claims.relay.scope), scope: claims.relay.scope };
    },
    renewBy: (renew) => holdings.renewBy(renew),
  };
}
