import type { Description } from '../description.ts';

export const reports = {
  vaultReport: {
    tag: 'reports',
    role: 'anyone',
    summary:
      'The report of a month, as JSON or as a page for printing; the same bytes from then on once the month is final, a preview before',
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'PERIOD_UNKNOWN', 'BEFORE_CREATION', 'ROLE_REQUIRED', 'NOT_READY'],
  },
} satisfies Record<string, Description>;
