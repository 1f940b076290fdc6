import { expect, test } from '@jest/globals';
import { mnemonicToAccount } from 'viem/accounts';
import { devWallet, mnemonic } from './dev-wallets.ts';

test.each([0, 1, 63])('default: wallet %i is the account of that number of the mnemonic', (index) => {
  expect(devWallet(index).address).toBe(mnemonicToAccount(mnemonic, { addressIndex: index }).address);
});
