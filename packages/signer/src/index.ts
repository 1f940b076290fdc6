export { type EthereumSigner, ethereumSigner, type Recover } from './ethereum-signer.ts';
export { keyNameFault, openKey } from './key-name.ts';
export { KeyServiceError } from './remote-key.ts';
export { transactionSigner } from './transaction-signer.ts';
