import type { ComponentProps } from 'react';
import { WithWallets } from '../wallet/with-wallets.tsx';
import { SendStep } from './send-step.tsx';

/** The step with the wallets it needs. */
export default function SendWithWallet(props: ComponentProps<typeof SendStep>) {
  return (
    <WithWallets>
      <SendStep {...props} />
    </WithWallets>
  );
}
