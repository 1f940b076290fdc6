import type { PreparedCall } from '@castellan/contracts';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useConfig } from 'wagmi';
import { sendTransaction } from 'wagmi/actions';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { sameAddress } from '../format/address.ts';
import { formatDuration } from '../format/time.ts';
import { useTick } from '../live/chain-clock.ts';
import { isRejection } from '../session/sign-in.ts';
import { useSession } from '../session/use-session.ts';
import { NetworkPrompt } from '../wallet/network-prompt.tsx';
import { useBlockers } from './use-blockers.tsx';

/** Hands a prepared call to the wallet as it is. */
export function useSend() {
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

/** Seconds until the call may no longer be sent. */
export function useExpiry(expiresAt: string): number {
  useTick();
  return Math.max(0, (Date.parse(expiresAt) - Date.now()) / 1_000);
}

type Props = {
  call: PreparedCall;
  isTrusted: boolean;
  isSending: boolean;
  onSign: () => void;
  /** The hash of a transaction that was sent elsewhere: by a Safe, a timelock or another browser. */
  onSent: (hash: string) => void;
  onPrepareAgain: () => void;
};

/** The last look before signing: what still stands in the way, and the button. */
export function SignStep({ call, isTrusted, isSending, onSign, onSent, onPrepareAgain }: Props) {
  const session = useSession();
  const left = useExpiry(call.expires_at);
  const { signer } = call;
  const isSender = session.status === 'signed_in' && sameAddress(session.address, signer.wallet_address);
  const byPackage = signer.kind !== 'eoa' && !isSender;
  const { reason, action } = useBlockers({ chainId: call.chain_id, from: signer.wallet_address });
  if (left === 0) {
    return (
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="text-13 text-brass">
          This call has expired. Nothing was sent.
        </p>
        <Button look="primary" onPress={onPrepareAgain}>
          Prepare it again
        </Button>
      </div>
    );
  }
  const expiry = <p className="text-12 text-muted">{`Expires in ${formatDuration(left)}`}</p>;
  if (byPackage) {
    return isTrusted ? (
      <>
        {expiry}
        <SentElsewhere onSent={onSent} />
      </>
    ) : null;
  }
  const blocked = !isTrusted || !call.simulation.ok || reason !== undefined;
  return (
    <>
      <NetworkPrompt chainId={call.chain_id} />
      {reason === undefined ? null : (
        <p className="flex flex-wrap items-center justify-between gap-2 text-13 text-brass">
          {reason}
          {action}
        </p>
      )}
      {expiry}
      <Button look="primary" isDisabled={blocked || isSending} onPress={onSign}>
        {isSending ? 'Waiting for the wallet' : 'Sign and send'}
      </Button>
    </>
  );
}

function SentElsewhere({ onSent }: { onSent: (hash: string) => void }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const hash = text.trim();
    if (/^0x[0-9a-fA-F]{64}$/.test(hash)) onSent(hash.toLowerCase());
    else setError('A transaction hash is 0x followed by 64 hexadecimal digits.');
  };
  return (
    <form onSubmit={submit} aria-label="Follow the transaction" className="flex flex-wrap items-start gap-3">
      <Field
        label="Transaction hash, once it was sent"
        value={text}
        onChange={(value) => {
          setText(value);
          setError(undefined);
        }}
        error={error}
        hint="The page then follows it until the change is made."
        mono
        placeholder="0x"
        autoComplete="off"
        className="flex-1 basis-72"
      />
      <Button type="submit" className="sm:mt-6">
        Follow it
      </Button>
    </form>
  );
}
