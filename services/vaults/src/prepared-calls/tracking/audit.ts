import type { PreparedState } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { AuditEvent } from './adapters/prepared-store.mongo.ts';
import type { PreparedDocument } from './domain/prepared-call.ts';

type About = Pick<
  PreparedDocument,
  '_id' | 'chain_id' | 'target' | 'request' | 'call' | 'forced' | 'reason' | 'prepared_by' | 'group'
>;
type StateChange = {
  state: PreparedState;
  at: Date;
  txHash: string | null;
  /** Who did it; null for what the chain shows. */
  actor: string | null;
  requestId?: string | undefined;
  more?: Record<string, unknown>;
};

/** The audit row of a state; the same state of the same transaction is the same row, however often it is noticed. */
export function auditOf(about: About, { state, at, txHash, actor, requestId, more = {} }: StateChange): AuditEvent {
  const { _id, chain_id, target, request, call, forced, reason, prepared_by, group } = about;
  const prepared = state === 'prepared' ? { args: request.args, forced } : { prepared_by: getAddress(prepared_by) };
  return {
    id: `prepared:${_id}:${state}${txHash === null ? '' : `:${txHash}`}`,
    timestamp: at.toISOString(),
    category: 'call',
    action_type: `call_${state}`,
    vault_address: target.vault,
    chain_id,
    actor_wallet: actor === null ? null : getAddress(actor),
    details: {
      prepared_id: _id,
      request_group: group,
      kind: request.kind,
      description: call.description,
      reason,
      ...prepared,
      ...more,
    },
    tx_hash: txHash,
    request_id: requestId ?? null,
  };
}
