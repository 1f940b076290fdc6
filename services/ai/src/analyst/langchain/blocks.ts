import type { VaultContext } from '../../context/vault-context.ts';
import type { ContextFigure } from '../../domain/figure.ts';
import { say } from '../../domain/say.ts';
import type { Turn } from '../analyst.ts';

/** Messages of a conversation that a model is shown: the latest. */
const mostTurns = 20;
const longestTurn = 4_000;

const figureLines = (figure: ContextFigure) => {
  const said = say(figure);
  return said === null ? [] : [{ path: figure.path, metric: figure.label, said }];
};

/** What a model gets of a vault. Names are apart from facts: they are what strangers wrote. */
export function vaultBlock(context: VaultContext): unknown {
  const { detail, answers } = context;
  return {
    chain_id: context.chainId,
    vault_address: context.vaultAddress,
    as_of: context.asOf,
    block_number: context.blockNumber,
    my_role: detail.my_role,
    state: {
      operational_state: detail.operational_state,
      pps_status: detail.pps_status,
      is_paused: detail.is_paused,
      is_pps_stale: detail.is_pps_stale,
      risk_level: answers.risk.level,
      price_is_late_because: answers.transmissions.next.reason,
      fee_can_be_taken: detail.pending_performance_fee.can_skim,
      fee_is_blocked_by: detail.pending_performance_fee.reason,
      next_price_accepted: answers.whatIf.accepted,
    },
    sources: detail.allocation.map(({ source_address, kind, is_active }, index) => ({
      figures: `vault.allocation.${index}`,
      source_address,
      kind,
      is_active,
    })),
    figures: context.figures.flatMap(figureLines),
    missing: context.reasons,
    written_by_strangers: context.untrusted,
  };
}

export const historyBlock = (history: readonly Turn[]): unknown =>
  history.slice(-mostTurns).map(({ role, text }) => ({ role, text: text.slice(-longestTurn) }));
