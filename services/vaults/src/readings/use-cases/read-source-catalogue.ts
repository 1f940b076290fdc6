import {
  type Caller,
  type CatalogueSource,
  type DescribeYieldSource,
  errorCodeOf,
  type ListSourceCatalogue,
  type ParamsOf,
  type ResultOf,
  type SourceFacts,
  type VaultDetail,
} from '@castellan/contracts';
import { invalidCursor, pageOf, placeIn } from '@castellan/service-kit';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { LogReader } from '../../log/ports.ts';
import {
  additionEvents,
  byUse,
  oraclesOf,
  type PlaceByUse,
  type UsedSource,
  usedSources,
} from '../../vault/domain/used-sources.ts';
import { requireWallet } from '../../vault/use-cases/caller.ts';
import { requireIndexed, requireVault, type VaultSource } from '../../vault/use-cases/vault-view.ts';
import type { DescribedSource, SourceDescriber } from '../adapters/described-source.rpc.ts';
import type { SettingsChain } from '../adapters/settings.rpc.ts';
import { KeptWhile } from '../domain/kept-while.ts';
import { shownText } from '../domain/shown-text.ts';

export type SourceCataloguePorts = VaultSource & {
  log: Pick<LogReader, 'livingOfChain'>;
  settingsChain: Pick<SettingsChain, 'newestBlock'>;
  describer: SourceDescriber;
};

/** Oracles that are asked about one source. */
const MOST_ORACLES = 8;
/** Addresses that are kept for as long as their block is the newest. */
const MOST_ADDRESSES = 1_000;
/** Sources of a chain that the list is made of. */
const MOST_SOURCES = 200;
/** Sources of all chains whose names and assets are kept. */
const MOST_KEPT_SOURCES = 2_000;
/** Names and assets hardly ever change: they are read again after so many blocks. */
const BLOCKS_OF_A_NAME = 1_000n;

const unused = { vault_count: 0, first_seen_at: null, apy: null };
const silent: DescribedSource = {
  source_type: 'unknown',
  name: null,
  symbol: null,
  decimals: null,
  asset: null,
  total_assets: null,
};

async function knownOf({ log, snapshots }: SourceCataloguePorts, chainId: number) {
  const [entries, all] = await Promise.all([log.livingOfChain(chainId, additionEvents), snapshots.all([chainId])]);
  const details = all.map(({ detail }) => detail);
  return { used: usedSources(entries, details), details };
}

/** Anybody can create a vault, of any token: its symbol is foreign text too. */
const assetsOf = (details: readonly VaultDetail[]) =>
  new Map(
    details.map(({ asset: { address, symbol, decimals } }) => [
      address.toLowerCase(),
      { address, symbol: shownText(symbol), decimals },
    ]),
  );

/** What a contract answers, or `otherwise` where asking it fails in another way than by the node. @throws AppError RPC_UNAVAILABLE. */
async function answerOr<T>(otherwise: T, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (errorCodeOf(error) === 'RPC_UNAVAILABLE') throw error;
    return otherwise;
  }
}

/** What is asked on the chain about one address. */
type Seen = { isContract: boolean; described: DescribedSource; priced: ReadonlySet<string> };

type SourceOracles = CatalogueSource['oracles'];

/**
 * The oracles to be asked about a source: those of the caller's vault, which strangers cannot choose, then those that value it already,
 * then the most used of the chain.
 */
function oraclesToAsk(source: UsedSource | undefined, details: readonly VaultDetail[], vault: VaultDetail | undefined) {
  const addressesOf = (oracles: SourceOracles = []) => new Set(oracles.map(({ oracle_address }) => oracle_address));
  const ofVault = addressesOf(vault && oraclesOf([vault]));
  const ofSource = addressesOf(source?.oracles);
  return oraclesOf(details)
    .map((oracle) => ({ ...oracle, is_used_for_it: ofSource.has(oracle.oracle_address) }))
    .sort(
      (a, b) =>
        Number(ofVault.has(b.oracle_address)) - Number(ofVault.has(a.oracle_address)) ||
        Number(b.is_used_for_it) - Number(a.is_used_for_it),
    )
    .slice(0, MOST_ORACLES);
}

/** One address as the chain shows it at its newest block; read once for each block, and nothing more where there is no code. */
export function describeYieldSource(ports: SourceCataloguePorts) {
  const { describer, settingsChain } = ports;
  const kept = new KeptWhile<Seen>(MOST_ADDRESSES);
  const look = async (
    chain: KnownChain,
    source: string,
    oracles: readonly string[],
    details: readonly VaultDetail[],
  ) => {
    const { number, hash } = await settingsChain.newestBlock(chain);
    const read = async (): Promise<Seen> => {
      const isContract = await describer.hasCode(chain, source, number);
      if (!isContract) return { isContract, described: silent, priced: new Set() };
      const reading = { block: number, assets: assetsOf(details) };
      const [described, answers] = await Promise.all([
        answerOr(silent, describer.describe(chain, source, reading)),
        Promise.all(oracles.map((oracle) => answerOr(false, describer.isPriced(chain, source, oracle, number)))),
      ]);
      return { isContract, described, priced: new Set(oracles.filter((_oracle, index) => answers[index])) };
    };
    const key = `${chain.config.chainId}:${source}`;
    return { number, seen: await kept.get(key, [hash, oracles.join()], read) };
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
    const oracles = oraclesToAsk(own, details, vault?.detail);
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

/** The values of the order, so that a page goes on where the last one ended whatever came or went meanwhile. */
const placeOf = ({ vault_count, first_seen_at, source_address }: PlaceByUse): string =>
  `${vault_count} ${first_seen_at ?? '-'} ${source_address}`;
const placeForm = /^(\d{1,9}) (-|\d{4}-\d\d-\d\dT[\d:.]{1,20}Z) (0x[0-9a-fA-F]{40})$/;

/** What comes after a cursor. @throws AppError CURSOR_INVALID. */
function after<T extends PlaceByUse>(sources: readonly T[], cursor: string | undefined): readonly T[] {
  if (cursor === undefined) return sources;
  const [, count, since, source_address] = placeIn(cursor, placeForm) ?? [];
  if (count === undefined || since === undefined || source_address === undefined) throw invalidCursor();
  const place = { vault_count: Number(count), first_seen_at: since === '-' ? null : since, source_address };
  return sources.filter((source) => byUse(source, place) > 0);
}

type Wanted = Pick<ParamsOf<typeof ListSourceCatalogue>, 'asset' | 'search'>;

function isWanted(source: UsedSource & DescribedSource, { asset, search }: Wanted): boolean {
  const text = search?.toLowerCase() ?? '';
  const isFound = [source.name, source.symbol, source.source_address].some((each) =>
    each?.toLowerCase().includes(text),
  );
  return isFound && (asset === undefined || source.asset?.address === asset);
}

/**
 * Reads of the sources of the list. What each is called and holds is kept for many blocks, for it is what the list is narrowed by; how
 * much it holds is read at each block.
 */
function sourceReads({ describer }: SourceCataloguePorts) {
  const names = new KeptWhile<DescribedSource>(MOST_KEPT_SOURCES);
  const totals = new KeptWhile<string | null>(MOST_KEPT_SOURCES);
  const keyOf = (chain: KnownChain, { source_address }: UsedSource) => `${chain.config.chainId}:${source_address}`;
  return {
    async named(chain: KnownChain, source: UsedSource, reading: Parameters<SourceDescriber['describe']>[2]) {
      const read = () => describer.describe(chain, source.source_address, reading);
      const kept = names.get(keyOf(chain, source), [reading.block / BLOCKS_OF_A_NAME], read);
      return { ...source, ...(await answerOr(silent, kept)) };
    },
    total(chain: KnownChain, source: UsedSource, { number, hash }: { number: bigint; hash: string }) {
      const read = () => describer.totalAssets(chain, source.source_address, number);
      return answerOr(null, totals.get(keyOf(chain, source), [hash], read));
    },
  };
}

/** Sources that vaults of a chain have or had, as they describe themselves; what is read at each block is the page that is asked for. */
export function listSourceCatalogue(ports: SourceCataloguePorts) {
  const reads = sourceReads(ports);
  return async (
    { chain_id, limit, cursor, ...wanted }: ParamsOf<typeof ListSourceCatalogue>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof ListSourceCatalogue>> => {
    requireWallet(caller);
    const chain = ports.chains.get(chain_id);
    await requireIndexed(ports, chain_id);
    const [{ used, details }, block] = await Promise.all([
      knownOf(ports, chain_id),
      ports.settingsChain.newestBlock(chain),
    ]);
    const reading = { block: block.number, assets: assetsOf(details) };
    const named = (sources: readonly UsedSource[]) =>
      Promise.all(sources.map((source) => reads.named(chain, source, reading)));
    const all = [...used.values()].slice(0, MOST_SOURCES);
    const isNarrowed = wanted.asset !== undefined || wanted.search !== undefined;
    const found = isNarrowed ? (await named(all)).filter((source) => isWanted(source, wanted)) : all;
    const { items, ...rest } = pageOf(after<UsedSource>(found, cursor), limit, placeOf);
    const totals = Promise.all(items.map((source) => reads.total(chain, source, block)));
    const [page, held] = await Promise.all([named(items), totals]);
    const sources = page.map((source, index) => ({ ...source, total_assets: held[index] ?? null }));
    return { chain_id, block_number: Number(block.number), sources, total: found.length, ...rest };
  };
}
