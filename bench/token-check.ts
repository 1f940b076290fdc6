import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';

/** Verifies a token of an issuer and remembers it until it ends, as the gateway does. @throws Error for one that is not good. */
export function tokenCheck(keys: JWTVerifyGetKey, issuer: string): (header: string | undefined) => Promise<JWTPayload> {
  const verified = new Map<string, JWTPayload>();
  return async (header) => {
    const token = header?.slice('Bearer '.length) ?? '';
    const known = verified.get(token);
    if (known && (known.exp ?? 0) * 1000 >= Date.now()) return known;
    const { payload } = await jwtVerify(token, keys, { issuer, audience: 'castellan' });
    verified.set(token, payload);
    return payload;
  };
}
