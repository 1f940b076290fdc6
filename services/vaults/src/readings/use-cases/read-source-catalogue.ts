import type {
  Caller,
  CatalogueSource,
  DescribeYieldSource,
  ListSourceCatalogue,
  ParamsOf,
  ResultOf,
  SourceFacts,
  VaultDetail,
} from '@castellan/contracts';
import { invalidCursor, pageOf, placeIn } from '@castellan/service-kit';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { LogReader } from '../../log/ports.ts';
import { additionEvents, isListed, oraclesOf, type UsedSource, usedSources } from '../../vault/domain/used-sources.ts';
import { requireWallet } from '../../vault/use-cases/caller.ts';
import { requireIndexed, requireVault, type VaultSource } from '../../vault/use-cases/vault-view.ts';
import type { DescribedSource, SourceDescriber } from '../adapters/described-source.rpc.ts';
import type { SettingsChain } from '../adapters/settings.rpc.ts';
import { KeptWhile } from '../domain/kept-while.ts';

export type SourceCataloguePorts = VaultSource & {
  log: Pick<LogReader, 'livingOfChain'>;
  settingsChain: Pick<SettingsChain, 'newestBlock'>;
  describer: SourceDescriber;
};

/** Oracles that are asked about one source. */
const MOST_ORACLES = 8;
/** Addresses that are kept for as long as their block is the newest. */
const MOST_ADDRESSES = 1_000;
const MOST_CHAINS = 100;

const unused = { vault_count: 0, first_seen_at: null, apy: null };

async function knownOf({ log, snapshots }: SourceCataloguePorts, chainId: number) {
  const [entries, all] = await Promise.all([log.livingOfChain(chainId, additionEvents), snapshots.all([chainId])]);
  const details = all.map(({ detail }) => detail);
  return { used: usedSources(entries, details), details };
}

const assetsOf = (details: readonly VaultDetail[]) =>
  new Map(
    details.map(({ asset: { address, symbol, decimals } }) => [address.toLowerCase(), { address, symbol, decimals }]),
  );

/** What is asked on the chain about one address. */
type Seen = { isContract: boolean; described: DescribedSource; priced: ReadonlySet<string> };

/** The oracles to be asked about a source: those that value it already, then the most used of the chain. */
function oraclesToAsk(own: UsedSource | undefined, details: readonly VaultDetail[]) {
  const isOwn = (address: string) => own?.oracles.some(({ oracle_address }) => oracle_address === address) === true;
  const all = oraclesOf(details.flatMap(({ allocation }) => allocation.filter(isListed)));
  return all
    .map((oracle) => ({ ...oracle, is_used_for_it: isOwn(oracle.oracle_address) }))
    .sort((a, b) => Number(b.is_used_for_it) - Number(a.is_used_for_it))
    .slice(0, MOST_ORACLES);
}

/** One address as the chain shows it at its newest block; read once for each block. */
export function describeYieldSource(ports: SourceCataloguePorts) {
  const kept = new KeptWhile<Seen>(MOST_ADDRESSES);
  const look = async (
    chain: KnownChain,
    source: string,
    oracles: readonly string[],
    details: readonly VaultDetail[],
  ) => {
    const block = await ports.settingsChain.newestBlock(chain);
    const { number } = block;
    const read = async (): Promise<Seen> => {
      const reading = { block: number, assets: assetsOf(details), isForeign: true };
      const [isContract, described, answers] = await Promise.all([
        ports.describer.hasCode(chain, source, number),
        ports.describer.describe(chain, source, reading),
        Promise.all(oracles.map((oracle) => ports.describer.isPriced(chain, source, oracle, number))),
      ]);
      return { isContract, described, priced: new Set(oracles.filter((_oracle, index) => answers[index])) };
    };
    const key = `${chain.config.chainId}:${source}`;
    return { number, seen: await kept.get(key, [block.hash, oracles.join()], read) };
  };
  return async (
    { chain_id, source_address, vault_address }: ParamsOf<typeof DescribeYieldSource>,
    caller: Caller | undefined,
  ): Promise<SourceFacts> => {
    requireWallet(caller);
    const chain = ports.chains.get(chain_id);
    await requireIndexed(ports, chain_id);
    const vault = vault_address === undefined ? undefined : await requireVault(ports, chain_id, vault_address);
    const { used, details } = await knownOf(ports, chain_id);
    const own = used.get(source_address.toLowerCase());
    const oracles = oraclesToAsk(own, details);
    const asked = oracles.map(({ oracle_address }) => oracle_address);
    const { number, seen } = await look(chain, source_address, asked, details);
    const { vault_count, first_seen_at, apy } = own ?? unused;
    const { asset } = seen.described;
    return {
      chain_id,
      source_address,
      block_number: Number(number),
      is_contract: seen.isContract,
      ...seen.described,
      is_vault_asset: vault && asset ? asset.address === vault.detail.asset.address : null,
      vault_count,
      first_seen_at,
      apy,
      oracles: oracles.map((oracle) => ({ ...oracle, answers: seen.priced.has(oracle.oracle_address) })),
    };
  };
}

const placeOf = ({ source_address }: CatalogueSource): string => source_address;
const placeForm = /^0x[0-9a-fA-F]{40}$/;

/** What comes after the source that a cursor names. @throws AppError CURSOR_INVALID. */
function after(sources: readonly CatalogueSource[], cursor: string | undefined): readonly CatalogueSource[] {
  if (cursor === undefined) return sources;
  const place = placeIn(cursor, placeForm)?.[0];
  const index = sources.findIndex((source) => placeOf(source) === place);
  if (index < 0) throw invalidCursor();
  return sources.slice(index + 1);
}

/** Sources that vaults of a chain have or had, as they describe themselves at its newest block; all of them are read once for each block. */
export function listSourceCatalogue(ports: SourceCataloguePorts) {
  const kept = new KeptWhile<ReadonlyMap<string, DescribedSource>>(MOST_CHAINS);
  return async (
    { chain_id, asset, limit, cursor }: ParamsOf<typeof ListSourceCatalogue>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof ListSourceCatalogue>> => {
    requireWallet(caller);
    const chain = ports.chains.get(chain_id);
    await requireIndexed(ports, chain_id);
    const [{ used, details }, block] = await Promise.all([
      knownOf(ports, chain_id),
      ports.settingsChain.newestBlock(chain),
    ]);
    const described = await kept.get(`${chain_id}`, [block.hash, used.size], async () => {
      const reading = { block: block.number, assets: assetsOf(details) };
      const pairs = [...used].map(
        async ([key, { source_address }]) =>
          [key, await ports.describer.describe(chain, source_address, reading)] as const,
      );
      return new Map(await Promise.all(pairs));
    });
    const all = [...used].flatMap(([key, source]): CatalogueSource[] => {
      const own = described.get(key);
      return own === undefined ? [] : [{ ...source, ...own }];
    });
    const wanted = asset === undefined ? all : all.filter((source) => source.asset?.address === asset);
    const { items, ...rest } = pageOf(after(wanted, cursor), limit, placeOf);
    return { chain_id, block_number: Number(block.number), sources: items, total: wanted.length, ...rest };
  };
}
