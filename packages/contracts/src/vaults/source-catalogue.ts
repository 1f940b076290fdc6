import { z } from 'zod';
import { action } from '../action.ts';
import {
  Address,
  ChainId,
  ChainIdParam,
  CursorParam,
  Eip55,
  IsoTime,
  LimitParam,
  listOf,
  UintString,
} from '../primitives.ts';
import { route } from '../route.ts';
import { YieldSource } from './settings.ts';

/** The token that a source takes and gives, as that token describes itself. */
const SourceAsset = z.object({
  address: Eip55,
  symbol: z.string().nullable(),
  decimals: z.int().nullable(),
});

/** What a contract says of itself. It is not proven: the author of the contract chose the words and the figures. */
const described = {
  source_address: Eip55,
  /** `erc4626` where it answers `asset`, `totalAssets` and `convertToAssets`, else `unknown`. */
  source_type: YieldSource.shape.source_type,
  /** At most 64 characters, without invisible ones; null where it has none. */
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.int().nullable(),
  asset: SourceAsset.nullable(),
  /** What it holds in all, in base units of its asset. */
  total_assets: UintString.nullable(),
};

/** What this deployment knows of a source from its log and readings. */
const used = {
  /** Vaults of the chain that have it on their list now. */
  vault_count: z.int(),
  /** When a vault first added it; null when none did, or before the first block that is read. */
  first_seen_at: IsoTime.nullable(),
  /** By the share prices that are stored, for a vault that holds it; null where none says. */
  apy: z.number().nullable(),
};

/** An oracle, and how many vaults of the chain use it. Anybody can create a vault: it is a count, and no advice. */
const CountedOracle = z.object({ oracle_address: Eip55, used_by: z.int() });

/** A source that a vault of the chain has, or had. `oracles`: those that vaults value it with, by how many vaults. */
export const CatalogueSource = z.object({ ...described, ...used, oracles: z.array(CountedOracle) });
export type CatalogueSource = z.infer<typeof CatalogueSource>;

/** What the chain says of an address that may become a yield source, at `block_number`. */
export const SourceFacts = z.object({
  chain_id: ChainId,
  block_number: z.int(),
  /** Whether there is code at the address; without any all else is null. */
  is_contract: z.boolean(),
  ...described,
  /** Whether its asset is that of the vault that is named; null without a vault, or without an asset. */
  is_vault_asset: z.boolean().nullable(),
  ...used,
  /** Oracles that vaults of the chain use: those of the vault that is named first, then those that value this source; at most 8. */
  oracles: z.array(
    CountedOracle.extend({
      /** Whether a vault of the chain values this source with it. */
      is_used_for_it: z.boolean(),
      /** Whether it gives a price for this source at this block. */
      answers: z.boolean(),
    }),
  ),
});
export type SourceFacts = z.infer<typeof SourceFacts>;

/** Text in the name, the symbol or the address. */
const Search = z.string().trim().min(1).max(100);

/** Reads one address on the chain; anybody who is signed in. What is no source is an answer, and not an error. */
export const DescribeYieldSource = action('v1.vaults.describeYieldSource', {
  callers: { user: 'read' },
  params: z.strictObject({ chain_id: ChainId, source_address: Address, vault_address: Address.optional() }),
  result: SourceFacts,
});

/** Sources that vaults of a chain have or had, the 200 that most vaults have; anybody who is signed in. @throws AppError CURSOR_INVALID. */
export const ListSourceCatalogue = action('v1.vaults.sourceCatalogue', {
  callers: { user: 'read' },
  params: z.strictObject({
    chain_id: ChainId,
    asset: Address.optional(),
    search: Search.optional(),
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('sources', CatalogueSource).extend({ chain_id: ChainId, block_number: z.int() }),
});

const get = { method: 'GET' as const, auth: 'bearer' as const, body: undefined, cache: 'etag' as const };

/** What may become a yield source of a vault. */
export const sourceCatalogueRoutes = {
  /** @example const { sources } = await client.sourceCatalogue({ params: { chain_id: '1' }, query: { limit: '50' } }); */
  sourceCatalogue: route({
    ...get,
    id: 'sourceCatalogue',
    path: '/api/v1/chains/{chain_id}/yield-sources',
    openToBoundTokens: true,
    params: z.strictObject({ chain_id: ChainIdParam }),
    query: z.strictObject({
      asset: Address.optional(),
      search: Search.optional(),
      limit: LimitParam.optional(),
      cursor: CursorParam.optional(),
    }),
    result: ListSourceCatalogue.result,
    action: ListSourceCatalogue,
  }),
  /** @example const { source_type, oracles } = await client.describeYieldSource({ params: { chain_id: '1', source_address } }); */
  describeYieldSource: route({
    ...get,
    id: 'describeYieldSource',
    path: '/api/v1/chains/{chain_id}/yield-sources/{source_address}',
    openToBoundTokens: true,
    rate: 'prepare',
    params: z.strictObject({ chain_id: ChainIdParam, source_address: Address }),
    query: z.strictObject({ vault_address: Address.optional() }),
    result: SourceFacts,
    action: DescribeYieldSource,
  }),
};
