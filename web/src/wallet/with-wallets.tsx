import { type ReactNode, use, useEffect } from 'react';
import { WagmiContext } from 'wagmi';
import { useApp } from '../client/services.ts';
import { needWallets } from './needed.ts';

/**
 * What is below may use a wallet. Loaded when one is needed, never for somebody who only reads. The bare context, because
 * wagmi's own provider empties the connections of the shared configuration whenever it renders.
 */
export function WithWallets({ children }: { children: ReactNode }) {
  const { wallets } = useApp();
  useEffect(() => needWallets(wallets), [wallets]);
  return <WagmiContext value={use(wallets())}>{children}</WagmiContext>;
}
