import {
  type Caller,
  isWithinBinding,
  type ListMyVaults,
  type ListPublicVaults,
  type ListTokenAssets,
  type ParamsOf,
  type PublicVault,
  type ResultOf,
  type Role,
  roleOnVault,
  type VaultDetail,
} from '@castellan/contracts';
import { cursorOf, invalidCursor } from '@castellan/service-kit';
import type { Directory } from '../adapters/directory.mongo.ts';
import { placeOf, type Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { proposalsOf } from '../domain/proposals.ts';
import { publicVault } from '../domain/public-vault.ts';
import { walletsOf } from '../domain/vault-facts.ts';
import { requireWallet } from './caller.ts';
import { indexedChains, type VaultSource } from './vault-view.ts';

/** Newest first; the address settles ties, so that the order is the same on every page. */
const newestFirst = (a: Snapshot, b: Snapshot): number =>
  Date.parse(b.detail.created_at) - Date.parse(a.detail.created_at) ||
  b.detail.created_block - a.detail.created_block ||
  a.chain_id - b.chain_id ||
  a.vault.localeCompare(b.vault);

const freshAll = (ports: VaultSource, snapshots: readonly Snapshot[]): Promise<Snapshot[]> =>
  Promise.all(snapshots.map(ports.freshen));

export const listPublicVaults = (ports: VaultSource) => async (): Promise<ResultOf<typeof ListPublicVaults>> => {
  const snapshots = await freshAll(ports, await ports.snapshots.all(await indexedChains(ports)));
  return snapshots
    .sort(newestFirst)
    .map(({ detail }) => publicVault(detail))
    .filter(({ activation }) => activation.is_discoverable);
};

/** Where a page begins: after the vault the cursor names. */
function startAfter(list: readonly Snapshot[], cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const index = list.findIndex((snapshot) => cursorOf(placeOf(snapshot.chain_id, snapshot.vault)) === cursor);
  if (index < 0) throw invalidCursor();
  return index + 1;
}

/** Identity only: no figure that moves. */
const minimal = (
  vault: PublicVault,
): Partial<PublicVault> & Pick<PublicVault, 'vault_address' | 'chain_id' | 'name'> => ({
  vault_address: vault.vault_address,
  strategy_address: vault.strategy_address,
  escrow_address: vault.escrow_address,
  chain_id: vault.chain_id,
  chain_slug: vault.chain_slug,
  name: vault.name,
  symbol: vault.symbol,
  vault_share_decimals: vault.vault_share_decimals,
  underlying_asset_symbol: vault.underlying_asset_symbol,
  underlying_asset_decimals: vault.underlying_asset_decimals,
  underlying_asset_address: vault.underlying_asset_address,
  operational_state: vault.operational_state,
  activation: vault.activation,
});

/** The line of a person with a role: how old the price is, and what is proposed. */
const ownLine = (detail: VaultDetail) => ({
  ...publicVault(detail),
  chain_time: detail.chain_time,
  last_oracle_update_timestamp: detail.last_oracle_update_timestamp,
  remaining_staleness_time: detail.remaining_staleness_time,
  pending_manager_change: detail.pending_manager_change,
  proposals: proposalsOf(detail),
});

/** A page of the vaults on which a wallet has a role. */
export type OwnPage = {
  readonly rows: readonly { snapshot: Snapshot; role: Role }[];
  readonly total: number;
  readonly has_more: boolean;
  readonly next_cursor: string | null;
};

type OwnSource = VaultSource & { directory: Directory };

/** The page that a caller asks for. */
export async function ownPage(
  ports: OwnSource,
  { limit, cursor }: Pick<ParamsOf<typeof ListMyVaults>, 'limit' | 'cursor'>,
  caller: Pick<Caller, 'wallet_address' | 'vault' | 'chain_id'> | undefined,
): Promise<OwnPage> {
  const wallet = requireWallet(caller);
  const [snapshots, viewable] = await Promise.all([
    ports.snapshots.all(await indexedChains(ports)),
    ports.directory.viewableBy(wallet),
  ]);
  const viewed = new Set(viewable.map(({ chainId, vault }) => placeOf(chainId, vault)));
  const isViewed = ({ chain_id, vault }: Snapshot) => viewed.has(placeOf(chain_id, vault));
  const list = snapshots
    .filter((snapshot) => snapshot.wallets.includes(wallet) || isViewed(snapshot))
    .filter(({ chain_id, vault }) => isWithinBinding(caller, { chain_id, vault_address: vault }))
    .sort(newestFirst);
  const start = startAfter(list, cursor);
  const page = await freshAll(ports, list.slice(start, start + limit));
  const rows = page.flatMap((snapshot) => {
    const role = roleOnVault(wallet, walletsOf(snapshot.managers), isViewed(snapshot));
    return role === null ? [] : [{ snapshot, role }];
  });
  const last = list[start + page.length - 1];
  const has_more = start + page.length < list.length;
  return {
    rows,
    total: list.length,
    has_more,
    next_cursor: has_more && last ? cursorOf(placeOf(last.chain_id, last.vault)) : null,
  };
}

/** A page as it is answered. */
export function ownList(
  { rows, ...page }: OwnPage,
  detail: ParamsOf<typeof ListMyVaults>['detail'],
): ResultOf<typeof ListMyVaults> {
  const lineOf = (vault: VaultDetail) => (detail === 'minimal' ? minimal(publicVault(vault)) : ownLine(vault));
  return { vaults: rows.map(({ snapshot, role }) => ({ ...lineOf(snapshot.detail), my_role: role })), ...page };
}

export const listMyVaults =
  (ports: OwnSource) =>
  async (params: ParamsOf<typeof ListMyVaults>, caller: Caller | undefined): Promise<ResultOf<typeof ListMyVaults>> =>
    ownList(await ownPage(ports, params, caller), params.detail);

type TokenAsset = ResultOf<typeof ListTokenAssets>['token_assets'][number];

const assetOf = ({ chain_id, asset }: VaultDetail): TokenAsset => ({ chain_id, ...asset, logo: null });

/** Tokens the vaults hold and pay upkeep with, one line each. */
export const listTokenAssets = (ports: VaultSource) => async (): Promise<ResultOf<typeof ListTokenAssets>> => {
  const snapshots = (await ports.snapshots.all(await indexedChains(ports))).sort(newestFirst);
  const tokens = new Map<string, TokenAsset>();
  for (const { detail } of snapshots) tokens.set(`${detail.chain_id}:${detail.asset.address}`, assetOf(detail));
  for (const { detail } of snapshots) {
    const { token: address, symbol, decimals } = detail.upkeep_info;
    const key = `${detail.chain_id}:${address}`;
    if (address === null || symbol === null || decimals === null || tokens.has(key)) continue;
    const unpriced = { price_usd: null, price_updated_at: null, logo: null };
    tokens.set(key, { chain_id: detail.chain_id, address, symbol, name: symbol, decimals, ...unpriced });
  }
  return { token_assets: [...tokens.values()] };
};
