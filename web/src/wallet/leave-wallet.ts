import type { Config } from 'wagmi';
import { disconnect } from 'wagmi/actions';

/** Disconnects the wallet, so that the next visit begins with the choice of one. */
export const leaveWallet = (wallets: Config): Promise<void> => disconnect(wallets);
