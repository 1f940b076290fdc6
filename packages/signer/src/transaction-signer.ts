import { type Address, type Hex, parseSignature, serializeTransaction, type TransactionSerializable } from 'viem';
import type { EthereumSigner } from './ethereum-signer.ts';

/** Signs transactions with any key of the chain's curve. What is hashed is the unsigned form, whatever the type of the transaction. */
export const transactionSigner = ({ address, signKeccak256 }: EthereumSigner) => ({
  address: address as Address,
  signTransaction: async (transaction: TransactionSerializable): Promise<Hex> =>
    serializeTransaction(transaction, parseSignature(await signKeccak256(serializeTransaction(transaction)))),
});
