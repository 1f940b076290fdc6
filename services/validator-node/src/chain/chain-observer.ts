import { ecdsaPpsOracleAbi, isRpcUnavailable, readHeader, resolveContracts } from '@castellan/chain';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Address, Hex, PublicClient } from 'viem';
import type { ChainStates, ChainView, StrategyState } from '../plugin/chain-view.ts';
import type { PluginObserver } from '../plugin/events.ts';
import { type ChainObservation, entryFault, MAX_ENTRIES, type PriceEntry } from '../plugin/observation.ts';
import type { Clock, NetworkConfig, OnchainKeyring, SignedPrice } from '../ports.ts';
import { beforeDeadline } from './deadline.ts';
import { agreedOn, ChainReadError, type Endpoint, type EndpointEvent, Endpoints } from './endpoints.ts';
import { checkSigning, type SigningCheck } from './signing-check.ts';
import {
  type PriceContracts,
  type PriceSource,
  readState,
  readStrategies,
  readStrategy,
  readUpkeepCost,
  type StrategyReading,
} from './strategy-reader.ts';
import { StrategyReads } from './strategy-reads.ts';

export type ChainObserverSettings = {
  /** Blocks below the head that an observation is of, so that a short fork does not touch it. */
  readLagBlocks: bigint;
  /** Strategies read at a time. */
  parallelReads: number;
  priceSource: PriceSource;
  /** How long the proof that the contract takes our signatures counts. */
  signingCheckMs: number;
};

export type ChainObserverOptions = {
  chainId: number;
  governor: Address;
  /** null: the governor's active one. */
  oracle: Address | null;
  aggregator: Address | null;
  endpoints: readonly Endpoint[];
  /** Over all endpoints, for what needs one answer: the latest state and the oracle's own judgement. */
  client: PublicClient;
  agreement: number;
  maxHeadLagBlocks: bigint;
  maxHeadStallMs: number;
  config: NetworkConfig;
  keyring: OnchainKeyring;
  clock: Clock;
  settings: ChainObserverSettings;
  emit: (event: Parameters<PluginObserver>[0] | EndpointEvent) => void;
};

type Block = { number: bigint; hash: Hex; timestamp: bigint; endpoints: readonly Endpoint[] };

/** JSON of a reading, for comparing what endpoints say. */
const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_name, item) => (typeof item === 'bigint' ? String(item) : item));

/** One chain through several RPCs: what they do not agree on is not observed. */
export class ChainObserver implements ChainView {
  readonly chainId: number;
  readonly #options: ChainObserverOptions;
  readonly #endpoints: Endpoints;
  readonly #reads: StrategyReads;
  /** Of what is signed or sent: slow readings of prices do not hold it up. */
  readonly #stateLimit: LimitFunction;
  #contracts: PriceContracts | null = null;
  /** Of the newest block: signing, accepting and sending a report often look at the same one. */
  #stateReads: {
    hash: Hex;
    contracts: PriceContracts;
    byStrategy: Map<string, Promise<StrategyState | null>>;
  } | null = null;
  #check: { result: SigningCheck; at: number } | null = null;
  #checking: Promise<void> | null = null;

  constructor(options: ChainObserverOptions) {
    this.chainId = options.chainId;
    this.#options = options;
    this.#endpoints = new Endpoints(options);
    this.#reads = new StrategyReads(options.settings.parallelReads);
    this.#stateLimit = pLimit(options.settings.parallelReads);
  }

  separator(): Hex | null {
    return this.#check && 'separator' in this.#check.result ? this.#check.result.separator : null;
  }

  /** Finds the contracts and has the oracle judge a signature of ours. Nothing is signed for the chain before. */
  async prepare(): Promise<void> {
    this.#checking ??= this.#prepare().finally(() => {
      this.#checking = null;
    });
    await this.#checking;
  }

  async observe(deadline: AbortSignal): Promise<ChainObservation | null> {
    try {
      const [block] = await beforeDeadline(Promise.all([this.#block(), this.#prepareWhenDue()]), deadline);
      return await this.#observeAt(block, deadline);
    } catch (error) {
      const reason = error instanceof ChainReadError ? error.fault : 'unreadable';
      this.#emitObservation(null, 'error', reason);
      return null;
    }
  }

  async states(strategies: readonly Address[]): Promise<ChainStates> {
    const contracts = await this.#contractsOf();
    const { number, hash, timestamp } = await this.#options.client.getBlock();
    if (this.#stateReads?.hash !== hash || this.#stateReads.contracts !== contracts)
      this.#stateReads = { hash, contracts, byStrategy: new Map() };
    const { byStrategy } = this.#stateReads;
    const read = await Promise.all(
      strategies.map(async (strategy) => {
        const key = strategy.toLowerCase();
        const asked = byStrategy.get(key) ?? this.#stateAt(number, contracts, strategy);
        byStrategy.set(key, asked);
        // What was not answered is asked again.
        const state = await asked.catch((error: unknown) => {
          byStrategy.delete(key);
          throw error;
        });
        return [key, state] as const;
      }),
    );
    return { timestamp, states: new Map(read.flatMap(([key, state]) => (state ? [[key, state]] : []))) };
  }

  /** Null for a strategy that the contracts do not know. @throws while the node does not answer. */
  #stateAt(blockNumber: bigint, contracts: PriceContracts, strategy: Address): Promise<StrategyState | null> {
    const { client } = this.#options;
    return this.#stateLimit(() =>
      readState({ client, blockNumber }, contracts, strategy).catch((error: unknown) => {
        if (isRpcUnavailable(error)) throw error;
        return null;
      }),
    );
  }

  async takes({ strategy, pps, timestamp, signatures }: SignedPrice): Promise<boolean> {
    const { oracle } = await this.#contractsOf();
    try {
      await this.#options.client.readContract({
        address: oracle,
        abi: ecdsaPpsOracleAbi,
        functionName: 'validateProofs',
        // viem picks the overload by the order of the fields.
        args: [{ strategy, proofs: signatures, pps, timestamp }],
      });
      return true;
    } catch (error) {
      if (isRpcUnavailable(error)) throw error;
      return false;
    }
  }

  async #contractsOf(): Promise<PriceContracts> {
    if (this.#contracts) return this.#contracts;
    const { client, governor, oracle, aggregator } = this.#options;
    const found = await resolveContracts(client, { governor, aggregator, ppsOracle: oracle });
    this.#contracts = { governor, aggregator: found.aggregator, oracle: found.ppsOracle };
    return this.#contracts;
  }

  async #prepareWhenDue(): Promise<void> {
    const { clock, settings, emit, chainId } = this.#options;
    const isDue = this.separator() === null || clock.now() - (this.#check?.at ?? 0) >= settings.signingCheckMs;
    // Observing goes on without it; signing does not, and each round tries again.
    if (isDue) await this.prepare().catch((error: unknown) => emit({ type: 'signing_check_failed', chainId, error }));
  }

  async #prepare(): Promise<void> {
    const { client, chainId, governor, config, keyring, clock, emit } = this.#options;
    this.#contracts = null;
    const { oracle } = await this.#contractsOf();
    const before = this.#check?.result;
    const result = await checkSigning({ client, chainId, governor, oracle, config, keyring });
    this.#check = { result, at: clock.now() };
    if (keyOf(before) === keyOf(result)) return;
    if ('refusal' in result) emit({ type: 'chain_refused', chainId, reason: result.refusal });
    else emit({ type: 'chain_ready', chainId });
  }

  /** The block to read: a little below the head, and the same one at enough endpoints. */
  async #block(): Promise<Block> {
    const { settings, agreement, chainId } = this.#options;
    const heads = await this.#endpoints.usable();
    const lowest = heads.reduce((low, { number }) => (number < low ? number : low), heads[0]?.number ?? 0n);
    const number = lowest > settings.readLagBlocks ? lowest - settings.readLagBlocks : 0n;
    const headers = await Promise.all(
      heads.map(async ({ endpoint }) => {
        const header = await readHeader(endpoint.client, number).catch(() => null);
        return header ? [{ key: header.hash, value: { header, endpoint } }] : [];
      }),
    );
    const answers = headers.flat();
    if (answers.length < agreement) {
      throw new ChainReadError('too_few_endpoints', `Too few endpoints of chain ${chainId} have block ${number}.`);
    }
    const agreed = agreedOn(answers, agreement);
    if (!agreed) {
      throw new ChainReadError('block_disagreement', `The endpoints of chain ${chainId} disagree on block ${number}.`);
    }
    const { hash, timestamp } = agreed.header;
    const same = answers.filter(({ key }) => key === hash).map(({ value }) => value.endpoint);
    return { number, hash, timestamp, endpoints: same };
  }

  async #observeAt(block: Block, deadline: AbortSignal): Promise<ChainObservation | null> {
    const contracts = await this.#contractsOf();
    const [cost, strategies] = await beforeDeadline(
      Promise.all([this.#agreed(block, (at) => readUpkeepCost(at, contracts)), this.#strategies(block, contracts)]),
      deadline,
    );
    const read = await Promise.all(
      this.#reads.inOrder(strategies).map((strategy) => this.#entry(block, contracts, strategy, cost, deadline)),
    );
    const entries = read.filter((entry) => entry !== null);
    await this.#requireUnchanged(block);
    entries.sort((a, b) => (BigInt(a.strategy) < BigInt(b.strategy) ? -1 : 1));
    const { number, hash, timestamp } = block;
    return { chainId: this.chainId, blockNumber: number, blockHash: hash, timestamp, entries };
  }

  async #strategies(block: Block, contracts: PriceContracts): Promise<readonly Address[]> {
    const { strategies } = this.#options.config.pricing;
    const listed = strategies?.get(this.chainId);
    if (strategies !== null) return listed ?? [];
    return (await this.#agreed(block, (at) => readStrategies(at, contracts))).slice(0, MAX_ENTRIES);
  }

  /** What enough endpoints answer alike. @throws ChainReadError when they do not. */
  async #agreed<T>(
    { number, endpoints }: Block,
    read: (at: { client: PublicClient; blockNumber: bigint }) => Promise<T>,
  ): Promise<T> {
    const { agreement } = this.#options;
    const answers = await Promise.allSettled(endpoints.map(({ client }) => read({ client, blockNumber: number })));
    const values = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [{ key: keyOf(answer.value), value: { answer: answer.value } }] : [],
    );
    const agreed = agreedOn(values, agreement);
    if (agreed) return agreed.answer;
    const cause = answers.find((answer) => answer.status === 'rejected')?.reason;
    const fault = values.length < agreement ? 'unreadable' : 'value_disagreement';
    throw new ChainReadError(fault, `No ${agreement} endpoints answer alike at block ${number}.`, { cause });
  }

  async #entry(
    block: Block,
    contracts: PriceContracts,
    strategy: Address,
    cost: bigint,
    deadline: AbortSignal,
  ): Promise<PriceEntry | null> {
    const { clock, settings, emit } = this.#options;
    const started = clock.now();
    const fetched = (result: 'success' | 'error' | 'zero') =>
      emit({ type: 'pps_fetch', chainId: this.chainId, result, seconds: (clock.now() - started) / 1_000 });
    try {
      const reading = await this.#reads.run(strategy, deadline, () =>
        this.#agreed(block, (at) => readStrategy(at, contracts, strategy, settings.priceSource)),
      );
      return this.#judge(strategy, reading, cost, fetched);
    } catch (error) {
      fetched('error');
      this.#emitObservation(strategy, 'error', error instanceof ChainReadError ? error.fault : 'unreadable');
      return null;
    }
  }

  #judge(
    strategy: Address,
    reading: StrategyReading,
    cost: bigint,
    fetched: (result: 'success' | 'error' | 'zero') => void,
  ): PriceEntry | null {
    const { maxStaleness: _staleness, upkeepBalance, pps, ...stored } = reading;
    if (pps === null) {
      fetched('zero');
      this.#emitObservation(strategy, 'skipped', 'no_shares');
      return null;
    }
    const entry: PriceEntry = { ...stored, strategy, pps, upkeepShort: upkeepBalance < cost };
    const fault = entryFault(entry);
    fetched(pps === 0n ? 'zero' : fault === null ? 'success' : 'error');
    this.#emitObservation(strategy, fault === null ? 'success' : 'error', fault);
    return fault === null ? entry : null;
  }

  /** Values were read by number; that the hash is still the same says that they are all of this block. */
  async #requireUnchanged({ number, hash, endpoints }: Block): Promise<void> {
    const after = await Promise.all(endpoints.map(({ client }) => readHeader(client, number).catch(() => null)));
    if (after.filter((header) => header?.hash === hash).length >= this.#options.agreement) return;
    throw new ChainReadError('block_changed', `Block ${number} changed while it was read.`);
  }

  #emitObservation(strategy: Address | null, result: 'success' | 'error' | 'skipped', reason: string | null): void {
    this.#options.emit({ type: 'observation', chainId: this.chainId, strategy, result, reason });
  }
}
