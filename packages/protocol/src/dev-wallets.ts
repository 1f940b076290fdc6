import { pbkdf2Sync } from 'node:crypto';
import { type HDAccount, HDKey, hdKeyToAccount } from 'viem/accounts';

/** The public test mnemonic of local chains: its keys guard nothing. */
export const mnemonic = 'test test test test test test test test test test test junk';

/** BIP-39's seed of the mnemonic, by Node's own PBKDF2: in JavaScript it takes 30 ms, and each wallet began with it. */
const root = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, 'mnemonic', 2048, 64, 'sha512'));
const known = new Map<number, HDAccount>();

/** Account `index` of the mnemonic. */
export function devWallet(index: number): HDAccount {
  const wallet = known.get(index) ?? hdKeyToAccount(root, { addressIndex: index });
  known.set(index, wallet);
  return wallet;
}
