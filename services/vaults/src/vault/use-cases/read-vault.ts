import { readVaultState, type VaultState, type VaultStatics } from '@castellan/chain';
import { AppError } from '@castellan/contracts';
import type { Address } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { Block } from '../../log/domain/block.ts';
import type { VaultTrio } from '../../log/indexer/address-book.ts';
import type { LogReader } from '../../log/ports.ts';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { vaultDetail } from '../domain/vault-detail.ts';
import { factEvents, foldFacts, managersOf } from '../domain/vault-facts.ts';
import { type Pause, pauseActors } from './pause-actor.ts';

export type VaultReading = { state: VaultState; snapshot: Snapshot };

export type VaultReader = {
  /**
   * One vault at one indexed block: calls at that block, and the log up to it.
   * @throws AppError RPC_UNAVAILABLE when no node answers or the block is no longer on the chain.
   */
  read(
    chain: KnownChain,
    trio: Pick<VaultTrio, 'vault' | 'strategy' | 'escrow' | 'asset'>,
    tip: Block,
  ): Promise<VaultReading>;
};

type ReaderPorts = {
  log: LogReader;
  /** Why a pausing transaction was made, as its manager said when it was prepared; null when nobody did. */
  pauseReason: (chainId: number, tx: string) => Promise<string | null>;
  now: () => Date;
};

export function vaultReader({ log, pauseReason, now }: ReaderPorts): VaultReader {
  const staticsOf = new Map<string, VaultStatics>();
  const previousOf = new Map<string, Pick<VaultState, 'sources' | 'ppsOracle'>>();
  const pauseActor = pauseActors(now);

  const reasonOf = async (chainId: number, pause: Pause): Promise<string | null> =>
    pause ? (pause.reason ?? (await pauseReason(chainId, pause.tx))) : null;

  const lastOracleUpdate = async (chainId: number, vault: string, creationTx: string): Promise<bigint | null> => {
    // The price set at creation is emitted as an update too, but no oracle reported it.
    const isReport = ({ contract, tx_hash }: { contract: string | null; tx_hash: string | null }) =>
      contract === 'aggregator' && tx_hash !== creationTx;
    const entry = await log.newestOfVault(chainId, vault, 'PPSUpdated', isReport);
    return entry && BigInt(String(entry.args.timestamp));
  };

  return {
    async read(chain, trio, tip) {
      const { chainId, slug, priceFeeds, sourceNames } = chain.config;
      const { governor, aggregator } = await chain.contracts();
      const vault = trio.vault.toLowerCase();
      const key = `${chainId}:${vault}`;
      const addresses = {
        vault: trio.vault as Address,
        strategy: trio.strategy as Address,
        escrow: trio.escrow as Address,
        aggregator,
        governor,
        priceFeed: priceFeeds[trio.asset.toLowerCase()],
      };
      const known = { statics: staticsOf.get(key), previous: previousOf.get(key), block: tip };
      const state = await readVaultState(chain.client, addresses, tip.number, known);
      if (state.blockHash !== tip.hash)
        throw new AppError('RPC_UNAVAILABLE', `Block ${tip.number} was replaced while it was read. Try again shortly.`);
      const { name, symbol, decimals, asset, precision, maxStaleness } = state;
      staticsOf.set(key, { name, symbol, decimals, asset, precision, maxStaleness });
      previousOf.set(key, { sources: state.sources, ppsOracle: state.ppsOracle });
      const facts = foldFacts(await log.livingOfVault(chainId, vault, factEvents), state.primaryManager);
      const managers = managersOf({ primary: state.primaryManager, secondary: state.secondaryManagers }, facts);
      const detail = vaultDetail({
        identity: { chainId, chainSlug: slug, vault: trio.vault, strategy: trio.strategy, escrow: trio.escrow },
        state,
        facts,
        lastOracleUpdate: await lastOracleUpdate(chainId, vault, facts.created.tx),
        pauseActor: state.isPaused ? await pauseActor(chain, facts.pause) : null,
        pauseReason: await reasonOf(chainId, state.isPaused ? facts.pause : null),
        sourceNames,
        updatedAt: now().toISOString(),
      });
      const snapshot: Snapshot = {
        chain_id: chainId,
        vault,
        strategy: trio.strategy.toLowerCase(),
        block_number: Number(tip.number),
        block_hash: tip.hash,
        computed_at: now(),
        detail,
        managers,
        wallets: [managers.primary.wallet, ...managers.secondary.map(({ wallet }) => wallet)],
      };
      return { state, snapshot };
    },
  };
}
