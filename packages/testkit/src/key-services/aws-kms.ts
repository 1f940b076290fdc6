import type { Answered, Asked } from './key-service.ts';
import { derOf, type ServedKey } from './served-key.ts';

const headers = { 'content-type': 'application/x-amz-json-1.1' };

const refused = (type: string): Answered => ({
  status: 400,
  headers,
  body: { __type: type, message: 'of the fake' },
});

/** AWS KMS in its JSON 1.1 protocol: GetPublicKey and Sign, of digests only. @param keys - By the id that is asked for. */
export const awsKms =
  (keys: Readonly<Record<string, ServedKey>>) =>
  async ({ headers: sent, body }: Asked): Promise<Answered | undefined> => {
    if (!/^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[\w-]+\/kms\/aws4_request/.test(sent.authorization ?? ''))
      return refused('IncompleteSignatureException');
    const asked = JSON.parse(body) as Record<string, string>;
    const { KeyId = '' } = asked;
    const key = keys[KeyId];
    if (!key) return refused('NotFoundException');
    const ok = (more: object): Answered => ({ status: 200, headers, body: { KeyId, ...more } });
    switch (sent['x-amz-target']) {
      case 'TrentService.GetPublicKey':
        return ok({
          PublicKey: key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
          KeySpec: 'ECC_SECG_P256K1',
          KeyUsage: 'SIGN_VERIFY',
          SigningAlgorithms: ['ECDSA_SHA_256'],
        });
      case 'TrentService.Sign': {
        const { Message = '', MessageType, SigningAlgorithm } = asked;
        const digest = Buffer.from(Message, 'base64');
        if (MessageType !== 'DIGEST' || SigningAlgorithm !== 'ECDSA_SHA_256' || digest.length !== 32)
          return refused('ValidationException');
        return ok({ Signature: derOf(await key.sign(digest)).toString('base64'), SigningAlgorithm });
      }
      default:
        return undefined;
    }
  };
