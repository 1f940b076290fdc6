import type { Connection } from 'mongoose';
import { getAddress } from 'viem/utils';
import type { Challenge } from '../domain/challenge.ts';
import { nonceModel } from '../models/nonce.ts';

export function mongoChallenges(connection: Connection) {
  const nonces = nonceModel(connection);
  return {
    async save({ nonce, address, chainId, issuedAt, expiresAt }: Challenge): Promise<void> {
      await nonces.create({
        _id: nonce,
        address: address.toLowerCase(),
        chain_id: chainId,
        issued_at: issuedAt,
        expires_at: expiresAt,
      });
    },
    /** Finds and removes in one step, so that of two who bring the same nonce one gets it. */
    async take(nonce: string): Promise<Challenge | undefined> {
      const found = await nonces.findOneAndDelete({ _id: nonce }).lean();
      if (!found) return undefined;
      return {
        nonce: found._id,
        address: getAddress(found.address),
        chainId: found.chain_id,
        issuedAt: found.issued_at,
        expiresAt: found.expires_at,
      };
    },
  };
}
