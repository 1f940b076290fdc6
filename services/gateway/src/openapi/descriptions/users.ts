import type { Description } from '../description.ts';

export const users = {
  users: {
    tag: 'users',
    role: 'viewer',
    summary: 'Everyone with a role on the vault',
    errors: ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  grantViewOnly: {
    tag: 'users',
    role: 'primary',
    summary: 'Grant view-only access',
    errors: ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'ALREADY_MANAGER', 'ZERO_ADDRESS'],
    otherStatuses: { 200: 'The wallet had view-only access already' },
  },
  revokeViewOnly: {
    tag: 'users',
    role: 'primary',
    summary: 'Take view-only access back',
    errors: ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  setDisplayName: {
    tag: 'users',
    role: 'nobody here',
    summary: 'Name oneself, or label a wallet on a vault one is primary manager of',
    errors: ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'VERSION_CONFLICT'],
  },
} satisfies Record<string, Description>;
