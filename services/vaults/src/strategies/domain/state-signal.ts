import type { StrategyState } from '@castellan/contracts';
import type { AlertSignal, StrategyDocument } from './strategy.ts';

type Before = Pick<StrategyDocument, '_id' | 'version' | 'state' | 'chain_id' | 'vault_address' | 'definition'>;

/** As long as an alert's message may be. */
const LONGEST = 500;

/**
 * What is signalled to the alerts about a change of state: that it is in ERROR, or out of it. Nothing for any other change.
 * @param error - Why it is in ERROR.
 */
export function stateSignal(before: Before, to: StrategyState, error: string | null): AlertSignal[] {
  if ((before.state === 'ERROR') === (to === 'ERROR')) return [];
  const { _id, chain_id, vault_address, definition } = before;
  const detail =
    to === 'ERROR' ? `The strategy “${definition.name}” is in ERROR. ${error ?? ''}`.trim() : `It is ${to}.`;
  return [
    {
      // Each version of a strategy is one change.
      id: `strategy_state:${_id}:${before.version + 1}`,
      chain_id,
      vault_address,
      kind: 'strategy',
      subject: _id,
      state: to === 'ERROR' ? 'failing' : 'ok',
      detail: detail.slice(0, LONGEST),
    },
  ];
}
