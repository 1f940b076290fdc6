import { AppError, type CreateToken, type ParamsOf } from '@castellan/contracts';
import {
  answersChallenge,
  type Challenge,
  isIssuedTypedData,
  type Relier,
  readSiweMessage,
} from '../domain/challenge.ts';

type Proof = { address: string; chainId: number; signature: string } & (
  | { kind: 'message'; message: string }
  | { kind: 'typed_data'; typedData: Extract<Params, { method: 'eip712' }>['typed_data'] }
);
type Params = ParamsOf<typeof CreateToken>;

export type ProofPorts = {
  challenges: { take(nonce: string): Promise<Challenge | undefined> };
  signatures: { verify(proof: Proof): Promise<boolean> };
  now: () => number;
  relier: Relier;
};

const nonceOf = (params: Params): string => {
  if (params.method === 'eip712') return params.typed_data.message.nonce;
  const fields = readSiweMessage(params.message);
  if (fields) return fields.nonce;
  throw new AppError(
    'MESSAGE_MALFORMED',
    'The message is not an EIP-4361 message. Sign siwe_message as it was received.',
  );
};

const refused = (detail: string) => new AppError('SIGNATURE_INVALID', detail);

function proofOf(params: Params, challenge: Challenge, relier: Relier): Proof {
  const { address, chainId } = challenge;
  const common = { address, chainId, signature: params.signature };
  if (params.method === 'siwe') {
    if (!answersChallenge(params.message, challenge, relier)) {
      throw refused(
        'The signed message is not the one this nonce was issued with. Sign siwe_message as it was received.',
      );
    }
    return { ...common, kind: 'message', message: params.message };
  }
  if (!isIssuedTypedData(params.typed_data, challenge, relier)) {
    throw refused('The typed data is not what this nonce was issued with. Send typed_data back exactly as received.');
  }
  return { ...common, kind: 'typed_data', typedData: params.typed_data };
}

/**
 * The challenge a wallet has just answered with its signature.
 * The nonce is taken before anything is checked: a wrong signature uses it up.
 */
export async function provenChallenge(ports: ProofPorts, params: Params): Promise<Challenge> {
  const challenge = await ports.challenges.take(nonceOf(params));
  if (!challenge || challenge.expiresAt.getTime() <= ports.now()) {
    throw new AppError(
      'NONCE_INVALID',
      'The nonce is unknown, was used already, or is older than 5 minutes. Ask for a new one.',
    );
  }
  const proof = proofOf(params, challenge, ports.relier);
  if (!(await ports.signatures.verify(proof))) {
    throw refused(`The signature is not one of ${challenge.address}. Ask for a new nonce and sign again.`);
  }
  return challenge;
}
