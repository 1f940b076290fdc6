import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { signatureOfDer } from './der.ts';
import { type Limits, limits } from './limits.ts';
import { type KeyFault, KeyServiceError, type RemoteKey } from './remote-key.ts';

const faults: Readonly<Record<string, [KeyFault, string]>> = {
  AccessDeniedException: ['denied', 'Allow kms:GetPublicKey and kms:Sign on this key to the role of this process.'],
  CredentialsProviderError: ['denied', 'No AWS credentials were found. Give the process a role, or AWS_PROFILE.'],
  ExpiredTokenException: ['denied', 'The AWS credentials have expired.'],
  UnrecognizedClientException: ['denied', 'AWS does not know these credentials.'],
  InvalidSignatureException: ['denied', 'AWS does not take these credentials, or the clock of this machine is wrong.'],
  NotFoundException: ['missing', 'There is no such key in this account and region.'],
  DisabledException: ['missing', 'The key is disabled. Enable it.'],
  KMSInvalidStateException: ['missing', 'The key is disabled or to be deleted. Enable it.'],
  InvalidKeyUsageException: ['unfit', 'Its usage must be SIGN_VERIFY.'],
  UnsupportedOperationException: ['unfit', 'It must be an asymmetric key for signing.'],
  ValidationException: ['unfit', 'AWS takes neither this name nor this use of it.'],
  ThrottlingException: ['throttled', 'It has more requests than its quota. Ask AWS for a higher one.'],
};

/** ARNs name the region; other names are looked up in the one that the SDK finds. */
const regionOf = (keyId: string): string | undefined => /^arn:aws[\w-]*:kms:([\w-]+):/.exec(keyId)?.[1];

/**
 * A key of AWS KMS: `ECC_SECG_P256K1` or `ECC_NIST_P256`, usage `SIGN_VERIFY`. Credentials, region and endpoint are what the SDK finds
 * by its own rules; throttled and failed requests are repeated by it.
 * @param keyId - Id, ARN or alias.
 */
export function awsKmsKey(keyId: string, { attemptMs, attempts }: Limits = limits): RemoteKey {
  const name = `aws-kms:${keyId}`;
  const region = regionOf(keyId);
  const client = new KMSClient({
    ...(region === undefined ? {} : { region }),
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: attemptMs, requestTimeout: attemptMs, throwOnRequestTimeout: true },
  });
  const asked = async <T>(request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      const kind = (error as Error).name;
      const [fault, what] = faults[kind] ?? ['unreachable', `AWS did not answer as expected (${kind}).`];
      throw new KeyServiceError(fault, `The key ${name} cannot be used: ${what}`);
    }
  };
  return {
    name,
    async readPublicKey() {
      const { PublicKey: der } = await asked(() => client.send(new GetPublicKeyCommand({ KeyId: keyId })));
      if (!der) throw new KeyServiceError('unfit', `The key ${name} has no public key.`);
      return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
    },
    async sign({ digest }) {
      const command = new SignCommand({
        KeyId: keyId,
        Message: digest,
        MessageType: 'DIGEST',
        // The name says how long the digest is; which hash made it does not matter to the curve.
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      const { Signature: der } = await asked(() => client.send(command));
      const signature = der && signatureOfDer(der);
      if (!signature) throw new KeyServiceError('unfit', `The key ${name} returned no ECDSA signature.`);
      return signature;
    },
  };
}
