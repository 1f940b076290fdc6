import {
  type ChainConfig,
  chainClient,
  type EndpointWatching,
  ecdsaPpsOracleAbi,
  endpointsOf,
  publishedL1FeeOracle,
  resolveContracts,
} from '@castellan/chain';
import { ensureIndexes, type Logger } from '@castellan/service-kit';
import { feeDefaults, type TransactionSigner } from '@castellan/transactor';
import type { Connection } from 'mongoose';
import { type Address, createPublicClient, http, type PublicClient } from 'viem';
import { ChainObserver } from '../chain/chain-observer.ts';
import { contractAdapter } from '../chain/contract-adapter.ts';
import type { EndpointEvent } from '../chain/endpoints.ts';
import { EventWatcher, type WatchEvent, type WatchStore } from '../chain/event-watcher.ts';
import { type Head, sharedHead } from '../chain/shared-head.ts';
import { type PriceContracts, readStrategies } from '../chain/strategy-reader.ts';
import type { NodeConfig } from '../config/load.ts';
import type { PluginObserver } from '../plugin/events.ts';
import type { Clock, NetworkConfig, OnchainKeyring, SignedPrice } from '../ports.ts';
import { TransactionManager } from '../transmit/manager.ts';
import { mongoTransmitStore } from '../transmit/store.mongo.ts';
import { type TransmitEvent, type TransmitStore, transmitDefaults } from '../transmit/types.ts';
import type { Handed } from './announcer.ts';
import { limits } from './limits.ts';
import type { PricesSoFar } from './sign-guard.ts';

type ChainEntry = NodeConfig['chains'][number];

export type ChainRuntimeOptions = {
  entry: ChainEntry;
  config: NodeConfig;
  connection: Connection;
  signer: TransactionSigner;
  holder: string;
  clock: Clock;
  watch: WatchStore;
  onPlugin: (event: Parameters<PluginObserver>[0] | EndpointEvent) => void;
  onWatch: (event: WatchEvent) => void;
  /** Prices are handed to the transmitter under this key. */
  onSubmit: (key: string, handed: Handed) => void;
  onTransmit: (event: TransmitEvent) => Promise<void>;
  /** What the account that pays has, and how many of its transactions wait. */
  onAccount: (account: { balance: bigint; pending: number }) => void;
  /** The strategies of the chain whose freshness is watched. */
  onStrategies: (strategies: readonly Address[]) => void;
  log: Logger;
};

const RETRY_MS = 2_000;
const MOST_HEAD_AGE_MS = 1_000;
const STRATEGIES_MS = 60_000;
const ACCOUNT_MS = 15_000;
const GWEI_DIGITS = 9;

/** Gwei as text in wei. */
export function weiOf(gwei: string): bigint {
  const [whole = '0', part = ''] = gwei.split('.');
  return BigInt(whole + part.padEnd(GWEI_DIGITS, '0'));
}

const chainOf = (
  { chain_id, name, block_time, super_governor_address, ecdsa_oracle_address }: ChainEntry,
  rpcUrls: readonly string[],
): ChainConfig => ({
  chainId: chain_id,
  slug: name.toLowerCase(),
  name,
  rpcUrls,
  explorerUrl: null,
  nativeSymbol: 'ETH',
  blockTimeSeconds: block_time / 1_000,
  confirmations: 1,
  observationCadenceSeconds: 15,
  startBlock: 0n,
  governor: super_governor_address as Address,
  aggregator: null,
  ppsOracle: ecdsa_oracle_address as Address,
  priceFeeds: {},
  vaults: null,
  sourceNames: {},
});

/** One chain of a node: what reads it, what watches its prices, what sends to it. */
export class ChainRuntime {
  readonly chainId: number;
  readonly #options: ChainRuntimeOptions;
  readonly #client: PublicClient;
  /** The newest block, for all that watch the chain. */
  readonly head: () => Promise<Head>;
  readonly #ready = Promise.withResolvers<TransactionManager>();
  #manager: TransactionManager | undefined;
  #watcher: EventWatcher | undefined;
  #stopped = false;
  #cancel: () => void = () => undefined;
  #cancelAccount: () => void = () => undefined;

  constructor(options: ChainRuntimeOptions) {
    this.#options = options;
    this.chainId = options.entry.chain_id;
    const { https_rpc: urls } = options.entry;
    this.#client = chainClient(chainOf(options.entry, urls), {
      ...this.#quick,
      // Of one alone there is no order.
      ...(urls.length > 1 && { watch: this.#watch }),
    });
    this.head = sharedHead(this.#client, options.clock, Math.min(options.entry.block_time / 2, MOST_HEAD_AGE_MS));
  }

  get client(): PublicClient {
    return this.#client;
  }

  /** A second RPC, asked whether a configuration is what the first says; null where there is only one. */
  witness(): PublicClient | null {
    const [, second] = this.#options.entry.https_rpc;
    return second === undefined ? null : chainClient(chainOf(this.#options.entry, [second]), this.#quick);
  }

  /** The general client asks the healthiest endpoint first, by the same measure as observations. */
  get #watch(): EndpointWatching {
    return {
      maxHeadLagBlocks: limits.headLagBlocks,
      maxHeadStallMs: this.#maxHeadStallMs,
      onHealth: (chainId, { endpoint, result, head }) =>
        this.#options.onPlugin({ type: 'rpc', chainId, rpc: endpoint.name, result, head }),
    };
  }

  get #maxHeadStallMs(): number {
    return Math.max(limits.headStallMs, this.#options.entry.block_time * 10);
  }

  get #quick() {
    return { retries: 0, timeoutMs: this.#options.config.ocr2.blockchain_timeout };
  }

  /** @throws when no endpoint answers. */
  async pricesSoFar(): Promise<PricesSoFar> {
    const { entry } = this.#options;
    const client = this.#client;
    const { governor, aggregator, ppsOracle: oracle } = await resolveContracts(client, chainOf(entry, entry.https_rpc));
    const heads = await Promise.allSettled(endpointsOf(client).map((endpoint) => endpoint.getBlock()));
    const blocks = heads.flatMap((head) => (head.status === 'fulfilled' ? [head.value] : []));
    const [block = await client.getBlock()] = blocks;
    const known = await readStrategies({ client, blockNumber: block.number }, { governor, aggregator, oracle });
    const strategies = [...new Set([...known, ...entry.supported_strategies.map((each) => each.toLowerCase())])];
    const nonces = await Promise.all(
      (strategies as Address[]).map(async (strategy) => ({
        strategy,
        nonce: await client.readContract({
          address: oracle,
          abi: ecdsaPpsOracleAbi,
          args: [strategy],
          functionName: 'noncePerStrategy',
        }),
      })),
    );
    const headSeconds = blocks.reduce((top, { timestamp }) => (timestamp > top ? timestamp : top), block.timestamp);
    return { chainId: this.chainId, headSeconds, nonces };
  }

  /** Finds the contracts, however long no node answers, then watches and sends. */
  start(): void {
    void this.#begin();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    this.#cancelAccount();
    this.#ready.promise.catch(() => undefined);
    this.#ready.reject(new Error('The node shuts down.'));
    await Promise.all([this.#manager?.stop(), this.#watcher?.stop()]);
  }

  async submit(key: string, prices: readonly SignedPrice[], about: Parameters<TransactionManager['submit']>[2]) {
    const manager = await this.#inTime(this.#ready.promise);
    const own = `${key}:${this.chainId}`;
    this.#options.onSubmit(own, { about, prices });
    await this.#inTime(manager.submit(own, prices, about));
  }

  /** A chain that does not answer must not hold a report for ever: who handed it over tries again. */
  #inTime<T>(work: Promise<T>): Promise<T> {
    const { clock, config } = this.#options;
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(config.ocr2.transmit_timeout, () =>
      late.reject(new Error(`The transmitter of chain ${this.chainId} did not take a report in time.`)),
    );
    return Promise.race([work, late.promise]).finally(cancel);
  }

  /** Reads the chain for the plugin of one configuration. */
  observer(config: NetworkConfig, keyring: OnchainKeyring): ChainObserver {
    const { entry, clock, onPlugin } = this.#options;
    const urls = entry.https_rpc;
    return new ChainObserver({
      chainId: this.chainId,
      governor: entry.super_governor_address as Address,
      oracle: entry.ecdsa_oracle_address as Address,
      aggregator: null,
      endpoints: urls.map((url, place) => ({
        name: `rpc-${place}`,
        client: chainClient(chainOf(entry, [url]), this.#quick),
      })),
      client: this.#client,
      agreement: Math.min(2, urls.length),
      maxHeadLagBlocks: limits.headLagBlocks,
      maxHeadStallMs: this.#maxHeadStallMs,
      config,
      keyring,
      clock,
      emit: onPlugin,
      settings: {
        readLagBlocks: limits.readLagBlocks,
        parallelReads: limits.parallelReads,
        priceSource: entry.price_source,
        signingCheckMs: limits.signingCheckMs,
      },
    });
  }

  async #begin(): Promise<void> {
    const { entry, log } = this.#options;
    this.#cancel();
    try {
      const found = await resolveContracts(this.#client, chainOf(entry, entry.https_rpc));
      const contracts = { governor: found.governor, aggregator: found.aggregator, oracle: found.ppsOracle };
      await this.#followStrategies(contracts);
      if (this.#stopped) return;
      this.#startWatcher(contracts);
      this.#ready.resolve(await this.#startManager(contracts));
    } catch (error) {
      log.warn('could not read the chain at start, retrying', { chainId: this.chainId, error: error as Error });
      if (!this.#stopped) this.#cancel = this.#options.clock.after(RETRY_MS, () => void this.#begin());
    }
  }

  /** New strategies are watched within a minute; the configured ones at once. */
  async #followStrategies(contracts: PriceContracts): Promise<void> {
    const { entry, clock, onStrategies, log } = this.#options;
    if (entry.supported_strategies.length > 0) return onStrategies(entry.supported_strategies as Address[]);
    onStrategies(
      await readStrategies({ client: this.#client, blockNumber: await this.#client.getBlockNumber() }, contracts),
    );
    const again = () => {
      this.#cancel = clock.after(STRATEGIES_MS, () => {
        this.#followStrategies(contracts).catch((error: unknown) => {
          log.warn('could not list strategies', { chainId: this.chainId, error: error as Error });
          if (!this.#stopped) again();
        });
      });
    };
    if (!this.#stopped) again();
  }

  #startWatcher({ aggregator, oracle }: PriceContracts): void {
    const { entry, watch, clock, onWatch } = this.#options;
    // It may run already, when what comes after it had to be tried again.
    if (this.#watcher) return;
    this.#watcher = new EventWatcher({
      chainId: this.chainId,
      client: this.#client,
      head: this.head,
      aggregator,
      oracle,
      store: watch,
      clock,
      pollMs: Math.max(500, Math.min(entry.block_time, 15_000)),
      keepBlocks: limits.keepBlocks,
      emit: onWatch,
    });
    this.#watcher.start();
  }

  async #startManager(contracts: PriceContracts): Promise<TransactionManager> {
    const { entry, config, connection, signer, holder, clock, onTransmit, log } = this.#options;
    const now = () => new Date();
    const adapter = contractAdapter({ client: this.#client, contracts, limits });
    const { transmitter } = config;
    const store = mongoTransmitStore({
      connection,
      chainId: this.chainId,
      account: signer.address,
      holder,
      leaseMs: transmitDefaults.leaseMs,
    });
    this.#manager = new TransactionManager({
      store,
      signer,
      clock,
      now,
      onEvent: onTransmit,
      log,
      rpcs: entry.https_rpc.map((url) =>
        createPublicClient({
          transport: http(url, { retryCount: 0, timeout: config.ocr2.blockchain_timeout }),
          // No EIP-3668: this node asks the chain and nobody else.
          ccipRead: false,
        }),
      ),
      contract: {
        pack: (prices) => adapter.pack(prices),
        stillUseful: (prices) => adapter.stillUseful(prices),
        judge: (receipt, prices, node) => adapter.judgeByNonce(receipt, prices, node),
      },
      settings: {
        ...transmitDefaults,
        chainId: this.chainId,
        l1FeeOracle: (entry.l1_fee_oracle_address as Address | undefined) ?? publishedL1FeeOracle(this.chainId),
        fees: {
          ...feeDefaults,
          maxFeeLimit: weiOf(transmitter.max_fee_gwei),
          minTip: weiOf(transmitter.min_tip_gwei),
          maxTip: weiOf(transmitter.max_tip_gwei),
          bumpPermille: BigInt(transmitter.bump_percent) * 10n,
        },
        bumpAfterBlocks: transmitter.bump_after_blocks,
        gasLimit: BigInt(transmitter.gas_limit),
        maxInFlight: transmitter.max_in_flight,
        finality: { confirmations: transmitter.confirmations },
        maxAgeSeconds: limits.maxStaleSeconds - limits.sendMarginSeconds,
        pollMs: Math.max(500, Math.min(entry.block_time / 2, transmitDefaults.pollMs)),
      },
    });
    // The unique nonce is kept by an index: nothing is sent before it is there.
    await ensureIndexes(connection);
    if (this.#stopped) return this.#manager;
    this.#manager.start();
    void this.#watchAccount(store);
    return this.#manager;
  }

  /** Looked at between transmissions too: an account that runs dry must be seen before it is needed. */
  async #watchAccount(store: TransmitStore): Promise<void> {
    const { signer, clock, onAccount, log } = this.#options;
    try {
      const [balance, live] = await Promise.all([this.#client.getBalance({ address: signer.address }), store.live()]);
      onAccount({ balance, pending: live.filter(({ state }) => state !== 'mined').length });
    } catch (error) {
      log.debug('could not read the transmit account', { chainId: this.chainId, error: error as Error });
    }
    if (!this.#stopped) this.#cancelAccount = clock.after(ACCOUNT_MS, () => void this.#watchAccount(store));
  }
}
