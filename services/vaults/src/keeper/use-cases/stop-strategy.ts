import { auditRow, refOf } from '../../strategies/access.ts';
import { stateSignal } from '../../strategies/domain/state-signal.ts';
import type { StrategyDocument } from '../../strategies/domain/strategy.ts';
import type { KeeperPorts } from '../ports.ts';

/**
 * Sets a strategy to ERROR. The row of the audit log and the signal for the alerts are stored in the same step, so that a crash
 * loses neither; the vaults service, whose store this is, hands them on.
 */
export async function stopWithError(
  { strategies, signer, now, logger }: Pick<KeeperPorts, 'strategies' | 'signer' | 'now' | 'logger'>,
  strategy: StrategyDocument,
  error: string,
): Promise<void> {
  const { _id, version, state, kind, definition } = strategy;
  const row = auditRow({ now, newId: () => `${_id}:${version + 1}` }, refOf(strategy), {
    action_type: 'strategy_state_changed',
    wallet: signer.address,
    details: { strategy_id: _id, name: definition.name, from: state, to: 'ERROR', reason: error, kind },
    requestId: undefined,
  });
  const fields = {
    state: 'ERROR' as const,
    error,
    updated_at: new Date(now()).toISOString(),
    updated_by: signer.address,
  };
  const after = await strategies.change(strategy, fields, [row, ...stateSignal(strategy, 'ERROR', error)]);
  if (after) logger.warn('a strategy is in ERROR', { strategy: _id, vault: strategy.vault, reason: error });
}
