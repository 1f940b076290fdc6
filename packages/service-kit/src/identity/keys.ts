import { type ServiceName, serviceNames } from '@castellan/contracts';
import { z } from 'zod';

const text = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url');
const publicKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string().min(1).max(100),
  x: text,
});
const privateKey = publicKey.extend({ d: text });

/** An Ed25519 public key, as JWK. */
export type PublicKey = z.output<typeof publicKey>;
/** The same with its private part. */
export type PrivateKey = z.output<typeof privateKey>;

/** The public keys of each service: several while one is being replaced. */
export type PublicKeys = Readonly<Partial<Record<ServiceName, readonly PublicKey[]>>>;

/** What a process proves itself by, and proves others by. */
export type ServiceKeys = { readonly privateKey: PrivateKey; readonly publicKeys: PublicKeys };

/** JSON of a shape; the message of a fault never holds the text. */
const json = <T extends z.ZodType>(shape: T, what: string) =>
  z.string().transform((value, context): z.output<T> => {
    try {
      return shape.parse(JSON.parse(value));
    } catch {
      context.addIssue({ code: 'custom', message: `is not ${what}` });
      return z.NEVER;
    }
  });

/** The text of a private key: one Ed25519 JWK with `kid`. */
export const PrivateKeyText = json(privateKey, 'the private JWK of an Ed25519 key with a kid');

/** The text of all public keys: `{ "gateway": [JWK, …], "users": [JWK, …] }`. */
export const PublicKeysText = json(
  z.partialRecord(z.enum(serviceNames), z.array(publicKey).min(1)),
  'JSON of the public Ed25519 JWKs by service',
);
