import type { GetKeeperStatus, ResultOf } from '@castellan/contracts';
import type { TransactionSigner } from '@castellan/transactor';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { Journal } from '../adapters/journal.mongo.ts';

/** What this instance knows of a chain it keeps or stands by for. */
export type Keeping = {
  chain: KnownChain;
  signer: Pick<TransactionSigner, 'address'>;
  holdsLease: boolean;
  lastPassAt: Date | null;
};

export type StatusPorts = {
  keeping: () => readonly Keeping[];
  journal: Pick<Journal, 'open'>;
  fulfilsRedemptions: boolean;
};

export const getKeeperStatus =
  ({ keeping, journal, fulfilsRedemptions }: StatusPorts) =>
  async (): Promise<ResultOf<typeof GetKeeperStatus>> => ({
    fulfils_redemptions: fulfilsRedemptions,
    chains: await Promise.all(
      keeping().map(async ({ chain: { config }, signer, holdsLease, lastPassAt }) => ({
        chain_id: config.chainId,
        address: signer.address,
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
