import type { PreparedCall } from '@castellan/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Config, useConfig } from 'wagmi';
import { getConnection, sendTransaction } from 'wagmi/actions';
import type { Services } from '../client/services.ts';
import { useApp } from '../client/services.ts';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { shortHex } from '../format/address.ts';
import { isRejection } from '../session/sign-in.ts';
import { reportOf } from './follow.ts';
import { keepProposal, keptProposal } from './kept-proposal.ts';

/** Takes over a transaction that was signed after its page was left: it is reported from here, and the person learns that it was sent. */
function useLeftBehind() {
  const { api } = useApp();
  const queries = useQueryClient();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return ({ id, signer }: PreparedCall, hash: string) => {
    if (isShown.current) return;
    toast({
      tone: 'info',
      title: 'What you signed was sent',
      detail: `The page it began on was left. It is ${shortHex(hash)}: do not sign it again.`,
      key: `sent ${id}`,
    });
    // A wallet that is a contract answered with a proposal, which no transaction has.
    if (signer.kind !== 'eoa') return;
    const report = queries.getMutationCache().build(queries, reportOf(api, id));
    report
      .execute(hash)
      .catch((error: unknown) => console.warn('the transaction was not reported', explain(error).detail));
  };
}

/** Hands a prepared call to the wallet as it is. */
function useSend() {
  const wallets = useConfig();
  const leftBehind = useLeftBehind();
  return useMutation({
    mutationFn: async (call: PreparedCall) => {
      try {
        const sent = await sendTransaction(wallets, {
          to: call.to as `0x${string}`,
          data: call.data as `0x${string}`,
          value: BigInt(call.value),
          chainId: call.chain_id as (typeof wallets)['chains'][number]['id'],
        });
        if (call.signer.kind !== 'eoa') keepProposal(call.id, sent);
        leftBehind(call, sent);
        return sent;
      } catch (error) {
        if (isRejection(error)) throw new Error('You declined in the wallet. Nothing was sent.');
        throw error;
      }
    },
  });
}

/** While a Safe collects signatures. */
const ASK_AGAIN_MS = 4_000;

type Receipt = { logs: readonly { transactionHash: string }[] } | null;
type Provider = { request: (call: { method: string; params: readonly unknown[] }) => Promise<unknown> };

/**
 * The transaction that executed what a Safe was asked to send. As a Safe app the page asks the Safe: it answers with the receipt
 * under the hash that it was asked for, whose logs name the transaction. Another wallet of a contract may have answered with the hash of a
 * transaction at once, which the chain then knows.
 * @returns null while there is none.
 */
async function executionOf(
  { api, wallets }: Pick<Services, 'api'> & { wallets: Config },
  chainId: number,
  proposal: string,
): Promise<string | null> {
  const { connector } = getConnection(wallets);
  if (connector?.type === 'safe') {
    const provider = (await connector.getProvider()) as Provider;
    const receipt = (await provider.request({ method: 'eth_getTransactionReceipt', params: [proposal] })) as Receipt;
    return receipt?.logs[0]?.transactionHash ?? null;
  }
  const { status } = await api.transaction({ params: { chain_id: String(chainId), tx_hash: proposal } });
  return status === 'unknown' ? null : proposal;
}

/**
 * Sends a prepared call with the wallet, or takes the hash of what was sent elsewhere. A wallet that is a contract collects
 * signatures first: what it returns is the hash of a proposal, and no transaction has it. So that is never reported; what executes the proposal is.
 * `isWaiting`: no transaction is known of the call yet, so that a proposal of it from before a reload still counts.
 */
export function useSent(call: Pick<PreparedCall, 'id' | 'chain_id' | 'signer'>, isWaiting = true) {
  const { api } = useApp();
  const wallets = useConfig();
  const send = useSend();
  const [elsewhere, setElsewhere] = useState<string>();
  const [kept] = useState(() => (isWaiting ? keptProposal(call.id) : undefined));
  const proposal = call.signer.kind === 'eoa' ? undefined : (send.data ?? kept);
  const executed = useQuery({
    queryKey: ['executed', call.chain_id, proposal],
    queryFn: () => executionOf({ api, wallets }, call.chain_id, proposal ?? ''),
    enabled: ({ state }) => proposal !== undefined && elsewhere === undefined && state.data == null,
    refetchInterval: ASK_AGAIN_MS,
    retry: false,
    gcTime: 0,
  });
  const sent = proposal === undefined ? send.data : (executed.data ?? undefined);
  return { send, proposal, hash: elsewhere ?? sent, setElsewhere };
}
