import type { PreparedCall } from '@castellan/contracts';
import { serverNow } from '../client/server-clock.ts';
import { Button } from '../design/button.tsx';
import { sameAddress } from '../format/address.ts';
import { formatDuration } from '../format/time.ts';
import { useTick } from '../live/chain-clock.ts';
import { useSession } from '../session/use-session.ts';
import { NetworkPrompt } from '../wallet/network-prompt.tsx';
import { SentElsewhere } from './sent-elsewhere.tsx';
import { useBlockers } from './use-blockers.tsx';

/** Seconds until the call may no longer be sent, by the clock of the server that said when. */
function useExpiry(expiresAt: string): number {
  useTick();
  return Math.max(0, (Date.parse(expiresAt) - serverNow()) / 1_000);
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
  // What the wallet was handed before may still be signed: that is not offered anew.
  if (left === 0 && !isSending) {
    return (
      <>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p role="status" className="text-13 text-brass">
            {signer.kind === 'eoa'
              ? 'This call has expired. Nothing was sent.'
              : 'This call has expired. If it was executed, enter the transaction.'}
          </p>
          <Button look="primary" onPress={onPrepareAgain}>
            Prepare it again
          </Button>
        </div>
        {signer.kind === 'eoa' ? null : <SentElsewhere onSent={onSent} />}
      </>
    );
  }
  const expiry = (
    <p className="text-12 text-muted">
      {left === 0 ? 'This call has expired. Decline it in the wallet.' : `Expires in ${formatDuration(left)}`}
    </p>
  );
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
