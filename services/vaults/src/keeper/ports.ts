import type { Logger } from '@castellan/service-kit';
import type { GasPrice, TransactionSigner } from '@castellan/transactor';
import type { Address, Hash, Hex } from 'viem';
import type { RegistryHooks } from '../hook-trees/adapters/active-hooks.mongo.ts';
import type { TreeStore } from '../hook-trees/adapters/tree-store.mongo.ts';
import type { ChainStatusStore, LogReader } from '../log/ports.ts';
import type { Mandates } from '../mandates/mandates.mongo.ts';
import type { FactsReader } from '../strategies/adapters/facts-reader.ts';
import type { RunStore } from '../strategies/adapters/runs.mongo.ts';
import type { StrategyStore } from '../strategies/adapters/strategies.mongo.ts';
import type { IntentStore } from '../strategies/intents/store.mongo.ts';
import type { SnapshotReader } from '../vault/adapters/snapshot-store.mongo.ts';
import type { Redemption } from '../vault/domain/redemption.ts';
import type { HeartbeatStore } from './adapters/heartbeat.mongo.ts';
import type { Journal } from './adapters/journal.mongo.ts';
import type { RefusalStore } from './adapters/refusals.mongo.ts';
import type { Standing } from './domain/standing.ts';
import type { KeeperMetrics, SendAnswer } from './telemetry.ts';

export type Head = { number: number; time: number };
export type Target = { vault: Address; strategy: Address; asset: Address };
export type Roots = { strategy: Hex; global: Hex; isVetoed: boolean };
export type ProvenCall = { hook: Address; args: Hex; globalProof: Hex[]; strategyProof: Hex[] };
export type Call = { to: Address; data: Hex };
export type Receipt = {
  hash: Hash;
  succeeded: boolean;
  blockNumber: number;
  blockTime: number;
  gasUsed: bigint;
  /** Wei per gas, and wei for all of it with what a rollup takes beside the gas; absent where the node does not say. */
  gasPrice?: bigint;
  fee?: bigint;
  logs: { address: Address; topics: Hex[]; data: Hex }[];
};

/** One chain, as the keeper needs it. Every method throws AppError RPC_UNAVAILABLE while no node answers. */
export type KeeperChain = {
  readonly chainId: number;
  readonly confirmations: number;
  readonly blockTimeSeconds: number;
  head(): Promise<Head>;
  /** Hash of the block of this number; null while the node has none. */
  blockHash(block: number): Promise<string | null>;
  standing(target: Target, keeper: Address): Promise<Standing>;
  idle(target: Target): Promise<bigint>;
  roots(target: Target): Promise<Roots>;
  /** What the hook says that its calldata pins; null when it does not answer. */
  inspect(hook: Address, calldata: Hex): Promise<Hex | null>;
  validate(target: Target, call: ProvenCall): Promise<boolean>;
  /** What comes out by the source's oracle at a block: shares for assets, or assets for shares. */
  quote(of: {
    oracle: Address;
    source: Address;
    asset: Address;
    action: 'DEPOSIT' | 'WITHDRAWAL';
    amount: bigint;
    block: number;
  }): Promise<bigint | null>;
  /** What an account can claim from a distributor at a block; null when it does not answer. */
  claimable(of: { distributor: Address; account: Address; block: number }): Promise<bigint | null>;
  /** What a pool pays for so much of a token at a block; null when it does not answer. */
  poolQuote(of: { pool: Address; token: Address; amount: bigint; block: number }): Promise<bigint | null>;
  /** Runs a call without sending it, at the latest block. */
  simulate(from: Address, call: Call): Promise<{ gas: bigint } | { revert: string }>;
  redemptions(target: Target, controllers: readonly Address[]): Promise<Redemption[]>;
  market(): Promise<GasPrice>;
  balance(account: Address): Promise<bigint>;
  /** In wei, at most: what a rollup charges for a transaction beside its gas. */
  l1Fee(call: { dataBytes: number; gas: bigint }): Promise<bigint>;
  /** Transactions the account has had mined up to the latest block, or up to the one named. */
  minedNonce(account: Address, block?: number): Promise<number>;
  /** The same with those that a node holds and no block has yet. */
  pendingNonce(account: Address): Promise<number>;
  send(raw: Hex): Promise<SendAnswer>;
  receipt(hash: Hash): Promise<Receipt | null>;
};

export type KeeperSettings = {
  /** Wei per gas; never more is offered. */
  maxFee: bigint;
  /** Blocks after which a transaction that is not mined is offered more for. */
  bumpAfterBlocks: number;
  fulfilsRedemptions: boolean;
  /** Requests paid in one transaction. */
  redemptionsAtOnce: number;
  /** Of one transaction; what asks for more is not sent. */
  maxGas: bigint;
  /** That pay redemptions of a vault or give requests back: anybody may ask for those. */
  transactionsPerHour: number;
  /** The vaults served, as `chain_id:address` in lower case; empty for all that the key manages. */
  vaults: ReadonlySet<string>;
};

export type KeeperPorts = {
  chain: KeeperChain;
  signer: TransactionSigner;
  settings: KeeperSettings;
  status: Pick<ChainStatusStore, 'get'>;
  snapshots: Pick<SnapshotReader, 'all'>;
  strategies: Pick<StrategyStore, 'get' | 'running' | 'ofVault' | 'orders' | 'engine' | 'change'>;
  facts: Pick<FactsReader, 'live'>;
  intents: IntentStore;
  hooks: RegistryHooks;
  trees: Pick<TreeStore, 'byRoot' | 'leaf'>;
  log: Pick<LogReader, 'livingOfVault'>;
  /** From which page on a vault's queue is looked at next, where it is too long for one pass; only remembered. */
  queuePlaces: Map<string, number>;
  journal: Journal;
  runs: RunStore;
  refusals: RefusalStore;
  /** Promises of vaults, as the vaults service keeps them. */
  mandates: Pick<Mandates, 'inForce'>;
  /** False after a restore, until a person says otherwise: then nothing is sent. */
  isReleased: () => Promise<boolean>;
  heartbeats: Pick<HeartbeatStore, 'beat'>;
  metrics: KeeperMetrics;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
};
