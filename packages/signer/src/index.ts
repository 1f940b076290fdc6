export { type Es256Signer, openEs256Signer } from './es256-signer.ts';
export type { EthereumSigner } from './ethereum-signer.ts';
export { keyNameFault } from './key-name.ts';
export { openSigner } from './open-signer.ts';
export { KeyServiceError } from './remote-key.ts';
export { transactionSigner } from './transaction-signer.ts';
