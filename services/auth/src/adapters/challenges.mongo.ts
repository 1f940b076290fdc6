import type { Connection } from 'mongoose';
import { getAddress } from 'viem/utils';
import type { Challenge } from '../domain/challenge.ts';
import { type NonceDocument, nonceModel } from '../models/nonce.ts';

const challengeOf = ({ _id, address, chain_id, issued_at, expires_at }: NonceDocument): Challenge => ({
  nonce: _id,
  address: getAddress(address),
  chainId: chain_id,
  issuedAt: issued_at,
  expiresAt: expires_at,
});

export function mongoChallenges(connection: Connection) {
  const nonces = nonceModel(connection);
  return {
    async save({ nonce, address, chainId, issuedAt, expiresAt }: Challenge, network: string): Promise<void> {
      await nonces.create({
        _id: nonce,
        address: address.toLowerCase(),
        network,
        chain_id: chainId,
        issued_at: issuedAt,
        expires_at: expiresAt,
      });
    },
    async find(nonce: string): Promise<Challenge | undefined> {
      const found = await nonces.findById(nonce).lean<NonceDocument>();
      return found ? challengeOf(found) : undefined;
    },
    /** The one that lives longest of those that the network asked for with this address. */
    async latest(
      { address, chainId, network }: { address: string; chainId: number; network: string },
      at: Date,
    ): Promise<Challenge | undefined> {
      const found = await nonces
        .findOne({ address: address.toLowerCase(), network, chain_id: chainId, expires_at: { $gt: at } })
        .sort({ expires_at: -1 })
        .lean<NonceDocument>();
      return found ? challengeOf(found) : undefined;
    },
    /** @returns true for the one of all who use it up at once. */
    async use(nonce: string): Promise<boolean> {
      return (await nonces.deleteOne({ _id: nonce })).deletedCount === 1;
    },
  };
}
