import { isDepositorKind, type PreparedCall } from '@castellan/contracts';
import { type Check, checkSteps, type Intent } from '@castellan/sdk/calls';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { AppChain } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { useLiveMode } from '../data/use-live.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Failure, Skeleton } from '../design/states.tsx';
import { useSession } from '../session/use-session.ts';
import { CallReview } from './call-review.tsx';
import type { Units } from './call-text.ts';
import { isMined, isSettled, stateOf, useFollowed } from './follow.ts';
import { Progress } from './progress.tsx';
import { Proposed } from './proposed.tsx';
import { Refusal } from './refusal.tsx';
import { SignStep } from './sign-step.tsx';
import { useSent } from './use-sent.ts';

type Props = {
  title: string;
  intent: Intent;
  chain: AppChain;
  units?: Units;
  /** The calls that carry out the change, in the order they are sent. */
  prepare: () => Promise<readonly PreparedCall[]>;
  /** Called when the chain says that the change is made, and again once it is indexed: what it changed can be read again. */
  onDone: () => void;
  onClose: () => void;
};

/** Prepare, check here what it does, sign, and follow it until the chain says that it is done. */
export function SignDialog({ title, intent, chain, units = {}, prepare, onDone, onClose }: Props) {
  const session = useSession();
  const [at, setAt] = useState(0);
  const [isSending, setSending] = useState(false);
  const prepared = useMutation({ mutationFn: prepare, onSuccess: () => setAt(0) });
  const start = useEffectEvent(() => prepared.mutate());
  useEffect(() => start(), []);
  const again = () => prepared.mutate();
  const steps = prepared.data ?? [];
  const call = steps[at];
  return (
    // A wallet may never answer: only by chance it is not left. What it signs afterwards is reported all the same.
    <Dialog title={title} isOpen onClose={onClose} isDismissable={!isSending}>
      <div className="flex flex-col gap-4">
        {prepared.isPending || prepared.isIdle ? <Skeleton className="h-56 w-full" /> : null}
        {prepared.isError ? (
          <Refusal
            error={prepared.error}
            chainId={intent.chainId}
            isOwn={isDepositorKind(intent.kind)}
            retry={session.status === 'signed_in' ? again : undefined}
          />
        ) : null}
        {call === undefined ? null : (
          <Step
            key={call.id}
            steps={steps}
            at={at}
            intent={intent}
            chain={chain}
            units={units}
            onBusy={setSending}
            onNext={() => setAt(at + 1)}
            onPrepareAgain={again}
            onDone={onDone}
            onClose={onClose}
          />
        )}
      </div>
    </Dialog>
  );
}

type StepProps = Required<Pick<Props, 'intent' | 'chain' | 'units' | 'onDone' | 'onClose'>> & {
  steps: readonly PreparedCall[];
  at: number;
  onBusy: (isSending: boolean) => void;
  onNext: () => void;
  onPrepareAgain: () => void;
};

/** A later step was simulated before the one it needs was sent, so the server looks at it again when its turn comes. */
function useTurn(steps: readonly PreparedCall[], at: number) {
  const { api } = useApp();
  const first = steps[at];
  const again = useQuery({
    queryKey: ['prepared', first?.id, 'recheck'],
    queryFn: () => api.getPrepared({ params: { id: first?.id ?? '' }, query: { recheck: 'true' } }),
    enabled: at > 0 && first !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return { call: at > 0 ? again.data : first, again };
}

function Step({ steps, at, intent, ...rest }: StepProps) {
  const { call, again } = useTurn(steps, at);
  const heading =
    steps.length === 1 ? null : (
      <h3 className="text-13 font-semibold text-muted">{`Step ${at + 1} of ${steps.length}`}</h3>
    );
  if (call === undefined) {
    return (
      <>
        {heading}
        {again.isError ? (
          <Failure error={again.error} title="The next step could not be checked" retry={() => again.refetch()} />
        ) : (
          <Skeleton className="h-56 w-full" />
        )}
      </>
    );
  }
  const check = checkSteps(steps.with(at, call), intent)[at];
  if (check === undefined) return null;
  const isLast = at === steps.length - 1;
  return (
    <>
      {heading}
      <Run
        {...rest}
        call={call}
        check={check}
        vault={intent.vault}
        isOwn={isDepositorKind(intent.kind)}
        isLast={isLast}
        onRecheck={at > 0 && !call.simulation.ok ? () => void again.refetch() : undefined}
      />
    </>
  );
}

type RunProps = Omit<StepProps, 'steps' | 'at' | 'intent'> & {
  call: PreparedCall;
  check: Check;
  vault: string;
  isOwn: boolean;
  isLast: boolean;
  onRecheck: (() => void) | undefined;
};

/** One transaction: review, signature, what becomes of it. */
function Run({
  call,
  check,
  chain,
  vault,
  units,
  isOwn,
  isLast,
  onRecheck,
  onBusy,
  onNext,
  onPrepareAgain,
  onDone,
  onClose,
}: RunProps) {
  const { send, proposal, hash, setElsewhere } = useSent(call);
  const { followed, error, reportFailure, reportAgain, canReportAgain } = useFollowed(
    { id: call.id, chainId: chain.chain_id, vault },
    hash,
    useLiveMode(),
  );
  const mined = isMined(followed);
  const state = stateOf(followed);
  const isVerified = isLast && (state === 'verified' || state === 'failed_post_condition');
  const isIndexed = isLast && mined && followed.transaction?.indexed === true;
  const finish = useEffectEvent(onDone);
  useEffect(() => {
    if (isVerified || isIndexed) finish();
  }, [isVerified, isIndexed]);
  const next = useEffectEvent(onNext);
  useEffect(() => {
    if (mined && !isLast) next();
  }, [mined, isLast]);
  const busy = useEffectEvent(onBusy);
  useEffect(() => busy(send.isPending), [send.isPending]);
  return (
    <>
      <CallReview call={call} check={check} units={units} explorerUrl={chain.explorer_url} isOwn={isOwn} />
      {onRecheck === undefined || hash !== undefined || proposal !== undefined ? null : (
        <Button onPress={onRecheck}>Simulate it again</Button>
      )}
      {hash !== undefined || proposal !== undefined ? null : (
        <SignStep
          call={call}
          isTrusted={check.problems.length === 0}
          isSending={send.isPending}
          onSign={() => send.mutate(call)}
          onSent={setElsewhere}
          onPrepareAgain={onPrepareAgain}
        />
      )}
      {hash === undefined && proposal !== undefined ? <Proposed proposal={proposal} onSent={setElsewhere} /> : null}
      {send.isError ? <Failure error={send.error} title="The transaction was not sent" /> : null}
      {hash === undefined ? null : (
        <InView>
          <Progress
            hash={hash}
            followed={followed}
            error={error}
            reportFailure={reportFailure}
            reportAgain={canReportAgain ? reportAgain : undefined}
            explorerUrl={chain.explorer_url}
          />
          <Button look={isVerified || isIndexed ? 'primary' : 'secondary'} onPress={onClose}>
            {isSettled(followed) ? 'Done' : 'Close, it goes on by itself'}
          </Button>
        </InView>
      )}
    </>
  );
}

/** Comes into view when it appears: what happens now matters more than what was read before. */
function InView({ children }: { children: ReactNode }) {
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    part.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={part} className="flex flex-col gap-4">
      {children}
    </div>
  );
}
