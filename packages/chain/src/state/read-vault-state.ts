import { AppError } from '@castellan/contracts';
import type { PublicClient } from 'viem';
import { unwrapRpcError } from '../client.ts';
import { type BlockHeader, readHeader, requireHeader } from '../logs/headers.ts';
import { readHooks, readManagers, readMoney, readPricing, readUpkeep } from './core.ts';
import { readFeedPrice, readSource, readVaultStatics } from './reads.ts';
import type { VaultAddresses, VaultState, VaultStatics } from './types.ts';

const STABLE_READ_ATTEMPTS = 3;

async function readAt(
  client: PublicClient,
  addresses: VaultAddresses,
  block: BlockHeader,
  known: VaultStatics | undefined,
): Promise<VaultState> {
  const { number } = block;
  const { strategy, priceFeed } = addresses;
  const staticsRead = known ?? readVaultStatics(client, addresses, number);
  const moneyRead = Promise.resolve(staticsRead).then(async ({ asset }) => {
    const { money, yieldSources } = await readMoney(client, { ...addresses, asset: asset.address }, number);
    const sources = await Promise.all(
      yieldSources.map(({ sourceAddress, oracle }) =>
        readSource(client, { address: sourceAddress, oracle, strategy }, number),
      ),
    );
    return { ...money, sources };
  });
  const [statics, pricing, money, managers, hooks, upkeep, price] = await Promise.all([
    staticsRead,
    readPricing(client, addresses, number),
    moneyRead,
    readManagers(client, addresses, number),
    readHooks(client, addresses, number),
    readUpkeep(client, addresses, number),
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
 * no figure comes from another fork. With a batching client this is about five HTTP calls.
 * @param options - `statics` of an earlier reading spare what never changes.
 * @returns Amounts as bigint. A source or feed that does not answer is null and hides nothing else.
 * @throws AppError RPC_UNAVAILABLE (retryable) when no node answers, the block is not known yet, or it keeps changing;
 * viem's revert error when the addresses are not those of a vault.
 */
export async function readVaultState(
  client: PublicClient,
  addresses: VaultAddresses,
  blockNumber: bigint,
  options: { statics?: VaultStatics | undefined } = {},
): Promise<VaultState> {
  try {
    for (let attempt = 0; attempt < STABLE_READ_ATTEMPTS; attempt += 1) {
      const block = await requireHeader(client, blockNumber);
      const state = await readAt(client, addresses, block, options.statics);
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
