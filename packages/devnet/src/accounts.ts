import type { Address } from 'viem';
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';

/** The public test mnemonic: its keys guard nothing. */
export const mnemonic = 'test test test test test test test test test test test junk';

const cache = new Map<number, HDAccount>();

/** Account `index` of the mnemonic. */
export function account(index: number): HDAccount {
  const known = cache.get(index);
  if (known) return known;
  const made = mnemonicToAccount(mnemonic, { addressIndex: index });
  cache.set(index, made);
  return made;
}

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
