import type { Asked } from './leads.ts';
import { managerChange } from './leads.ts';
import { type Phrase, plain, together } from './writer.ts';

/** Whether another root for the hooks is proposed. */
export function rootProposed({ topic: { context } }: Asked): Phrase {
  const { proposed_root, effective_at } = context.detail.merkle;
  if (proposed_root === null) return plain('No change of the hooks root is proposed.');
  return plain(
    effective_at === null
      ? 'A change of the hooks root is proposed.'
      : 'A change of the hooks root is proposed; the Merkle page says from when it may take effect.',
  );
}

/** Every change that waits for its time: fees, the primary manager, the hooks root, upkeep to be withdrawn. */
export function allProposed(asked: Asked): Phrase {
  const { detail } = asked.topic.context;
  const { writer } = asked.topic;
  const fees = (name: string) => writer.figure(`vault.pending_fee_config.${name}`);
  const upkeep = (name: string) => writer.figure(`vault.withdrawal_status.${name}`);
  const found = [
    detail.pending_fee_config === null
      ? null
      : writer.phrase`Fees of ${fees('performance_fee_bps')} of profit and ${fees('management_fee_bps')} on entry are proposed and may take effect from ${fees('effective_at')}.`,
    detail.pending_manager_change === null ? null : managerChange(asked),
    detail.merkle.proposed_root === null ? null : rootProposed(asked),
    detail.withdrawal_status === null
      ? null
      : writer.phrase`${upkeep('amount')} of upkeep may be withdrawn from ${upkeep('effective_at')}.`,
  ].filter((phrase) => phrase !== null);
  return found.length > 0
    ? together(found)
    : plain('No change is proposed: none of the fees, the primary manager, the hooks root or the upkeep.');
}
