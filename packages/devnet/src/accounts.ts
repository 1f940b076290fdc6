import { devWallet as account } from '@castellan/protocol';
import type { Address } from 'viem';

export { devWallet as account, mnemonic } from '@castellan/protocol';

/** Address of account `index`, EIP-55. */
export const addressOf = (index: number): Address => account(index).address;

/** Who is who on the devnet; fixed, so that scripts can rely on it. */
export const cast = {
  deployer: 0,
  primaryManager: 1,
  secondaryManagers: [2, 3],
  transmitters: [5, 6, 7, 8],
  keeper: 9,
  /** The key of the system's own keeper, which is admitted when it runs; see `admitKeeper`. */
  systemKeeper: 59,
  depositors: Array.from({ length: 40 }, (_, i) => 10 + i),
  signers: [60, 61, 62, 63],
} as const;
