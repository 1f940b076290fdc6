import { chainClient, loadChains } from '@castellan/chain';
import { AuditRecorded, type Caller, type PreparedCall, type VaultUpdate } from '@castellan/contracts';
import {
  connectMongo,
  createLogger,
  createRegistry,
  ensureIndexes,
  type RecordWith,
  recorder,
} from '@castellan/service-kit';
import { manualClock, startTestStore, type TestStore } from '@castellan/testkit';
import type { Connection } from 'mongoose';
import { type Address, getAddress, type Hex } from 'viem';
import { type Protocol, setUp, TestChain, who } from '../../../packages/protocol/test/test-chain.ts';
import type { KnownChain } from '../src/chains/chain-directory.ts';
import { rpcSimulation } from '../src/chains/simulation.rpc.ts';
import { rpcTransactions } from '../src/chains/transactions.rpc.ts';
import type { ChangeState, PreparedDraft } from '../src/prepared-calls/changes/domain/change.ts';
import { signerPackager } from '../src/prepared-calls/signers/signer.ts';
import { mongoPrepared } from '../src/prepared-calls/tracking/adapters/prepared-store.mongo.ts';
import { broadcastPrepared } from '../src/prepared-calls/tracking/use-cases/broadcast-prepared.ts';
import { keepPrepared } from '../src/prepared-calls/tracking/use-cases/keep-prepared.ts';
import { getPrepared, listPrepared } from '../src/prepared-calls/tracking/use-cases/read-prepared.ts';
import { depositorTracker, trackCalls } from '../src/prepared-calls/tracking/use-cases/tracker.ts';
import type { Snapshot } from '../src/vault/adapters/snapshot-store.mongo.ts';

/** Prepared calls over a real chain and a real store. A call's effect is an allowance of a token, which anybody may give. */

export const chain_id = 31_337;
export const preparedSeconds = 1800;
export const callerOf = (wallet: string | undefined, more: Partial<Caller> = {}): Caller | undefined =>
  wallet === undefined ? undefined : { wallet_address: wallet, sid: 'test', issuer: 'test', ...more };

type AuditEvent = { id: string; action_type: string; actor_wallet: string | null; details: Record<string, unknown> };

export class PreparedWorld {
  readonly #undo: (() => Promise<unknown>)[] = [];
  readonly clock = manualClock(Date.parse('2026-03-01T00:00:00Z'));
  /** Audit rows in the outbox, by message id, and how often each was added. */
  readonly audited = new Map<string, AuditEvent>();
  readonly added: string[] = [];
  readonly updates: VaultUpdate[] = [];
  /** Set, it is thrown once a change is written: the process dies before its transaction is committed. */
  outboxFault: Error | undefined;
  #ids = 0;
  chain!: TestChain;
  protocol!: Protocol;
  store!: TestStore;
  mongo!: Connection;
  known!: KnownChain;

  static async start(): Promise<PreparedWorld> {
    const world = new PreparedWorld();
    try {
      await world.#start();
    } catch (error) {
      await world.stop();
      throw error;
    }
    return world;
  }

  async #start(): Promise<void> {
    this.chain = await TestChain.start();
    this.#undo.push(() => this.chain.stop());
    this.protocol = await setUp(this.chain);
    this.store = await startTestStore();
    this.#undo.push(() => this.store.stop());
    const { uri, database } = this.store;
    this.mongo = await connectMongo({ uri, database, registry: createRegistry('test') });
    this.#undo.push(() => this.mongo.close());
    const { governor, aggregator, oracle } = this.protocol;
    const [config] = loadChains(
      JSON.stringify([
        {
          chain_id,
          slug: 'anvil',
          name: 'Anvil',
          rpc_urls: [this.chain.anvil.rpcUrl],
          governor: governor.address,
          aggregator: aggregator.address,
          pps_oracle: oracle.address,
          start_block: 0,
          block_time_seconds: 1,
          confirmations: 2,
          observation_cadence_seconds: 15,
        },
      ]),
    );
    if (!config) throw new Error('no chain');
    const contracts = { governor: governor.address, aggregator: aggregator.address, ppsOracle: oracle.address };
    this.known = {
      config,
      client: chainClient(config, { batchSize: 0 }),
      contracts: async () => contracts as never,
      feeds: async () => [],
    };
    void this.ports.prepared;
    await ensureIndexes(this.mongo);
  }

  async stop(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) await undo();
  }

  get ports() {
    const { mongo, known, clock, protocol } = this;
    const snapshot = {
      chain_id,
      vault: protocol.vault.address.toLowerCase(),
      strategy: protocol.strategy.address.toLowerCase(),
      managers: {
        primary: { wallet: who.main.toLowerCase(), grantedBy: null, grantedAt: '' },
        secondary: [{ wallet: who.secondary.toLowerCase(), grantedBy: null, grantedAt: '' }],
      },
    } as unknown as Snapshot;
    return {
      chains: { get: () => known, all: () => [known], isComplete: () => true },
      status: {
        get: async () => {
          const { number, hash } = await this.chain.client.getBlock();
          return { backfilled: true, indexed_block: Number(number), indexed_hash: hash };
        },
      } as never,
      snapshots: {
        get: async (_: number, vault: string) => (vault.toLowerCase() === snapshot.vault ? snapshot : null),
      } as never,
      freshen: async (item: Snapshot) => item,
      directory: { viewers: async () => new Set([who.alice.toLowerCase()]) } as never,
      prepared: mongoPrepared(mongo, this.#recordWith),
      signerOf: signerPackager(() => clock.now()),
      transactions: rpcTransactions(),
      simulation: rpcSimulation(),
      states: {
        read: async (_chain: unknown, _target: unknown, { caller }: { caller: Address }) => {
          const args = [caller, who.bob];
          return {
            wallet: { balance: 0n, allowance: await this.chain.read<bigint>(protocol.asset, 'allowance', args) },
          };
        },
      } as never,
      postConditionOf: ({ request }: { request: PreparedDraft['request'] }) => ({
        description: 'The allowance is there.',
        holds: ({ wallet }: ChangeState) => {
          const actual = String(wallet?.allowance);
          return { ok: actual === (request.args as { amount: string }).amount, actual };
        },
      }),
      stepsOf: (_request: unknown, _target: unknown, { wallet }: ChangeState) => [
        {
          ...this.draft(who.main, 0n).content,
          preconditions: [{ code: 'NOW', ok: true, detail: `${wallet?.allowance}` }],
        },
      ],
      now: clock.now,
      newId: () => this.#newId(),
      preparedSeconds,
      logger: createLogger({ service: 'test', level: 'silent' }),
      traceOfBlock: async () => undefined,
    };
  }

  /** As the outbox records, and noted. */
  readonly #recordWith: RecordWith = async (events, write) => {
    const result = await recorder(this.mongo)(events, async (session) => {
      const written = await write(session);
      if (this.outboxFault) throw this.outboxFault;
      return written;
    });
    if (!result) return result;
    for (const { event, msgId, data } of typeof events === 'function' ? events(result) : events) {
      this.added.push(msgId);
      if (event === AuditRecorded) this.audited.set(msgId, data as AuditEvent);
      else this.updates.push(data as VaultUpdate);
    }
    return result;
  };

  #newId(): string {
    this.#ids += 1;
    return `call-${this.#ids}`;
  }

  /** An allowance of `amount` for bob, or another call. */
  draft(caller: string, amount: bigint, call?: { to: Address; data: Hex }): PreparedDraft {
    const { asset, vault, strategy, aggregator } = this.protocol;
    const data = this.chain.encode(asset, 'approve', [who.bob, amount]);
    return {
      request: { kind: 'deposit_upkeep', args: { amount: String(amount) }, caller: getAddress(caller) },
      target: {
        chainId: chain_id,
        vault: vault.address,
        strategy: strategy.address,
        aggregator: aggregator.address,
        name: 'Test Vault',
      },
      step: 0,
      content: {
        call: { to: asset.address, data, ...call, decoded: { function: 'approve', args: { amount: String(amount) } } },
        description: `Let bob take ${amount}.`,
        preconditions: [],
        changes: [{ field: 'allowance', before: '0', after: String(amount) }],
        postCondition: { description: `Bob may take ${amount}.`, holds: () => ({ ok: true, actual: null }) },
      },
      simulation: { ok: true, revertReason: null },
      mandateWarnings: [],
      forced: false,
      reason: null,
      block: { number: 1n, hash: '0x1', timestamp: 1n },
    };
  }

  /** The same call as one of the caller's own position. */
  ownDraft(caller: string, amount: bigint): PreparedDraft {
    const draft = this.draft(caller, amount);
    return { ...draft, request: { ...draft.request, kind: 'deposit' } as PreparedDraft['request'] };
  }

  async keep(drafts: PreparedDraft[], wallet: string = who.main): Promise<PreparedCall[]> {
    const { number, hash, timestamp } = await this.chain.client.getBlock();
    const atHead = drafts.map((draft, step) => ({ ...draft, step, block: { number, hash, timestamp } }));
    return keepPrepared(this.ports)(atHead, { callerWallet: wallet, requestId: 'request-1' });
  }

  async keepOne(amount: bigint, wallet: string = who.main, call?: { to: Address; data: Hex }): Promise<PreparedCall> {
    const [kept] = await this.keep([this.draft(wallet, amount, call)], wallet);
    if (!kept) throw new Error('nothing was kept');
    return kept;
  }

  /** Sends a call, and leaves it waiting when nothing is mined by itself. */
  async send(
    from: Address,
    { to, data }: { to: string; data: string },
    more: { nonce?: number; fee?: bigint } = {},
  ): Promise<Hex> {
    const hex = (value: bigint | number) => `0x${value.toString(16)}`;
    const { nonce, fee } = more;
    const extra = {
      ...(nonce === undefined ? {} : { nonce: hex(nonce) }),
      ...(fee === undefined ? {} : { maxFeePerGas: hex(fee), maxPriorityFeePerGas: hex(fee) }),
    };
    const params = [{ from, to, data, gas: hex(1_000_000), ...extra }];
    const hash = (await this.chain.client.request({ method: 'eth_sendTransaction', params } as never)) as Hex;
    return hash;
  }

  /** Sends a call and waits until a block has it. */
  async mined(from: Address, call: { to: string; data: string }, more: { fee?: bigint } = {}): Promise<Hex> {
    const hash = await this.send(from, call, more);
    await this.chain.receiptOf(hash);
    return hash;
  }

  async mine(blocks: number): Promise<void> {
    await this.chain.client.mine({ blocks });
  }

  async track(): Promise<number> {
    return (await trackCalls(this.ports, chain_id)) + (await depositorTracker(this.ports, chain_id)());
  }
  reportBroadcast(id: string, tx_hash: string, caller: Caller | null | undefined = callerOf(who.main)) {
    return broadcastPrepared(this.ports)({ id, tx_hash }, caller ?? undefined);
  }
  get(id: string, caller: Caller | null | undefined = callerOf(who.main), recheck = false) {
    return getPrepared(this.ports)({ id, recheck }, caller ?? undefined);
  }
  list(
    params: { status?: never; limit?: number; cursor?: string } = {},
    caller: Caller | null | undefined = callerOf(who.main),
  ) {
    const vault_address = this.protocol.vault.address;
    return listPrepared(this.ports)({ chain_id, vault_address, limit: 100, ...params }, caller ?? undefined);
  }
  async states(id: string): Promise<string[]> {
    return (await this.get(id)).history.map(({ state }) => state);
  }
  /** Kinds of the audit rows of a call, in the order in which they were first added. */
  rows(id: string): string[] {
    return [...this.audited.keys()].filter((key) => key.startsWith(`prepared:${id}:`));
  }
}
