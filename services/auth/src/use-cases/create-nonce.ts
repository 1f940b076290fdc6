import { AppError, type CreateNonce, type ParamsOf, type ResultOf } from '@castellan/contracts';
import { type Challenge, type Relier, siweMessageOf, typedDataOf } from '../domain/challenge.ts';

export type CreateNoncePorts = {
  challenges: { save(challenge: Challenge): Promise<void> };
  quota: { secondsToWait(address: string, nowMs: number): Promise<number> };
  knowsChain: (chainId: number) => boolean;
  makeNonce: () => string;
  now: () => number;
  nonceSeconds: number;
  relier: Relier;
};

export const createNonce =
  (ports: CreateNoncePorts) =>
  async ({ address, chain_id }: ParamsOf<typeof CreateNonce>): Promise<ResultOf<typeof CreateNonce>> => {
    if (!ports.knowsChain(chain_id)) {
      throw new AppError(
        'CHAIN_NOT_FOUND',
        `Chain ${chain_id} is not one this deployment serves; GET /api/v1/chains lists them.`,
      );
    }
    const nowMs = ports.now();
    const waitSeconds = await ports.quota.secondsToWait(address, nowMs);
    if (waitSeconds > 0) {
      throw new AppError('RATE_LIMITED', 'Too many sign-ins were begun for this address. Wait a little.', {
        data: { retry_after_seconds: waitSeconds },
      });
    }
    const issuedSeconds = Math.floor(nowMs / 1000);
    const challenge: Challenge = {
      nonce: ports.makeNonce(),
      address,
      chainId: chain_id,
      issuedAt: new Date(issuedSeconds * 1000),
      expiresAt: new Date((issuedSeconds + ports.nonceSeconds) * 1000),
    };
    await ports.challenges.save(challenge);
    return {
      nonce: challenge.nonce,
      issued_at: challenge.issuedAt.toISOString(),
      expires_at: challenge.expiresAt.toISOString(),
      siwe_message: siweMessageOf(challenge, ports.relier),
      typed_data: typedDataOf(challenge, ports.relier),
    };
  };
