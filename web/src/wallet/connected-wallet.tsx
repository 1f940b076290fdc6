import { useEffect } from 'react';
import { useConfig } from 'wagmi';
import { reconnect } from 'wagmi/actions';
import { SessionWatch } from './session-watch.tsx';
import { WalletDialog } from './wallet-dialog.tsx';
import { WithWallets } from './with-wallets.tsx';

/** Brings back the wallet of the last visit, once. */
function Reconnection() {
  const wallets = useConfig();
  useEffect(() => {
    void reconnect(wallets);
  }, [wallets]);
  return null;
}

/** Everything about wallets that is on every page once somebody signs in. */
export default function ConnectedWallet() {
  return (
    <WithWallets>
      <Reconnection />
      <SessionWatch />
      <WalletDialog />
    </WithWallets>
  );
}
