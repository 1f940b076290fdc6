import { errorCodes, isErrorCode } from '@castellan/contracts';
import { useEffect, useEffectEvent, useRef } from 'react';
import { explain, isSignedOut } from '../design/explain.ts';
import { Failure } from '../design/states.tsx';
import { useSession } from '../session/use-session.ts';
import { StepUpPrompt } from './step-up-prompt.tsx';

/** What the person can do about a refusal, where that is not plain from the refusal itself. */
const advice: Readonly<Record<string, string>> = {
  ROLE_REQUIRED: 'Your role may have changed since the page was loaded. Ask the primary manager.',
  SCOPE_REQUIRED: 'Sign in with your wallet to do this.',
  VERSION_CONFLICT: 'Somebody else has changed it in the meantime. Close this, check the new values and try again.',
  UNAUTHORIZED_UPDATE_AUTHORITY: 'Sign in with the wallet that has the role on chain.',
  MANAGER_NOT_AUTHORIZED: 'Sign in with the wallet that has the role on chain.',
  NO_PROPOSAL: 'Propose it first.',
  INVALID_TIMESTAMP: 'Come back once its waiting time is over.',
  TIMELOCK_NOT_EXPIRED: 'Come back once its waiting time is over.',
  UPKEEP_WITHDRAWAL_NOT_FOUND: 'Propose the withdrawal first.',
  UPKEEP_WITHDRAWAL_NOT_READY: 'Come back once its waiting time is over.',
  STALE_PPS: 'Try again after the next price report.',
  PPS_EXPIRED: 'Try again after the next price report.',
  STRATEGY_PAUSED: 'Unpause the vault first.',
  SKIM_TIMELOCK_ACTIVE: 'Try again 12 hours after the unpause.',
  NOTHING_TO_SKIM: 'A fee is due once the price rises above the high-water mark.',
  NOT_ENOUGH_FREE_ASSETS_FEE_SKIM: 'Free assets from a yield source first.',
  ERC20InsufficientBalance: 'Lower the amount, or fund the wallet.',
  YIELD_SOURCE_FUNDED: 'Withdraw from the yield source first.',
  RPC_UNAVAILABLE: 'Nothing was sent. Try again in a moment.',
  RATE_LIMITED: 'Nothing was sent. Try again in a moment.',
};

/** The same for who is no manager of the vault, where it differs. */
const ownAdvice: Readonly<Record<string, string>> = {
  ROLE_REQUIRED: 'Sign in with your wallet, without a limit to another vault.',
  STRATEGY_PAUSED: 'It opens again once a manager releases the vault. What was paid can be claimed meanwhile.',
  OPERATIONS_BLOCKED_BY_VETO: 'Try again once the veto is over.',
  INVALID_AMOUNT: 'Enter another amount.',
  CANCELLATION_REDEEM_REQUEST_PENDING: 'A manager gives the shares back first; then you take them back here.',
  INVALID_WITHDRAW_PRICE: 'A manager pays the request first; then you claim it here.',
  TOO_MANY_PREPARED: 'Send one of the calls you prepared, or wait until they run out of time.',
};

type Props = {
  error: unknown;
  chainId: number;
  /** Of a change of the own position. */
  isOwn?: boolean;
  /** Absent while nobody is signed in who could try again. */
  retry?: (() => void) | undefined;
};

/** What a session that ended has refused is asked for again as soon as there is a new one. */
function useRetryAfterSignIn(isRefused: boolean, retry: (() => void) | undefined) {
  const isSignedIn = useSession().status === 'signed_in';
  const wasAway = useRef(false);
  const again = useEffectEvent(() => retry?.());
  useEffect(() => {
    if (!isSignedIn) wasAway.current = true;
    else if (isRefused && wasAway.current) {
      wasAway.current = false;
      again();
    }
  }, [isSignedIn, isRefused]);
}

/** Why a call was not prepared, in words, and the way on. What was typed stays on the page below. */
export function Refusal({ error, chainId, isOwn = false, retry }: Props) {
  const { code } = explain(error);
  useRetryAfterSignIn(isSignedOut(error), retry);
  if (code === 'STEP_UP_REQUIRED') return <StepUpPrompt chainId={chainId} onDone={retry} />;
  const title = isErrorCode(code) && !isSignedOut(error) ? errorCodes[code].title : undefined;
  const way = code === undefined ? undefined : ((isOwn ? ownAdvice[code] : undefined) ?? advice[code]);
  return (
    <div className="flex flex-col gap-2">
      <Failure error={error} {...(title ? { title } : {})} {...(retry ? { retry } : {})} />
      {way === undefined ? null : <p className="text-13">{way}</p>}
      <p className="text-13 text-muted">Nothing was sent. What you entered stays.</p>
    </div>
  );
}
