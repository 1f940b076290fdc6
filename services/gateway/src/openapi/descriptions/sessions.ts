import type { Description } from '../description.ts';

export const sessions = {
  listSessions: { tag: 'auth', role: 'anyone', summary: 'Sessions and tokens of the signed-in wallet' },
  createScopedToken: {
    tag: 'auth',
    role: 'anyone',
    summary: 'Make a token that may do less: read-only or prepare-only, on one vault or all',
    errors: ['STEP_UP_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  revokeSession: {
    tag: 'auth',
    role: 'anyone',
    summary: 'End a session or token everywhere',
    errors: ['SESSION_NOT_FOUND'],
  },
  stepUp: {
    tag: 'auth',
    role: 'anyone',
    summary: 'Sign again, for changes that want a recent signature; the session goes on under the new token',
    errors: ['NONCE_INVALID', 'SIGNATURE_INVALID', 'MESSAGE_MALFORMED'],
  },
} satisfies Record<string, Description>;
