import type { Description } from '../description.ts';

export const vaults = {
  chains: { tag: 'vaults', summary: 'Chains the system indexes, with head and lag' },
  publicVaults: { tag: 'vaults', summary: 'Discoverable vaults, a bare array' },
  myVaults: { tag: 'vaults', summary: 'Vaults where the caller has a role' },
  pauseStatus: {
    tag: 'vaults',
    summary: 'Pause state of several vaults',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  vault: {
    tag: 'vaults',
    summary: 'One vault, every number tied to one block',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  stream: {
    tag: 'vaults',
    summary: 'Server-Sent Events of one vault; Last-Event-ID resumes',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  transmissions: {
    tag: 'validators',
    summary: 'Who priced the vault lately, what became of it, and why the next price is late',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'CURSOR_INVALID'],
  },
  validators: {
    tag: 'validators',
    summary: 'The oracle network: nodes, configuration, last rounds, transmissions, incidents',
  },
  transaction: {
    tag: 'vaults',
    summary: 'What became of a transaction',
    errors: ['CHAIN_NOT_FOUND', 'RPC_UNAVAILABLE'],
  },
  tokenAssets: { tag: 'registry', summary: 'Tokens the vaults hold, with price and its age' },
} satisfies Record<string, Description>;
