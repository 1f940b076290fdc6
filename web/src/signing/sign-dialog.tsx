import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useConfig } from 'wagmi';
import { sendTransaction } from 'wagmi/actions';
import type { AppChain } from '../app/config.ts';
import { useApp } from '../app/services.ts';
import type { PreparedCall } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Failure, Skeleton } from '../design/states.tsx';
import { isRejection } from '../session/sign-in.ts';
import { useSession } from '../session/use-session.ts';
import { NetworkPrompt } from '../wallet/network-prompt.tsx';
import { CallReview } from './call-review.tsx';
import { checkCall, type Intent } from './check-call.ts';
import { isSettled, Progress } from './progress.tsx';
import { useBlockers } from './use-blockers.tsx';

type Props = {
  title: string;
  intent: Intent;
  chain: AppChain;
  prepare: () => Promise<PreparedCall>;
  /** Called once the transaction is indexed: whatever it changed can be read again. */
  onIndexed: () => void;
  onClose: () => void;
};

const POLL_MS = 1_000;

/** Hands a prepared call to the wallet as it is. */
function useSend() {
  const wallets = useConfig();
  return useMutation({
    mutationFn: async (call: PreparedCall) => {
      try {
        return await sendTransaction(wallets, {
          to: call.to as `0x${string}`,
          data: call.data as `0x${string}`,
          value: BigInt(call.value),
          chainId: call.chain_id as (typeof wallets)['chains'][number]['id'],
        });
      } catch (error) {
        if (isRejection(error)) throw new Error('You declined in the wallet. Nothing was sent.');
        throw error;
      }
    },
  });
}

/** What became of a sent transaction, asked until nothing more will happen to it. */
function useTracked(chainId: number, hash: string | undefined) {
  const { api } = useApp();
  return useQuery({
    queryKey: ['transaction', chainId, hash],
    queryFn: () => api.transaction({ params: { chain_id: String(chainId), tx_hash: hash ?? '' } }),
    enabled: hash !== undefined,
    refetchInterval: ({ state }) => (isSettled(state.data) ? false : POLL_MS),
    staleTime: 0,
  });
}

/** Prepare, check here what it does, sign, and follow it until the system has seen it. */
export function SignDialog({ title, intent, chain, prepare, onIndexed, onClose }: Props) {
  const session = useSession();
  const prepared = useMutation({ mutationFn: prepare });
  const send = useSend();
  const hash = send.data;
  const tracked = useTracked(chain.chain_id, hash);
  const start = useEffectEvent(() => prepared.mutate());
  useEffect(() => start(), []);
  const isIndexed = tracked.data?.indexed === true && tracked.data.status === 'mined';
  const tell = useEffectEvent(onIndexed);
  useEffect(() => {
    if (isIndexed) tell();
  }, [isIndexed]);

  const call = prepared.data;
  return (
    <Dialog title={title} isOpen onClose={onClose} isDismissable={!send.isPending}>
      <div className="flex flex-col gap-4">
        {prepared.isPending || prepared.isIdle ? <Skeleton className="h-56 w-full" /> : null}
        {prepared.isError ? (
          <Failure
            error={prepared.error}
            {...(session.status === 'signed_in' ? { retry: () => prepared.mutate() } : {})}
          />
        ) : null}
        {call === undefined ? null : (
          <CallReview call={call} check={checkCall(call, intent)} explorerUrl={chain.explorer_url} />
        )}
        {call !== undefined && hash === undefined ? (
          <SignStep call={call} intent={intent} isSending={send.isPending} onSign={() => send.mutate(call)} />
        ) : null}
        {send.isError ? <Failure error={send.error} title="The transaction was not sent" /> : null}
        {hash === undefined ? null : (
          <Progress hash={hash} transaction={tracked.data} error={tracked.error} explorerUrl={chain.explorer_url} />
        )}
        {hash === undefined ? null : (
          <Button look={isIndexed ? 'primary' : 'secondary'} onPress={onClose}>
            {isSettled(tracked.data) ? 'Done' : 'Close, it goes on by itself'}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

type StepProps = { call: PreparedCall; intent: Intent; isSending: boolean; onSign: () => void };

function SignStep({ call, intent, isSending, onSign }: StepProps) {
  const { reason, action } = useBlockers(call.chain_id);
  const { problems } = checkCall(call, intent);
  const blocked = problems.length > 0 || !call.simulation.ok || reason !== undefined;
  return (
    <>
      <NetworkPrompt chainId={call.chain_id} />
      {reason === undefined ? null : (
        <p className="flex flex-wrap items-center justify-between gap-2 text-13 text-brass">
          {reason}
          {action}
        </p>
      )}
      <Button look="primary" isDisabled={blocked || isSending} onPress={onSign}>
        {isSending ? 'Waiting for the wallet' : 'Sign and send'}
      </Button>
    </>
  );
}
