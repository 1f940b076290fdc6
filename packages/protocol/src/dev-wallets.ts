import { pbkdf2Sync } from 'node:crypto';
import { toHex } from 'viem';
import { type HDAccount, HDKey, privateKeyToAccount } from 'viem/accounts';

/** The public test mnemonic of local chains: its keys guard nothing. */
export const mnemonic = 'test test test test test test test test test test test junk';

/**
 * What all wallets are children of. BIP-39's seed is made by Node's own PBKDF2, which takes 30 ms in JavaScript; each of the steps
 * from there to here takes as long as the one from here to a wallet.
 */
const parent = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, 'mnemonic', 2048, 64, 'sha512')).derive("m/44'/60'/0'/0");
const known = new Map<number, HDAccount>();

/** Account `index` of the mnemonic. */
export function devWallet(index: number): HDAccount {
  const wallet = known.get(index) ?? walletOf(parent.deriveChild(index));
  known.set(index, wallet);
  return wallet;
}

const walletOf = (key: HDKey): HDAccount => ({
  ...privateKeyToAccount(toHex(key.privateKey as Uint8Array)),
  getHdKey: () => key,
  source: 'hd',
});
