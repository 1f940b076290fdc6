import { AppError, type CreateToken, type ParamsOf } from '@castellan/contracts';
import {
  answersChallenge,
  type Challenge,
  isIssuedTypedData,
  type Relier,
  readSiweMessage,
} from '../domain/challenge.ts';
import type { MinuteQuota } from './create-nonce.ts';

type Proof = { address: string; chainId: number; signature: string } & (
  | { kind: 'message'; message: string }
  | { kind: 'typed_data'; typedData: Extract<Params, { method: 'eip712' }>['typed_data'] }
);
type Params = ParamsOf<typeof CreateToken>;

export type ProofPorts = {
  challenges: { find(nonce: string): Promise<Challenge | undefined>; use(nonce: string): Promise<boolean> };
  signatures: {
    /** By the wallet's key, which takes no chain. */
    isByKey(proof: Proof): Promise<boolean>;
    /** By the contract that the wallet is, or will be. */
    isByContract(proof: Proof): Promise<boolean>;
  };
  quota: MinuteQuota;
  attemptsPerMinute: number;
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

const unusable = () =>
  new AppError(
    'NONCE_INVALID',
    'The nonce is unknown, was used already, or is older than 5 minutes. Ask for a new one.',
  );

/** `provenOn`: the chain whose contract took the signature; null: it is of the wallet's key, which is the same on every chain. */
type Proven = Challenge & { provenOn: number | null };

/**
 * Who says that the wallet signed: its key or its contract. Signatures that are not its key's are counted for the network they come from, and those beyond its
 * budget are not put to the chain. A good one of a key passes however many wrong ones came before.
 */
async function signerOf(
  { signatures, quota, attemptsPerMinute, now }: ProofPorts,
  proof: Proof,
  network: string,
): Promise<'key' | 'contract' | undefined> {
  if (await signatures.isByKey(proof)) return 'key';
  const waitSeconds = await quota.secondsToWait(`attempt:${network}`, attemptsPerMinute, now());
  if (waitSeconds > 0) {
    throw new AppError('RATE_LIMITED', 'Too many wrong signatures came from your network. Wait a moment.', {
      data: { retry_after_seconds: waitSeconds },
    });
  }
  return (await signatures.isByContract(proof)) ? 'contract' : undefined;
}

/**
 * The challenge a wallet has just answered with its signature. Only a good signature uses the nonce up, in one step: of several
 * that bring it at once, one gets in. A wrong one leaves it to the wallet.
 */
export async function provenChallenge(ports: ProofPorts, params: Params, network: string): Promise<Proven> {
  const challenge = await ports.challenges.find(nonceOf(params));
  if (!challenge || challenge.expiresAt.getTime() <= ports.now()) throw unusable();
  const proof = proofOf(params, challenge, ports.relier);
  const signer = await signerOf(ports, proof, network);
  if (signer === undefined) {
    throw refused(`The signature is not one of ${challenge.address}. Sign again with that wallet.`);
  }
  if (!(await ports.challenges.use(challenge.nonce))) throw unusable();
  return { ...challenge, provenOn: signer === 'contract' ? challenge.chainId : null };
}
