import { z } from 'zod';

/** Only signatures that need a private key: a shared secret would let the verifier sign too. */
const asymmetric = ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA'] as const;

/** Another identity provider whose tokens are accepted, as the configuration names it. */
export const TrustedIssuer = z.strictObject({
  issuer: z.string().min(1),
  jwks_uri: z.url({ protocol: /^https?$/ }),
  audience: z.string().min(1),
  algorithms: z.array(z.enum(asymmetric)).min(1).default(['ES256', 'RS256']),
  /** Path of the claim that holds the wallet: `a.b`, or a list when a name itself has dots. */
  wallet_claim: z.union([
    z
      .string()
      .min(1)
      .transform((path) => path.split('.')),
    z.array(z.string()).min(1),
  ]),
  required_scope: z.string().min(1).optional(),
  /** The `typ` of its tokens; not checked when absent. */
  typ: z.string().min(1).optional(),
});
export type TrustedIssuer = z.output<typeof TrustedIssuer>;
