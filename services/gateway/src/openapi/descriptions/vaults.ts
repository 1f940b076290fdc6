import type { Description } from '../description.ts';

export const vaults = {
  chains: { tag: 'vaults', role: 'anyone', summary: 'Chains the system indexes, with head and lag' },
  publicVaults: { tag: 'vaults', role: 'anyone', summary: 'Discoverable vaults, a bare array' },
  myVaults: { tag: 'vaults', role: 'anyone', summary: 'Vaults where the caller has a role' },
  pauseStatus: {
    tag: 'vaults',
    role: 'anyone',
    summary: 'Pause state of several vaults',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  lookupVaults: {
    tag: 'vaults',
    role: 'anyone',
    summary: 'Details of up to 100 vaults, whole or only the fields asked for',
  },
  vault: {
    tag: 'vaults',
    role: 'anyone',
    summary: 'One vault, every number tied to one block',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  stream: {
    tag: 'vaults',
    role: 'anyone',
    summary: 'Server-Sent Events of one vault; Last-Event-ID resumes',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  transmissions: {
    tag: 'validators',
    role: 'anyone',
    summary: 'Who priced the vault lately, what became of it, and why the next price is late',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'CURSOR_INVALID'],
  },
  validators: {
    tag: 'validators',
    role: 'anyone',
    summary: 'The oracle network: nodes, configuration, last rounds, transmissions, incidents',
  },
  validatorHistory: {
    tag: 'validators',
    role: 'anyone',
    summary: 'The oracle network over time: participation, latency, agreement, gas; by window, node and vault',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
  },
  validatorRounds: {
    tag: 'validators',
    role: 'anyone',
    summary: 'Rounds of the oracle network, newest first; by node and vault, or those that lack a node or never ended',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'CURSOR_INVALID'],
  },
  validatorRound: {
    tag: 'validators',
    role: 'anyone',
    summary: 'One round: who observed what, who signed, what was sent and what it cost',
    errors: ['ROUND_NOT_FOUND'],
  },
  transaction: {
    tag: 'vaults',
    role: 'anyone',
    summary: 'What became of a transaction',
    errors: ['CHAIN_NOT_FOUND', 'RPC_UNAVAILABLE'],
  },
  tokenAssets: { tag: 'registry', role: 'anyone', summary: 'Tokens the vaults hold, with price and its age' },
} satisfies Record<string, Description>;
