import type { Description } from '../description.ts';

const ofVault = ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const;

export const audit = {
  auditLogs: {
    tag: 'audit',
    role: 'secondary',
    summary: 'Every write and every on-chain change of a vault, newest first',
    errors: [...ofVault, 'CURSOR_INVALID', 'RANGE_REVERSED'],
  },
  auditRow: {
    tag: 'audit',
    role: 'anyone',
    summary: 'One row of the audit log',
    errors: ['ROLE_REQUIRED', 'AUDIT_ROW_NOT_FOUND'],
  },
  auditExport: {
    tag: 'audit',
    role: 'secondary',
    summary: 'The audit log of a vault as a file that verifies by itself',
    errors: [...ofVault, 'RANGE_REVERSED'],
  },
  timeline: {
    tag: 'audit',
    role: 'viewer',
    summary: 'Everything that happened to a vault on one time axis, in words',
    errors: [...ofVault, 'CURSOR_INVALID'],
  },
} satisfies Record<string, Description>;
