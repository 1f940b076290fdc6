import { createPublicKey } from 'node:crypto';
import { ask } from './http.ts';
import { type Limits, limits } from './limits.ts';
import { type KeyFault, KeyServiceError, type RemoteKey } from './remote-key.ts';

const faults: Readonly<Record<number, [KeyFault, string]>> = {
  400: ['missing', 'Web3Signer does not take the request. Is it run with eth1?'],
  401: ['denied', 'A proxy wants credentials, which this client does not send.'],
  403: ['denied', 'Add the name by which it is called here to --http-host-allowlist.'],
  404: ['missing', 'Web3Signer does not hold this key, or is not run with eth1.'],
};

/**
 * A key of a Web3Signer that is run with `eth1`. It hashes what it is given with Keccak-256 and signs no hash of others, so it gets the
 * message: the unsigned form of a transaction, or the 66 bytes that a validator's signature of a price stands for.
 * @param url - Without the path of its API.
 * @param publicKey - 64 bytes in hexadecimal, as `/api/v1/eth1/publicKeys` lists it. It is given and not asked for, so that who answers
 * in the place of Web3Signer cannot bring a key of its own.
 */
export function web3signerKey(url: string, publicKey: string, within: Limits = limits): RemoteKey {
  const name = `web3signer:${url}/${publicKey}`;
  const point = Buffer.from(publicKey.slice(2), 'hex');
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  return {
    name,
    async readPublicKey() {
      try {
        return createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x: part(0), y: part(32) }, format: 'jwk' });
      } catch {
        throw new KeyServiceError('unfit', `The key ${name} is no point of secp256k1.`);
      }
    },
    async sign({ message }) {
      const data = `0x${Buffer.from(message).toString('hex')}`;
      const { status, text } = await ask(
        { name, url: `${url}/api/v1/eth1/sign/${publicKey}`, method: 'POST', body: { data } },
        within,
      );
      if (status !== 200) {
        const [fault, advice] = faults[status] ?? ['unreachable', `Web3Signer did not answer as expected (${status}).`];
        throw new KeyServiceError(fault, `The key ${name} cannot be used: ${advice}`);
      }
      // The last byte is v, of several conventions; who asked finds it anew.
      const parts = /^0x([0-9a-f]{64})([0-9a-f]{64})[0-9a-f]{2}$/i.exec(text.trim());
      if (!parts) throw new KeyServiceError('unfit', `The key ${name} returned no signature of 65 bytes.`);
      return { r: BigInt(`0x${parts[1]}`), s: BigInt(`0x${parts[2]}`) };
    },
  };
}
