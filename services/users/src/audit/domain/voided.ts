import type { AuditContent } from './audit-chain.ts';

/** A rollback's row says which rows of one vault (null: of none) are void since. */
export const rolledBack = 'chain_rolled_back';

/** Kinds of row that say of a mandate's breach, or of its end, that a reorganisation of the chain undid it. */
export const breachUndone = { breach: 'mandate_breach_undone', end: 'mandate_breach_end_undone' } as const;

/** Every kind of row that makes others void. */
export const voiding: readonly string[] = [rolledBack, ...Object.values(breachUndone)];

/** The ids that such a row makes void. */
export const voidedBy = ({ details }: Pick<AuditContent, 'details'>): string[] =>
  (details.voided as string[] | undefined) ?? [];
