import { AppError } from '@castellan/contracts';
import type { Address, PublicClient } from 'viem';
import { unwrapRpcError } from '../client.ts';
import { type BlockHeader, readHeader, requireHeader } from '../logs/headers.ts';
import { readHooks, readManagers, readMoney, readPricing, readUpkeep } from './core.ts';
import { readFeedPrice, readSource, readVaultStatics } from './reads.ts';
import type { VaultAddresses, VaultState, VaultStatics } from './types.ts';

const STABLE_READ_ATTEMPTS = 3;

type ReadOptions = {
  /** Of an earlier reading: they spare what never changes. */
  statics?: VaultStatics | undefined;
  /** An earlier reading: what it names (sources, oracle) is asked for together with the rest instead of after it. */
  previous?: Pick<VaultState, 'sources' | 'ppsOracle'> | undefined;
  /** The block as it was read before: its hash is then only checked after the reads. */
  block?: Pick<BlockHeader, 'number' | 'hash' | 'timestamp'> | undefined;
};
type Sources = { strategy: Address; previous: ReadOptions['previous'] };

/** Reads the sources of an earlier reading at once, and others when they turn up. */
function sourcesAhead(client: PublicClient, { strategy, previous }: Sources, number: bigint) {
  const keyOf = (address: Address, oracle: Address) => `${address}:${oracle}`.toLowerCase();
  const read = (address: Address, oracle: Address) => readSource(client, { address, oracle, strategy }, number);
  const ahead = new Map(
    previous?.sources.map(({ address, oracle }) => [keyOf(address, oracle), read(address, oracle)]),
  );
  // One that is no source any more may fail.
  for (const source of ahead.values()) source.catch(() => undefined);
  return (address: Address, oracle: Address) => ahead.get(keyOf(address, oracle)) ?? read(address, oracle);
}

async function readAt(
  client: PublicClient,
  addresses: VaultAddresses,
  block: NonNullable<ReadOptions['block']>,
  { statics: known, previous }: ReadOptions,
): Promise<VaultState> {
  const { number } = block;
  const { strategy, priceFeed } = addresses;
  const sourceOf = sourcesAhead(client, { strategy, previous }, number);
  const moneyOf = async ({ asset }: VaultStatics) => {
    const { money, yieldSources } = await readMoney(client, { ...addresses, asset: asset.address }, number);
    const sources = await Promise.all(yieldSources.map((source) => sourceOf(source.sourceAddress, source.oracle)));
    return { ...money, sources };
  };
  const staticsRead = known ?? readVaultStatics(client, addresses, number);
  // What is known is not waited for, so that all reads are made in one tick.
  const moneyRead = staticsRead instanceof Promise ? staticsRead.then(moneyOf) : moneyOf(staticsRead);
  const [statics, pricing, money, managers, hooks, upkeep, price] = await Promise.all([
    staticsRead,
    readPricing(client, addresses, number),
    moneyRead,
    readManagers(client, addresses, number),
    readHooks(client, addresses, number),
    readUpkeep(client, addresses, number, previous),
    priceFeed ? readFeedPrice(client, priceFeed, number) : null,
  ]);
  return {
    ...statics,
    blockNumber: block.number,
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
    ...pricing,
    ...money,
    ...managers,
    hooks,
    ...upkeep,
    price,
  };
}

/**
 * Everything the vault's page shows, read by calls at one block; the block's hash is checked again after the reads, so that
 * no figure comes from another fork. With a client that gathers reads these are about three calls, and one when an earlier reading
 * is known.
 * @returns Amounts as bigint. A source or feed that does not answer is null and hides nothing else.
 * @throws AppError RPC_UNAVAILABLE (retryable) when no node answers, the block is not known yet, or it keeps changing;
 * viem's revert error when the addresses are not those of a vault.
 */
export async function readVaultState(
  client: PublicClient,
  addresses: VaultAddresses,
  blockNumber: bigint,
  options: ReadOptions = {},
): Promise<VaultState> {
  try {
    for (let attempt = 0; attempt < STABLE_READ_ATTEMPTS; attempt += 1) {
      const known = attempt === 0 && options.block?.number === blockNumber ? options.block : undefined;
      const block = known ?? (await requireHeader(client, blockNumber));
      const state = await readAt(client, addresses, block, options);
      const after = await readHeader(client, blockNumber);
      if (after?.hash === block.hash) return state;
    }
  } catch (error) {
    throw unwrapRpcError(error);
  }
  throw new AppError('RPC_UNAVAILABLE', `Block ${blockNumber} changed while it was read. Try again shortly.`);
}

/** What never changes of a vault; see {@link VaultStatics}. @throws as {@link readVaultState}. */
export async function readStatics(
  client: PublicClient,
  addresses: Pick<VaultAddresses, 'vault' | 'strategy' | 'aggregator'>,
  blockNumber: bigint,
): Promise<VaultStatics> {
  try {
    return await readVaultStatics(client, addresses, blockNumber);
  } catch (error) {
    throw unwrapRpcError(error);
  }
}
