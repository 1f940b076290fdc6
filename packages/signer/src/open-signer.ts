import { toPrefixedMessage } from 'viem';
import { type EthereumSigner, ethereumSigner, type Recover } from './ethereum-signer.ts';
import { openKey } from './key-name.ts';

/** Begins with 0x19, as no transaction does and no price of a validator (EIP-191, version 0x45), and says that it allows nothing. */
const probe = toPrefixedMessage('Castellan tries this key. The signature allows nothing.');

/**
 * The signer of a key by its name, `SERVICE:NAME`, once it has signed: a key that may be read and not used is found at the start.
 * @throws KeyServiceError
 */
export async function openSigner(name: string, recover?: Recover): Promise<EthereumSigner> {
  const signer = await ethereumSigner(await openKey(name), recover);
  await signer.signKeccak256(probe);
  return signer;
}
