import { useEffect, useEffectEvent } from 'react';
import { useConnection } from 'wagmi';
import { useSession } from '../session/use-session.ts';
import { useAccountCheck } from './use-account-check.ts';
import { WalletDialog } from './wallet-dialog.tsx';
import { WithWallets } from './with-wallets.tsx';

/** Another account in the connected wallet ends the session of the one before. */
function AccountWatch() {
  const session = useSession();
  const { status, address } = useConnection();
  const signedInAs = session.status === 'signed_in' ? session.address : undefined;
  const connected = status === 'connected' ? address : undefined;
  const check = useEffectEvent(useAccountCheck());
  useEffect(() => {
    if (connected !== undefined && signedInAs !== undefined) void check(connected);
  }, [connected, signedInAs]);
  return null;
}

/** Everything about wallets that is on every page once one is used. */
export default function ConnectedWallet() {
  return (
    <WithWallets>
      <AccountWatch />
      <WalletDialog />
    </WithWallets>
  );
}
