import { belowCancel, bump, type Fees, type Market, outbidsMarket, paysMarket } from '@castellan/transactor';
import { lastAttempt } from './intent.ts';
import type { CancelReason, Intent, TransmitSettings } from './types.ts';

export type Decision =
  | { do: 'wait' }
  | { do: 'resend' }
  | { do: 'raise'; fees: Fees }
  | { do: 'cancel'; reason: CancelReason }
  /** Nothing better to do than to send it again; someone should know. */
  | { do: 'alert'; reason: 'fee_limit' | 'connectivity' };

export type Situation = {
  headNumber: bigint;
  nowMs: number;
  /** Whether any of its prices is young enough, and whether the contract would still take any. */
  fresh: boolean;
  useful: boolean;
  /** No other transaction of the account stands before it. */
  isLowest: boolean;
  market: Market;
};

/** What to do with a transaction that nodes have and no block has. */
export function decide(intent: Intent, situation: Situation, settings: TransmitSettings): Decision {
  const last = lastAttempt(intent);
  if (last.purpose === 'deliver') {
    if (!situation.fresh) return { do: 'cancel', reason: 'deadline' };
    if (!situation.useful) return { do: 'cancel', reason: 'useless' };
    if (isStuck(intent, situation, settings)) return { do: 'cancel', reason: 'stuck' };
  }
  const { market, headNumber, nowMs } = situation;
  const waited = headNumber - (last.sentBlock ?? headNumber);
  if (waited >= BigInt(settings.bumpAfterBlocks)) {
    if (outbidsMarket(last.fees, market)) return { do: 'alert', reason: 'connectivity' };
    const policy = last.purpose === 'deliver' ? belowCancel(settings.fees) : settings.fees;
    const fees = bump(last.fees, market, policy, settings.bumpAfterBlocks);
    return fees ? { do: 'raise', fees } : { do: 'alert', reason: 'fee_limit' };
  }
  return isForgotten(intent, nowMs, settings) ? { do: 'resend' } : { do: 'wait' };
}

export const isForgotten = (intent: Intent, nowMs: number, { resendMs }: TransmitSettings): boolean =>
  nowMs - (lastAttempt(intent).sentAt?.getTime() ?? 0) >= resendMs;

/** It pays enough, nothing stands before it, and still no block takes it: no price will help. */
function isStuck(intent: Intent, situation: Situation, settings: TransmitSettings): boolean {
  const { fees } = lastAttempt(intent);
  const { headNumber, market, isLowest } = situation;
  const first = intent.attempts.find(({ sentBlock }) => sentBlock !== null)?.sentBlock ?? headNumber;
  const tried = intent.attempts.length >= settings.stuckAfterAttempts || outbidsMarket(fees, market);
  return isLowest && tried && headNumber - first >= BigInt(settings.stuckAfterBlocks) && paysMarket(fees, market);
}
