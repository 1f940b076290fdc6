import { erc20Abi, orNull, unwrapRpcError, yieldSourceOracleAbi } from '@castellan/chain';
import type { CatalogueSource } from '@castellan/contracts';
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, type PublicClient, parseAbi } from 'viem';
import { getAddress, size, slice } from 'viem/utils';
import type { KnownChain } from '../../chains/chain-directory.ts';
import { shownText } from '../domain/shown-text.ts';

/** What a contract says of itself. */
export type DescribedSource = Omit<
  CatalogueSource,
  'source_address' | 'vault_count' | 'first_seen_at' | 'apy' | 'oracles'
>;
type Asset = NonNullable<DescribedSource['asset']>;

type Reading = {
  block: bigint;
  /** Assets of the chain's vaults by address in lower case: they need not be asked again. */
  assets: ReadonlyMap<string, Asset>;
};

/** Anybody may have written the contracts: each call has gas of its own, and travels apart from the reads of others. */
export type SourceDescriber = {
  /** @throws AppError RPC_UNAVAILABLE. */
  describe(chain: KnownChain, source: string, reading: Reading): Promise<DescribedSource>;
  /** What a source holds in all. @throws AppError RPC_UNAVAILABLE. */
  totalAssets(chain: KnownChain, source: string, block: bigint): Promise<string | null>;
  hasCode(chain: KnownChain, address: string, block: bigint): Promise<boolean>;
  /** Whether an oracle gives a price for a source. @throws AppError RPC_UNAVAILABLE. */
  isPriced(chain: KnownChain, source: string, oracle: string, block: bigint): Promise<boolean>;
};

const abi = [
  ...erc20Abi,
  ...parseAbi([
    'function asset() view returns (address)',
    'function totalAssets() view returns (uint256)',
    'function convertToAssets(uint256 shares) view returns (uint256)',
  ]),
] as const;

/** Of a call of a name, of decimals or of an address; it also bounds what the node has to send, for memory is paid for with gas: 370 kB. */
const GAS_OF_TEXT = 300_000n;
/** Of a call that has to compute: a vault of vaults asks each of them. Its answer is at most 1 MB. */
const GAS_OF_FIGURE = 2_000_000n;
/** Nothing is counted in smaller parts: 10^78 is above the largest amount. */
const MOST_DECIMALS = 77;
/** What answers more says nothing: a name has a few words, everything else one. */
const MOST_ANSWERED_BYTES = 8_192;
const ADDRESSES = 2n ** 160n;

type Ask = { to: Address; data: Hex; block: bigint; gas: bigint };

/** What a contract answers, as bytes; null where it refuses, is none or answers too much. */
async function ask(client: PublicClient, { to, data, block, gas }: Ask): Promise<Hex | null> {
  const answer = (await orNull(client.call({ to, data, blockNumber: block, gas })))?.data;
  return answer === undefined || size(answer) > MOST_ANSWERED_BYTES ? null : answer;
}

/** The first word of an answer as a number; null for a shorter one. Decoders of ABIs take other words for addresses and small numbers too. */
const wordIn = (answer: Hex | null): bigint | null =>
  answer === null || answer.length < 66 ? null : BigInt(slice(answer, 0, 32));

const figureIn = (answer: Hex | null): string | null => wordIn(answer)?.toString() ?? null;

function addressIn(answer: Hex | null): Address | null {
  const word = wordIn(answer);
  if (word === null || word === 0n || word >= ADDRESSES) return null;
  return getAddress(`0x${word.toString(16).padStart(40, '0')}`);
}

function decimalsIn(answer: Hex | null): number | null {
  const word = wordIn(answer);
  return word === null || word > MOST_DECIMALS ? null : Number(word);
}

function textIn(answer: Hex | null): string | null {
  if (answer === null) return null;
  try {
    return shownText(decodeFunctionResult({ abi: erc20Abi, functionName: 'name', data: answer }));
  } catch {
    // A contract may answer anything; bytes that are no string are no name.
    return null;
  }
}

const dataOf = (functionName: 'name' | 'symbol' | 'decimals' | 'asset' | 'totalAssets'): Hex =>
  encodeFunctionData({ abi, functionName });
const oneShare = encodeFunctionData({ abi, functionName: 'convertToAssets', args: [1n] });

async function readAsset(client: PublicClient, address: Address, { block }: Reading): Promise<Asset> {
  const read = (functionName: 'symbol' | 'decimals') =>
    ask(client, { to: address, data: dataOf(functionName), block, gas: GAS_OF_TEXT });
  const [symbol, decimals] = await Promise.all([read('symbol'), read('decimals')]);
  return { address, symbol: textIn(symbol), decimals: decimalsIn(decimals) };
}

async function describe({ client }: KnownChain, source: Address, reading: Reading): Promise<DescribedSource> {
  const { block, assets } = reading;
  const read = (data: Hex, gas: bigint) => ask(client, { to: source, data, block, gas });
  const [name, symbol, decimals, asset, total, share] = await Promise.all([
    read(dataOf('name'), GAS_OF_TEXT),
    read(dataOf('symbol'), GAS_OF_TEXT),
    read(dataOf('decimals'), GAS_OF_TEXT),
    read(dataOf('asset'), GAS_OF_TEXT),
    read(dataOf('totalAssets'), GAS_OF_FIGURE),
    read(oneShare, GAS_OF_FIGURE),
  ]);
  const of = addressIn(asset);
  const isVault = of !== null && wordIn(total) !== null && wordIn(share) !== null;
  return {
    source_type: isVault ? 'erc4626' : 'unknown',
    name: textIn(name),
    symbol: textIn(symbol),
    decimals: decimalsIn(decimals),
    asset: of && (assets.get(of.toLowerCase()) ?? (await readAsset(client, of, reading))),
    total_assets: figureIn(total),
  };
}

async function orUnavailable<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw unwrapRpcError(error);
  }
}

export const rpcSourceDescriber = (): SourceDescriber => ({
  describe: (chain, source, reading) => orUnavailable(describe(chain, source as Address, reading)),
  async totalAssets({ client }, source, block) {
    const call = { to: source as Address, data: dataOf('totalAssets'), block, gas: GAS_OF_FIGURE };
    return figureIn(await orUnavailable(ask(client, call)));
  },
  async hasCode({ client }, address, block) {
    const code = await orUnavailable(client.getCode({ address: address as Address, blockNumber: block }));
    return code !== undefined && code !== '0x';
  },
  async isPriced({ client }, source, oracle, block) {
    const data = encodeFunctionData({
      abi: yieldSourceOracleAbi,
      functionName: 'getPricePerShare',
      args: [source as Address],
    });
    const price = wordIn(await orUnavailable(ask(client, { to: oracle as Address, data, block, gas: GAS_OF_FIGURE })));
    return price !== null && price > 0n;
  },
});
