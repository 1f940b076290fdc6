import type { Proposal, VaultDetail } from '@castellan/contracts';

/** What is proposed and not in force yet, the first to take effect first; what has no time comes last. */
export function proposalsOf(detail: VaultDetail): Proposal[] {
  const { pending_manager_change: manager, pending_fee_config: fees, withdrawal_status: withdrawal, merkle } = detail;
  const found: Proposal[] = [];
  if (manager !== null) found.push({ kind: 'primary_manager', effective_at: manager.effective_at });
  if (fees !== null) found.push({ kind: 'fees', effective_at: fees.effective_at });
  if (merkle.proposed_root !== null) found.push({ kind: 'hooks_root', effective_at: merkle.effective_at });
  if (withdrawal !== null) found.push({ kind: 'upkeep_withdrawal', effective_at: withdrawal.effective_at });
  const timeOf = ({ effective_at }: Proposal) => (effective_at === null ? Infinity : Date.parse(effective_at));
  return found.sort((left, right) => timeOf(left) - timeOf(right));
}
