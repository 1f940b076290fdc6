import type { Connection } from 'mongoose';
import { getAddress } from 'viem/utils';
import type { Challenge } from '../domain/challenge.ts';
import { type NonceDocument, nonces as nonceDefinition } from '../models/nonce.ts';
import type { Distrust } from '../use-cases/full-session.ts';

const challengeOf = ({ _id, address, chain_id, issued_at, expires_at }: NonceDocument): Challenge => ({
  nonce: _id,
  address: getAddress(address),
  chainId: chain_id,
  issuedAt: issued_at,
  expiresAt: expires_at,
});

export function mongoChallenges(connection: Connection, distrust: Distrust) {
  const nonces = nonceDefinition.open(connection);
  const readable = (document: NonceDocument | null): Challenge | undefined => {
    if (!document) return undefined;
    if (nonceDefinition.shape.safeParse(document).success) return challengeOf(document);
    distrust('nonces', document._id);
    return undefined;
  };
  return {
    async save({ nonce, address, chainId, issuedAt, expiresAt }: Challenge, network: string): Promise<void> {
      await nonces.insertOne({
        _id: nonce,
        address: address.toLowerCase(),
        network,
        chain_id: chainId,
        issued_at: issuedAt,
        expires_at: expiresAt,
      });
    },
    async find(nonce: string): Promise<Challenge | undefined> {
      const found = await nonces.findOne({ _id: nonce });
      return readable(found);
    },
    /** The one that lives longest of those that the network asked for with this address. */
    async latest(
      { address, chainId, network }: { address: string; chainId: number; network: string },
      at: Date,
    ): Promise<Challenge | undefined> {
      const found = await nonces.findOne(
        { address: address.toLowerCase(), network, chain_id: chainId, expires_at: { $gt: at } },
        { sort: { expires_at: -1 } },
      );
      return readable(found);
    },
    /** @returns true for the one of all who use it up at once. */
    async use(nonce: string): Promise<boolean> {
      return (await nonces.deleteOne({ _id: nonce })).deletedCount === 1;
    },
  };
}
