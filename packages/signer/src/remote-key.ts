import type { KeyObject } from 'node:crypto';

/** r and s of an ECDSA signature. */
export type EcdsaSignature = { r: bigint; s: bigint };

/** What is signed, in both forms: most key services take the digest, Web3Signer hashes the message itself. */
export type Signed = { message: Uint8Array; digest: Uint8Array };

/** A private key that a key service holds and does not give away. The adapters of this package make one for each service. */
export type RemoteKey = {
  /** The service and the name of the key there, for messages. */
  readonly name: string;
  /** @throws KeyServiceError when it cannot be read. */
  readPublicKey(): Promise<KeyObject>;
  /** @throws KeyServiceError when the service does not sign. */
  sign(signed: Signed): Promise<EcdsaSignature>;
};

/** Why a key service did not do what it was asked for. */
export type KeyFault = 'unreachable' | 'throttled' | 'denied' | 'missing' | 'unfit' | 'wrong_key';

/**
 * A key that cannot be used. The message says what to do. What the service answered is not kept as the cause: requests of its client,
 * with their credentials, may hang on it.
 */
export class KeyServiceError extends Error {
  readonly fault: KeyFault;

  constructor(fault: KeyFault, message: string) {
    super(message);
    this.name = 'KeyServiceError';
    this.fault = fault;
  }
}
