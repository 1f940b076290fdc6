import type { TransactionSigner } from '@castellan/transactor';
import { keccak256, parseSignature, serializeTransaction } from 'viem';
import type { OnchainKeyring } from '../ports.ts';

/** Signs transactions with any key that signs hashes, so that a key server fits. */
export const transactionSigner = (keyring: OnchainKeyring): TransactionSigner => ({
  address: keyring.address,
  signTransaction: async (transaction) => {
    const signature = await keyring.sign(keccak256(serializeTransaction(transaction)));
    return serializeTransaction(transaction, parseSignature(signature));
  },
});
