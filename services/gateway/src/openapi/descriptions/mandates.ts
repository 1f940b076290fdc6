import type { Description } from '../description.ts';

const onVault = ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const;
const readable = ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const;

export const mandates = {
  scenarioSet: {
    tag: 'mandates',
    role: 'viewer',
    summary: 'The shocks that people have chosen for the vault, and what its sources depend on',
    errors: onVault,
  },
  setScenarioSet: {
    tag: 'mandates',
    role: 'secondary',
    summary: 'Choose the shocks of the vault, and name what its sources depend on',
    errors: [...onVault, 'VERSION_CONFLICT'],
  },
  mandate: {
    tag: 'mandates',
    role: 'anyone',
    summary: 'The mandate in force, and the newest draft after it; without a role only one that is public',
    errors: readable,
  },
  draftMandate: {
    tag: 'mandates',
    role: 'secondary',
    summary: 'Add a version of the mandate as a draft',
    errors: [...onVault, 'VERSION_CONFLICT'],
  },
  mandateVersions: {
    tag: 'mandates',
    role: 'viewer',
    summary: 'All versions of the mandate, newest first',
    errors: [...onVault, 'CURSOR_INVALID'],
  },
  enforceMandate: {
    tag: 'mandates',
    role: 'primary',
    summary: 'Put a draft into force by the EIP-712 signature of the primary manager over the hash of its document',
    errors: [...onVault, 'MANDATE_NOT_FOUND', 'MANDATE_ENFORCED', 'MANDATE_SIGNATURE_INVALID'],
  },
  mandateStatus: {
    tag: 'mandates',
    role: 'anyone',
    summary: 'Each promise at the last observation: held, warned, broken or unknown, with its headroom',
    errors: [...readable, 'NOT_READY'],
  },
  mandateBreaches: {
    tag: 'mandates',
    role: 'anyone',
    summary: 'The ledger of breaches: start, worst, end, and the observations that prove them',
    errors: [...readable, 'CURSOR_INVALID'],
  },
  acknowledgeMandateBreach: {
    tag: 'mandates',
    role: 'secondary',
    summary: 'Say that a manager has seen a breach',
    errors: [...onVault, 'BREACH_NOT_FOUND'],
  },
  backtestMandate: {
    tag: 'mandates',
    role: 'viewer',
    summary: 'What a document would have found over the recorded past of the vault',
    errors: [...onVault, 'RANGE_REVERSED', 'NOT_READY'],
  },
  mandateAttestation: {
    tag: 'mandates',
    role: 'anyone',
    summary:
      'The signed file of a month: each promise kept or breached, with its worst value and its breaches; without a role only of a public mandate',
    errors: [...readable, 'PERIOD_UNKNOWN', 'MANDATE_NOT_FOUND', 'MONTH_NOT_FINAL', 'NOT_READY'],
  },
  attestationKeys: {
    tag: 'mandates',
    role: 'anyone',
    summary: 'Every key that signs attestations of mandates or has signed them, newest first',
  },
} satisfies Record<string, Description>;
