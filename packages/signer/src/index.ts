export { type EthereumSigner, ethereumSigner, type Recover } from './ethereum-signer.ts';
export { type KeyFault, KeyServiceError, type RemoteKey } from './remote-key.ts';
