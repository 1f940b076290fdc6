import type { GetOpenidConfiguration, ResultOf } from '@castellan/contracts';

/** What RFC 8414 and OpenID Discovery clients read; wallet sign-in has no authorization endpoint. */
export const describeIssuer = (issuer: string): ResultOf<typeof GetOpenidConfiguration> => ({
  issuer,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  token_endpoint: `${issuer}/idp/v1/token`,
  nonce_endpoint: `${issuer}/idp/v1/nonce`,
  end_session_endpoint: `${issuer}/idp/v1/logout`,
  grant_types_supported: ['wallet_signature'],
  response_types_supported: ['none'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  token_endpoint_auth_methods_supported: ['none'],
  claims_supported: [
    'iss',
    'aud',
    'sub',
    'sid',
    'iat',
    'nbf',
    'exp',
    'auth_time',
    'wallet_address',
    'castellan_scope',
    'castellan_vault',
    'castellan_chain',
  ],
});
