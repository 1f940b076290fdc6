import { type ReactNode, use } from 'react';
import { WagmiProvider } from 'wagmi';
import { useApp } from '../app/services.ts';

type Props = {
  children: ReactNode;
  /** One place of the page brings back the wallet of the last visit; the others share it. */
  isReconnecting?: boolean;
};

/** What is below may use a wallet. Loaded when one is needed, never for a visitor who only reads. */
export function WithWallets({ children, isReconnecting = false }: Props) {
  const { wallets } = useApp();
  return (
    <WagmiProvider config={use(wallets())} reconnectOnMount={isReconnecting}>
      {children}
    </WagmiProvider>
  );
}
