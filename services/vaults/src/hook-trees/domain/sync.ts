import type { MerkleSync } from '@castellan/contracts';

/** The roots of the configuration and of the chain, and the time of the chain. */
export type SyncInputs = {
  /** The root of the tree of the active configuration; null without that tree. */
  root: string | null;
  /** Whether a configuration is active. */
  isConfigured: boolean;
  strategyRoot: string | null;
  /** `effectiveTime` and `chainTime` in chain seconds. */
  proposed: { root: string; effectiveTime: bigint } | null;
  chainTime: bigint;
};

/**
 * What is to be done on the chain so that the tree of the active configuration is in force.
 *
 * A veto does not change it: it is a switch over whatever root is in force, proposals mature meanwhile, and only governance
 * lifts it. A foreign proposal does: it cannot be cancelled and anybody may execute it once it is due, so even where the right
 * root is in force it has to be replaced.
 */
export function syncOf(inputs: SyncInputs): Pick<MerkleSync, 'action' | 'reason'> {
  const { root, isConfigured, strategyRoot, proposed, chainTime } = inputs;
  if (root === null) return { action: 'needs_generation', reason: isConfigured ? 'not_generated' : 'no_active_config' };
  if (proposed !== null && proposed.root !== root) return { action: 'propose', reason: 'foreign_proposal' };
  if (strategyRoot === root) return { action: 'in_sync', reason: 'root_in_force' };
  if (proposed === null) return { action: 'propose', reason: 'not_proposed' };
  return chainTime >= proposed.effectiveTime
    ? { action: 'execute', reason: 'timelock_over' }
    : { action: 'pending_timelock', reason: 'timelock_running' };
}
