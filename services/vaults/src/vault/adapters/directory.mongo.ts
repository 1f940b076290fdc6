import type { DisplayNameChanged, EventData, ViewOnlyChanged } from '@castellan/contracts';
import { gatheredRead, isDuplicateKey, sharedReads } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { NameOf } from '../domain/names-in-detail.ts';
import { directoryCollections } from '../models/directory.ts';

/** What this service knows of people: names and view-only grants, published by the users service. Wallets in lower case. */
export type Directory = {
  /** Of two changes the newer version counts, whichever comes first. */
  applyViewOnly(change: EventData<typeof ViewOnlyChanged>): Promise<void>;
  applyName(change: EventData<typeof DisplayNameChanged>): Promise<void>;
  viewers(chainId: number, vault: string): Promise<ReadonlySet<string>>;
  /** Vaults a wallet may view: `<chain_id>:<vault>`. */
  viewableBy(wallet: string): Promise<{ chainId: number; vault: string }[]>;
  names(chainId: number, vault: string, wallets: readonly string[]): Promise<NameOf>;
};

const SELF = 'self';
const scopeOf = (chainId: number, vault: string) => `${chainId}:${vault.toLowerCase()}`;

/** Newer versions win: an older or equal one meets the document it does not match, and changes nothing. */
async function newerWins(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

export function mongoDirectory(connection: Connection): Directory {
  const { grants, names } = directoryCollections(connection);
  const readViewers = sharedReads<ReadonlySet<string>>();
  const readNames = sharedReads<NameOf>();
  const viewableBy = gatheredRead(async (wallets) => {
    const found = await grants.find({ wallet: { $in: [...wallets] }, granted: true }).toArray();
    const byWallet = Map.groupBy(found, ({ wallet }) => wallet);
    return (wallet) => (byWallet.get(wallet) ?? []).map(({ chain_id, vault }) => ({ chainId: chain_id, vault }));
  });
  return {
    applyViewOnly({ chain_id, vault_address, wallet_address, granted, version }) {
      const [vault, wallet] = [vault_address.toLowerCase(), wallet_address.toLowerCase()];
      const _id = `${chain_id}:${vault}:${wallet}`;
      return newerWins(() =>
        grants.updateOne(
          { _id, version: { $lt: version } },
          { $set: { chain_id, vault, wallet, granted, version } },
          { upsert: true },
        ),
      );
    },
    applyName({ chain_id, vault_address, wallet_address, display_name, version }) {
      const scope = chain_id === null || vault_address === null ? SELF : scopeOf(chain_id, vault_address);
      const wallet = wallet_address.toLowerCase();
      return newerWins(() =>
        names.updateOne(
          { _id: `${scope}:${wallet}`, version: { $lt: version } },
          { $set: { scope, wallet, name: display_name, version } },
          { upsert: true },
        ),
      );
    },
    viewers: (chainId, vault) =>
      readViewers(scopeOf(chainId, vault), async () => {
        const found = await grants.find({ chain_id: chainId, vault: vault.toLowerCase(), granted: true }).toArray();
        return new Set(found.map(({ wallet }) => wallet));
      }),
    viewableBy,
    names(chainId, vault, wallets) {
      const scope = scopeOf(chainId, vault);
      return readNames(JSON.stringify([scope, wallets]), async () => {
        const found = await names.find({ wallet: { $in: [...wallets] }, scope: { $in: [scope, SELF] } }).toArray();
        const known = new Map(found.map((item) => [`${item.scope}:${item.wallet}`, item.name]));
        return (wallet) => known.get(`${scope}:${wallet}`) ?? known.get(`${SELF}:${wallet}`) ?? null;
      });
    },
  };
}
