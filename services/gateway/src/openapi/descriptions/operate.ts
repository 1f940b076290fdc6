import type { Description } from '../description.ts';

const unknownVault = ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'RPC_UNAVAILABLE'] as const;

export const operate = {
  vaultSettings: {
    tag: 'settings',
    role: 'anyone',
    summary: 'What a manager can set, what waits and when it may be executed, read from the chain now',
    errors: unknownVault,
  },
  yieldSources: {
    tag: 'yield sources',
    role: 'anyone',
    summary: 'Yield sources of a vault with the oracle that values each',
    errors: unknownVault,
  },
  sourceCatalogue: {
    tag: 'yield sources',
    role: 'anyone',
    summary: 'Yield sources that vaults of a chain have or had: what each says of itself, and who uses it since when',
    errors: ['CHAIN_NOT_FOUND', 'CURSOR_INVALID', 'RPC_UNAVAILABLE'],
  },
  describeYieldSource: {
    tag: 'yield sources',
    role: 'anyone',
    summary: 'What the chain says of an address that may become a yield source, and which oracles price it',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'RPC_UNAVAILABLE'],
  },
  pauseProof: {
    tag: 'settings',
    role: 'viewer',
    summary: 'Whether the panic button works: the pause simulated from every manager, every hour',
    errors: ['ROLE_REQUIRED', ...unknownVault],
  },
} satisfies Record<string, Description>;
