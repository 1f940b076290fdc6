import { AppError, type ServiceName } from '@castellan/contracts';
import { type CryptoKey, compactVerify, decodeProtectedHeader, importJWK, type JWK, SignJWT } from 'jose';
import type { z } from 'zod';
import { longestSeconds } from './claims.ts';
import type { PrivateKey, PublicKeys } from './keys.ts';

/** Clocks of hosts may differ by this much. */
const leewaySeconds = 5;
/** Verified texts that are remembered: more than the envelopes that are alive at once, less than memory notices. */
const remembered = 10_000;

/** The `typ` headers of what services sign. */
export const types = { envelope: 'castellan-envelope+jwt', statement: 'castellan-statement+jwt' } as const;
/** One of `types`. */
export type Type = (typeof types)[keyof typeof types];

/** A call that proves nothing, or something else than it takes. */
export const unproven = (why: string, cause?: unknown) =>
  new AppError('CALLER_UNPROVEN', `The call was refused: ${why}.`, { cause });

type Times = { iat: number; exp: number };

/** Signs claims with this process's key, for as long as an envelope may live. */
export function createSigner(key: PrivateKey, now: () => number) {
  const imported = importJWK(key as JWK, 'EdDSA');
  return async (type: Type, claims: Record<string, unknown>): Promise<string> => {
    const iat = Math.floor(now() / 1000);
    return new SignJWT({ ...claims, iat, exp: iat + longestSeconds })
      .setProtectedHeader({ alg: 'EdDSA', typ: type, kid: key.kid })
      .sign(await imported);
  };
}

function requireAlive({ iat, exp }: Times, nowSeconds: number): void {
  if (exp - iat > longestSeconds) throw unproven('its proof would live too long');
  if (iat > nowSeconds + leewaySeconds) throw unproven('its proof is of a time that has not come');
  if (exp + leewaySeconds <= nowSeconds) throw unproven('its proof has expired');
}

/**
 * Verifies texts by the public keys of services. What was verified is remembered by its whole text, signature included; its
 * times are checked at every use.
 */
export class Verifier {
  readonly #keys = new Map<string, { service: ServiceName; key: Promise<CryptoKey | Uint8Array> }>();
  readonly #known = new Map<string, Times>();
  readonly #now: () => number;

  constructor(keys: PublicKeys, now: () => number) {
    this.#now = now;
    for (const [service, list] of Object.entries(keys))
      for (const key of list)
        this.#keys.set(`${service} ${key.kid}`, {
          service: service as ServiceName,
          key: importJWK(key as JWK, 'EdDSA'),
        });
  }

  /**
   * @param issuerOf - Whose key has to have signed it, by its claims.
   * @throws AppError CALLER_UNPROVEN
   */
  async verify<S extends z.ZodType<Times>>(
    text: string,
    type: Type,
    schema: S,
    issuerOf: (claims: z.output<S>) => ServiceName,
  ): Promise<z.output<S>> {
    const claims = await this.verifyExpired(text, type, schema, issuerOf);
    requireAlive(claims, Math.floor(this.#now() / 1000));
    return claims;
  }

  /** The same for a text that may have expired. @throws AppError CALLER_UNPROVEN */
  async verifyExpired<S extends z.ZodType<Times>>(
    text: string,
    type: Type,
    schema: S,
    issuerOf: (claims: z.output<S>) => ServiceName,
  ): Promise<z.output<S>> {
    const id = `${type} ${text}`;
    const known = this.#known.get(id);
    if (known) return known as z.output<S>;
    const claims = await this.#verifyAnew(text, type, schema, issuerOf);
    this.#remember(id, claims);
    return claims;
  }

  async #verifyAnew<S extends z.ZodType<Times>>(
    text: string,
    type: Type,
    schema: S,
    issuerOf: (claims: z.output<S>) => ServiceName,
  ): Promise<z.output<S>> {
    try {
      const { kid } = decodeProtectedHeader(text);
      const claimed = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString('utf8')) as unknown;
      const claims = schema.parse(claimed);
      const found = this.#keys.get(`${issuerOf(claims)} ${kid}`);
      if (!found) throw unproven('its key is not one of the service it names');
      const { payload, protectedHeader } = await compactVerify(text, await found.key, { algorithms: ['EdDSA'] });
      if (protectedHeader.typ !== type) throw unproven('its proof is of another kind');
      return schema.parse(JSON.parse(Buffer.from(payload).toString('utf8')));
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw unproven('its proof is not signed by a service of this system', error);
    }
  }

  #remember(id: string, claims: Times): void {
    this.#known.set(id, claims);
    if (this.#known.size <= remembered) return;
    // The oldest first: no text lives for longer than a minute.
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
