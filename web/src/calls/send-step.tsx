import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { useVaultLive } from '../data/use-live.ts';
import { Failure } from '../design/states.tsx';
import { sameAddress, shortHex } from '../format/address.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { isMined, useFollowed } from '../signing/follow.ts';
import { Progress } from '../signing/progress.tsx';
import { Proposed } from '../signing/proposed.tsx';
import { SignStep } from '../signing/sign-step.tsx';
import { useSent } from '../signing/use-sent.ts';
import { type Prepared, preparePathOf } from './call-states.ts';

type Props = { call: Prepared; isTrusted: boolean; explorerUrl: string | null | undefined; refresh: () => void };

/**
 * Who prepared the call may send it from here while it waits; everybody else sees who that is. What a contract sends, any of
 * its signers may report the transaction.
 */
export function SendStep({ call, isTrusted, explorerUrl, refresh }: Props) {
  const { config } = useApp();
  const session = useSession();
  const navigate = useNavigate();
  const isByContract = call.signer.kind !== 'eoa';
  // What contracts send may be executed long after the call was prepared.
  const isWaiting = call.status === 'prepared' || (call.status === 'expired' && isByContract);
  const { send, proposal, hash, setElsewhere } = useSent(call, isWaiting);
  const { id, chain_id: chainId, vault_address: vault } = call;
  const { mode } = useVaultLive(useViewer(), chainId, vault, hash !== undefined);
  const { followed, error, reportFailure, reportAgain, canReportAgain } = useFollowed(
    { id, chainId, vault },
    hash,
    mode,
  );
  const mined = isMined(followed);
  const again = useEffectEvent(refresh);
  useEffect(() => {
    if (mined) again();
  }, [mined]);
  if (hash !== undefined) {
    return (
      <Progress
        hash={hash}
        followed={followed}
        error={error}
        reportFailure={reportFailure}
        reportAgain={canReportAgain ? reportAgain : undefined}
        explorerUrl={explorerUrl}
      />
    );
  }
  if (proposal !== undefined) return <Proposed proposal={proposal} onSent={setElsewhere} />;
  if (!isWaiting) return null;
  const isOwn = session.status !== 'anonymous' && sameAddress(session.address, call.prepared_by);
  if (!isOwn && !isByContract) {
    return (
      <p role="status" className="text-13 text-muted">
        {`${shortHex(call.prepared_by)} prepared this call and sends it. You can review it here; nothing is asked of your wallet.`}
      </p>
    );
  }
  const slug = chainById(config, call.chain_id)?.slug ?? String(call.chain_id);
  return (
    <>
      <SignStep
        call={call}
        isTrusted={isTrusted}
        isSending={send.isPending}
        onSign={() => send.mutate(call)}
        onSent={setElsewhere}
        onPrepareAgain={() => navigate(preparePathOf(call.kind)(slug, call.vault_address))}
      />
      {send.isError ? <Failure error={send.error} title="The transaction was not sent" /> : null}
    </>
  );
}
