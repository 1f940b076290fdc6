import type { Description } from '../description.ts';

export const identity = {
  nonce: {
    tag: 'identity',
    role: 'anyone',
    summary: 'A single-use nonce and the messages a wallet may sign with it',
    errors: ['CHAIN_NOT_FOUND'],
  },
  token: {
    tag: 'identity',
    role: 'anyone',
    summary: 'Exchange a signed message for a token',
    errors: ['NONCE_INVALID', 'SIGNATURE_INVALID', 'MESSAGE_MALFORMED'],
  },
  logout: { tag: 'identity', role: 'anyone', summary: 'End this session everywhere' },
  openidConfiguration: { tag: 'identity', role: 'anyone', summary: 'Where the keys of this issuer are' },
  jwks: { tag: 'identity', role: 'anyone', summary: 'The public keys tokens are verified with' },
  me: { tag: 'auth', role: 'anyone', summary: 'The signed-in wallet and its roles' },
  verify: { tag: 'auth', role: 'anyone', summary: 'Whether the token is good (camelCase for compatibility)' },
} satisfies Record<string, Description>;
