import { getAddress } from 'viem';
import type { AlertSignal } from '../../strategies/domain/strategy.ts';

/** How a piece of the keeper's work ended. */
export type Outcome = {
  /** The id of a strategy, or {@link redemptions}. */
  subject: string;
  /** Why it failed, for people; null when it was done. */
  failure: string | null;
};

/** The subject of paying redemptions. No strategy has a colon in its id. */
export const redemptions = 'vault:redemptions';

/** As long as an alert's message may be. */
const LONGEST = 500;

/**
 * What is signalled to the alerts about an outcome: the first failure and the first success after it, not each.
 * @param kept - The vault as it was before; `revision` is of this state only, so that the signal has one id.
 */
export function signalOf(
  kept: { _id: string; chain_id: number; vault: string; revision: number; failing: readonly string[] },
  { subject, failure }: Outcome,
): AlertSignal | undefined {
  if (kept.failing.includes(subject) === (failure !== null)) return undefined;
  return {
    id: `keeper:${kept._id}:${kept.revision}`,
    chain_id: kept.chain_id,
    vault_address: getAddress(kept.vault),
    kind: 'automation',
    subject,
    state: failure === null ? 'ok' : 'failing',
    detail: (failure ?? 'It was done.').slice(0, LONGEST),
  };
}
