import { inspect } from 'node:util';
import { loadChains } from '@castellan/chain';
import {
  type Action,
  AlertSignalled,
  AlertSignalStream,
  AuditRecorded,
  AuditStream,
  type Caller,
  ChainStream,
  type DurableEvent,
  type EventData,
  GetVault,
  type InputOf,
  ListChains,
  ListLogEntries,
  type LogEntry,
  LogGrew,
  type ResultOf,
  type StreamDefinition,
} from '@castellan/contracts';
import {
  callAction,
  connectDurable,
  createBroker,
  createLogger,
  createRegistry,
  type DurableBus,
  followStream,
  type RunningService,
  startService,
} from '@castellan/service-kit';
import {
  startTestNats,
  startTestStore,
  type TestNats,
  type TestStore,
  testIdentity,
  testKeys,
  until,
} from '@castellan/testkit';
import type { Address } from 'viem';
import { type Protocol, setUp, TestChain, who } from '../../../packages/protocol/test/test-chain.ts';
import type { Rewards } from '../../../packages/protocol/test/test-rewards.ts';
import { vaultsDefinition } from '../src/compose.ts';
import type { VaultsConfig } from '../src/config.ts';

/** The service as it is composed, over a real bus, store and chain. */

export const chain_id = 31_337;

/** One vault's three contracts. */
export type Trio = { vault: Address; strategy: Address; escrow: Address };
export const trioOf = ({ vault, strategy, escrow }: Pick<Protocol, 'vault' | 'strategy' | 'escrow'>): Trio => ({
  vault: vault.address,
  strategy: strategy.address,
  escrow: escrow.address,
});

export const callerOf = (wallet: string | undefined): Caller | undefined =>
  wallet === undefined
    ? undefined
    : { wallet_address: wallet, sid: 'test', issuer: 'test', auth_time: Math.floor(Date.now() / 1000) };

/** A reward of the first source, as the chain's configuration names it. */
const rewardSettings = (
  { sources, depositHook, redeemHook }: Protocol,
  { token, distributor, pool, claimHook, swapHook }: Rewards,
) => ({
  hooks: {
    ...{ deposit: depositHook.address, redeem: redeemHook.address },
    ...{ claim: claimHook.address, swap: swapHook.address },
  },
  rewards: [
    {
      ...{ source: sources[0].address, distributor: distributor.address },
      ...{ token: token.address, pool: pool.address },
    },
  ],
});

const chainSettings = ({ governor, aggregator, oracle, depositHook, redeemHook }: Protocol) => ({
  governor: governor.address,
  aggregator: aggregator.address,
  pps_oracle: oracle.address,
  start_block: 0,
  block_time_seconds: 0.5,
  confirmations: 1,
  observation_cadence_seconds: 15,
  hooks: { deposit: depositHook.address, redeem: redeemHook.address },
});

/** Polls of the head come every 200 ms, and observations as often as snapshots: nothing here waits for the clock. */
const configOf = (
  chain: TestChain,
  protocol: Protocol,
  nats: TestNats,
  store: TestStore,
  { otherChains, rewards }: { otherChains: readonly OtherChain[]; rewards: Rewards | undefined },
): VaultsConfig => ({
  env: 'test',
  logLevel: 'silent',
  nats: { url: nats.url, namespace: nats.namespace },
  mongo: { uri: store.uri, database: store.database },
  monitoring: { host: '127.0.0.1', port: 0 },
  tracing: { endpoint: undefined },
  shutdownGraceSeconds: 5,
  identity: testKeys('vaults'),
  sources: {
    chains: loadChains(
      JSON.stringify([
        {
          ...{ chain_id, slug: 'anvil', name: 'Anvil', rpc_urls: [chain.anvil.rpcUrl] },
          ...chainSettings(protocol),
          ...(rewards ? rewardSettings(protocol, rewards) : {}),
        },
        ...otherChains.map((other) => ({ ...other, ...chainSettings(protocol) })),
      ]),
    ),
    devnets: [],
  },
  rpcTimeoutMs: 30_000,
  rpcBatchSize: 100,
  priceMaxAgeSeconds: 90_000,
  snapshotMs: 13_000,
  stepUpSeconds: 1_800,
  preparedSeconds: 1_800,
  pauseProofSeconds: 3_600,
  vaultMetrics: true,
  registryMaintainers: new Set([who.bob.toLowerCase()]),
  logArchive: null,
});

/** It may answer with rewards that it made: then the chain's configuration names them. */
type History = (chain: TestChain, protocol: Protocol) => Promise<Rewards | undefined>;
type Servers = { nats: TestNats; store: TestStore };
/** A chain that the service serves beside the one of the test. */
type OtherChain = { chain_id: number; slug: string; name: string; rpc_urls: string[] };

export class VaultsSystem {
  readonly #undo: (() => Promise<unknown>)[] = [];
  chain!: TestChain;
  protocol!: Protocol;
  nats!: TestNats;
  store!: TestStore;
  durable!: DurableBus;
  monitoringPort!: number;
  service!: RunningService;
  /** The service's own connection to the store. */
  mongo!: RunningService['context']['mongo'];
  /** What the service was started with, for processes beside it. */
  config!: VaultsConfig;
  #broker!: ReturnType<typeof createBroker>;

  /**
   * @param history - What happens on the chain before the service sees it for the first time.
   * @param servers - A bus and a store of the file's own, which end with the system; those of the test run without them.
   * @param otherChains - Served after the chain of the test.
   */
  static async start(
    history: History,
    servers: Partial<Servers> = {},
    otherChains: readonly OtherChain[] = [],
  ): Promise<VaultsSystem> {
    const system = new VaultsSystem();
    try {
      await system.#start(history, servers, otherChains);
    } catch (error) {
      await system.stop();
      throw error;
    }
    return system;
  }

  async #start(history: History, servers: Partial<Servers>, otherChains: readonly OtherChain[]): Promise<void> {
    this.chain = await TestChain.start();
    this.#undo.push(() => this.chain.stop());
    this.protocol = await setUp(this.chain);
    const rewards = await history(this.chain, this.protocol);
    this.nats = servers.nats ?? (await startTestNats());
    this.#undo.push(() => this.nats.stop());
    this.store = servers.store ?? (await startTestStore());
    this.#undo.push(() => this.store.stop());
    const config = configOf(this.chain, this.protocol, this.nats, this.store, { otherChains, rewards });
    this.config = config;
    const service = await startService(vaultsDefinition(config));
    this.service = service;
    this.#undo.push(() => service.stop());
    this.monitoringPort = service.monitoringPort;
    this.mongo = service.context.mongo;
    const log = createLogger({ service: 'test', level: 'silent' });
    const registry = createRegistry('test');
    const identity = testIdentity();
    const asking = { service: 'test', nats: config.nats, registry, log, identity };
    this.#broker = createBroker({ ...asking, requestTimeoutMs: 15_000 });
    await this.#broker.start();
    this.#undo.push(() => this.#broker.stop());
    this.durable = await connectDurable({ ...config.nats, service: 'test', log });
    this.#undo.push(() => this.durable.nats.close());
    await this.#broker.waitForServices({ name: 'vaults', version: 1 });
    await this.indexed();
  }

  async stop(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) await undo();
  }

  call<A extends Action>(action: A, params: InputOf<A>, wallet?: string): Promise<ResultOf<A>> {
    return this.callAs(callerOf(wallet), action, params);
  }

  callAs<A extends Action>(caller: Caller | undefined, action: A, params: InputOf<A>): Promise<ResultOf<A>> {
    return callAction(this.#broker, action, params, { caller });
  }

  detail(vault: string, who?: string | Caller): Promise<ResultOf<typeof GetVault>> {
    const caller = typeof who === 'string' ? callerOf(who) : who;
    return this.callAs(caller, GetVault, { chain_id, vault_address: vault });
  }

  /** Waits until the chain's present head is indexed. By number: a fork of the same height must be awaited by its rollback. */
  async indexed(): Promise<void> {
    const head = Number(await this.chain.client.getBlockNumber());
    let last: unknown;
    const isThere = async () => {
      const { chains } = await this.call(ListChains, {});
      last = chains;
      if (chains[0]?.indexed_block !== head) return false;
      await this.detail(this.protocol.vault.address);
      return true;
    };
    const answers = () =>
      isThere().catch((error: unknown) => {
        last = error;
        return false;
      });
    await until(`block ${head} is indexed`, answers).catch((error: Error) => {
      throw new Error(`${error.message}; last heard: ${inspect(last)}`);
    });
  }

  /** The whole log, read page by page. */
  async log(limit = 500): Promise<LogEntry[]> {
    const all: LogEntry[] = [];
    for (;;) {
      const after_seq = all.at(-1)?.seq ?? 0;
      const { entries, head_seq } = await this.call(ListLogEntries, { chain_id, after_seq, limit });
      all.push(...entries);
      if (entries.length === 0 || entries.at(-1)?.seq === head_seq) return all;
    }
  }

  /** Everything of one event that the bus holds, in the order of the stream. */
  async #onBus<E extends DurableEvent>(stream: StreamDefinition, event: E): Promise<EventData<E>[]> {
    const seen: EventData<E>[] = [];
    const following = await followStream(this.durable, {
      stream,
      events: [event],
      from: 'start',
      onMessage: ({ data }) => void seen.push(data as EventData<E>),
    });
    await following.caughtUp;
    await following.stop();
    return seen;
  }

  audited = () => this.#onBus(AuditStream, AuditRecorded);
  auditTypes = async () => (await this.audited()).map(({ action_type }) => action_type);
  signals = () => this.#onBus(AlertSignalStream, AlertSignalled);
  /** Up to where the readers of the log were woken, in the order of the wake-ups. */
  wokenTo = async () => (await this.#onBus(ChainStream, LogGrew)).map(({ head_seq }) => head_seq);
}
