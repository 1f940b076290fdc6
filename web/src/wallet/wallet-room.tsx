import { SessionWatch } from './session-watch.tsx';
import { WalletDialog } from './wallet-dialog.tsx';
import { WithWallets } from './with-wallets.tsx';

/** Everything about wallets that is on every page once somebody signs in. */
export default function WalletRoom() {
  return (
    <WithWallets isReconnecting>
      <SessionWatch />
      <WalletDialog />
    </WithWallets>
  );
}
