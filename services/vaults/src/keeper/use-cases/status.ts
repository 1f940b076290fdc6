import type { GetKeeperStatus, ResultOf } from '@castellan/contracts';
import type { Address } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { Journal } from '../adapters/journal.mongo.ts';

/** What this instance knows of a chain it keeps or stands by for. */
export type Keeping = { chain: KnownChain; holdsLease: boolean; lastPassAt: Date | null };

export type StatusPorts = {
  address: () => Address;
  keeping: () => readonly Keeping[];
  journal: Pick<Journal, 'open'>;
  fulfilsRedemptions: boolean;
};

export const getKeeperStatus =
  ({ address, keeping, journal, fulfilsRedemptions }: StatusPorts) =>
  async (): Promise<ResultOf<typeof GetKeeperStatus>> => ({
    address: address(),
    fulfils_redemptions: fulfilsRedemptions,
    chains: await Promise.all(
      keeping().map(async ({ chain: { config }, holdsLease, lastPassAt }) => ({
        chain_id: config.chainId,
        holds_lease: holdsLease,
        last_pass_at: lastPassAt?.toISOString() ?? null,
        open_transactions: (await journal.open(config.chainId)).map(({ open }) => ({
          key: open.key,
          kind: open.kind,
          nonce: open.nonce,
          tx_hashes: open.attempts.map(({ hash }) => hash),
        })),
      })),
    ),
  });
