import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { type Address, getAddress, isAddress } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import type { NodeKeys } from './bundle.ts';

/** What an operator hands to governance: public parts only. */
export type Registration = {
  validator_name: string;
  /** 65 bytes, uncompressed, beginning with 04. */
  onchain_public_key: string;
  ethereum_address: Address;
  offchain_public_key: string;
  config_encryption_public_key: string;
  transmitter_address: Address;
};

export const registrationOf = (name: string, keys: NodeKeys): Registration => ({
  validator_name: name,
  onchain_public_key: bytesToHex(keys.onchain.publicKey),
  ethereum_address: getAddress(keys.onchain.address),
  offchain_public_key: bytesToHex(keys.offchain.publicKey),
  config_encryption_public_key: bytesToHex(keys.encryption.publicKey),
  transmitter_address: getAddress(keys.transmitter.address),
});

export type SelfCheck = { what: string; ok: boolean };

const passes = (check: () => unknown): boolean => {
  try {
    return check() !== false;
  } catch {
    return false;
  }
};

/** Whether a registration is what governance can take; a wrong one would be found on the chain only. */
export function checkRegistration(registration: Registration): SelfCheck[] {
  const {
    onchain_public_key,
    ethereum_address,
    offchain_public_key,
    config_encryption_public_key,
    transmitter_address,
  } = registration;
  const probe = new Uint8Array(32).fill(9);
  return [
    { what: 'validator_name is 1 to 63 characters', ok: /^.{1,63}$/.test(registration.validator_name) },
    {
      what: 'onchain_public_key is 65 bytes beginning with 04',
      ok: /^04[0-9a-f]{128}$/.test(onchain_public_key),
    },
    {
      what: 'ethereum_address belongs to onchain_public_key',
      ok: passes(() => publicKeyToAddress(`0x${onchain_public_key}`) === ethereum_address),
    },
    {
      what: 'offchain_public_key is an Ed25519 key of 32 bytes',
      ok: /^[0-9a-f]{64}$/.test(offchain_public_key) && passes(() => ed25519.Point.fromHex(offchain_public_key)),
    },
    {
      what: 'config_encryption_public_key is an X25519 key of 32 bytes',
      ok:
        /^[0-9a-f]{64}$/.test(config_encryption_public_key) &&
        passes(() => x25519.getSharedSecret(probe, hexToBytes(config_encryption_public_key))),
    },
    { what: 'transmitter_address is an address', ok: isAddress(transmitter_address) },
    { what: 'signer and transmitter are different keys', ok: transmitter_address !== ethereum_address },
  ];
}
