import type { Description } from '../description.ts';

export const identity = {
  nonce: {
    tag: 'identity',
    summary: 'A single-use nonce and the messages a wallet may sign with it',
    errors: ['CHAIN_NOT_FOUND'],
  },
  token: {
    tag: 'identity',
    summary: 'Exchange a signed message for a token',
    errors: ['NONCE_INVALID', 'SIGNATURE_INVALID', 'MESSAGE_MALFORMED'],
  },
  logout: { tag: 'identity', summary: 'End this session everywhere' },
  openidConfiguration: { tag: 'identity', summary: 'Where the keys of this issuer are' },
  jwks: { tag: 'identity', summary: 'The public keys tokens are verified with' },
  me: { tag: 'auth', summary: 'The signed-in wallet and its roles' },
  verify: { tag: 'auth', summary: 'Whether the token is good (camelCase for compatibility)' },
} satisfies Record<string, Description>;
