import type { ReactNode } from 'react';
import { useConnection } from 'wagmi';
import { Button } from '../design/button.tsx';
import { sameAddress, shortHex } from '../format/address.ts';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { SignInAgain } from '../wallet/sign-in-again.tsx';

type Wanted = {
  /** The network a transaction needs; a message needs none. */
  chainId?: number;
  /** The wallet that has to send it. */
  from?: string;
};

/** Why the wallet cannot sign this now, and what ends that; the network has a prompt of its own. */
export function useBlockers({ chainId, from }: Wanted = {}): { reason?: string; action?: ReactNode } {
  const session = useSession();
  const { status, address, chainId: walletChain } = useConnection();
  if (session.status !== 'signed_in') {
    return { reason: 'Your session ended. What you prepared stays.', action: <SignInAgain /> };
  }
  if (status === 'connecting' || status === 'reconnecting') return { reason: 'Waiting for the wallet.' };
  if (status !== 'connected') {
    return {
      reason: `The wallet ${shortHex(session.address)} is not connected in this browser.`,
      action: <Button onPress={openSignIn}>Connect wallet</Button>,
    };
  }
  if (!sameAddress(address, session.address)) {
    return { reason: `The wallet shows another account than ${shortHex(session.address)}.` };
  }
  if (from !== undefined && !sameAddress(address, from)) {
    return { reason: `This call has to come from ${shortHex(from)}.` };
  }
  if (chainId !== undefined && walletChain !== chainId) return { reason: 'Switch the network first.' };
  return {};
}
