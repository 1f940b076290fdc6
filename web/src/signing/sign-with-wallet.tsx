import type { ComponentProps } from 'react';
import { WithWallets } from '../wallet/with-wallets.tsx';
import { SignDialog } from './sign-dialog.tsx';

/** The dialog with the wallets it needs. */
export default function SignWithWallet(props: ComponentProps<typeof SignDialog>) {
  return (
    <WithWallets>
      <SignDialog {...props} />
    </WithWallets>
  );
}
