import { AppError, type CreateNonce, type ParamsOf, type ResultOf } from '@castellan/contracts';
import { type Challenge, type Relier, siweMessageOf, typedDataOf } from '../domain/challenge.ts';

export type CreateNoncePorts = {
  challenges: {
    save(challenge: Challenge, network: string): Promise<void>;
    latest(asked: { address: string; chainId: number; network: string }, at: Date): Promise<Challenge | undefined>;
  };
  quota: MinuteQuota;
  noncesPerMinute: number;
  knowsChain: (chainId: number) => boolean;
  makeNonce: () => string;
  now: () => number;
  nonceSeconds: number;
  relier: Relier;
};

/** Counts one more of `key` within the minute. @returns 0 while there are at most `limit`, else the seconds to wait. */
export type MinuteQuota = { secondsToWait(key: string, limit: number, nowMs: number): Promise<number> };

const answerOf = (challenge: Challenge, relier: Relier): ResultOf<typeof CreateNonce> => ({
  nonce: challenge.nonce,
  issued_at: challenge.issuedAt.toISOString(),
  expires_at: challenge.expiresAt.toISOString(),
  siwe_message: siweMessageOf(challenge, relier),
  typed_data: typedDataOf(challenge, relier),
});

/**
 * A nonce for anybody who names an address; that proves nothing, so others must not use up what its owner needs. Each network has a
 * budget of its own for an address. Beyond it the network gets the last of its nonces again, which only the wallet can use up.
 */
export const createNonce =
  (ports: CreateNoncePorts) =>
  async (
    { address, chain_id }: ParamsOf<typeof CreateNonce>,
    network: string,
  ): Promise<ResultOf<typeof CreateNonce>> => {
    if (!ports.knowsChain(chain_id)) {
      throw new AppError(
        'CHAIN_NOT_FOUND',
        `Chain ${chain_id} is not one this deployment serves; GET /api/v1/chains lists them.`,
      );
    }
    const nowMs = ports.now();
    const key = `nonce:${address.toLowerCase()}:${network}`;
    const waitSeconds = await ports.quota.secondsToWait(key, ports.noncesPerMinute, nowMs);
    if (waitSeconds > 0) {
      const last = await ports.challenges.latest({ address, chainId: chain_id, network }, new Date(nowMs));
      if (last) return answerOf(last, ports.relier);
      throw new AppError('RATE_LIMITED', 'Too many sign-ins were started for this address. Wait a moment.', {
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
    await ports.challenges.save(challenge, network);
    return answerOf(challenge, ports.relier);
  };
