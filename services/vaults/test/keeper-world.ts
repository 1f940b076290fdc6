import { chainClient } from '@castellan/chain';
import {
  ActivateHookConfig,
  CreateHookConfig,
  CreateStrategy,
  GenerateTree,
  GetKeeperRecord,
  GetMerkleJob,
  GetMerkleSync,
  type InputOf,
  type Intent,
  ListHooks,
  ListIntentEvents,
  ListIntents,
  ListStrategies,
  SetStrategyState,
} from '@castellan/contracts';
import { acquireLease, connectMongo, createLogger, createRegistry, recorder } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { expect } from '@jest/globals';
import { type Hex, keccak256 } from 'viem';
import { keyOf, one, person, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { chainDirectory } from '../src/chains/chain-directory.ts';
import { rpcKeeperChain } from '../src/keeper/adapters/chain.rpc.ts';
import { keeperAdapters } from '../src/keeper/compose.ts';
import { signerOf } from '../src/keeper/key.ts';
import type { KeeperChain, KeeperPorts } from '../src/keeper/ports.ts';
import { keeperPass } from '../src/keeper/use-cases/pass.ts';
import { factsReader } from '../src/strategies/adapters/facts-reader.ts';
import { mongoStrategies } from '../src/strategies/adapters/strategies.mongo.ts';
import { chain_id, VaultsSystem } from './harness.ts';

export const limits = {
  ...{ maxFee: 10n ** 12n, bumpAfterBlocks: 3, fulfilsRedemptions: false, redemptionsAtOnce: 20 },
  ...{ maxGas: 5_000_000n, transactionsPerHour: 1_000, vaults: new Set<string>() },
};

/** A vault with two sources of which the first is authorised, 1000 of idle assets, and a keeper that goes pass by pass. */
export class KeeperWorld {
  readonly system: VaultsSystem;
  readonly #undo: (() => Promise<unknown>)[] = [];
  #ports!: KeeperPorts;
  /** Transactions that the node has accepted and that were not waited for yet. */
  readonly #accepted: Hex[] = [];
  token = 0;

  private constructor(system: VaultsSystem) {
    this.system = system;
  }

  static async start(history: Parameters<typeof VaultsSystem.start>[0]): Promise<KeeperWorld> {
    const world = new KeeperWorld(await VaultsSystem.start(history));
    await world.#connect();
    return world;
  }

  async stop(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) await undo();
    await this.system.stop();
  }

  async #connect(): Promise<void> {
    const { config } = this.system;
    const log = createLogger({ service: 'keeper', level: 'silent' });
    const registry = createRegistry('keeper');
    const mongo = await connectMongo({ ...config.mongo, registry });
    this.#undo.push(() => mongo.close());
    const adapters = keeperAdapters({ mongo, log, registry });
    for (const name of ['keeper_vaults', 'keeper_runs', 'strategy_runs']) await mongo.model(name).createIndexes();
    const stopping = new AbortController();
    this.#undo.push(async () => stopping.abort());
    const chains = chainDirectory({
      sources: config.sources,
      connect: (chain) => chainClient(chain, { timeoutMs: 30_000 }),
      onChain: () => undefined,
      log,
      signal: stopping.signal,
    });
    chains.start();
    this.#ports = {
      ...adapters,
      chain: rpcKeeperChain(chains.get(chain_id)),
      signer: await signerOf({ privateKey: keyOf(person(2)) }),
      settings: limits,
      strategies: mongoStrategies(adapters.strategyCollections, recorder(mongo)),
      facts: factsReader(
        { ...adapters, chains, priceMaxAgeSeconds: config.priceMaxAgeSeconds, now: () => new Date() },
        adapters.strategyCollections,
      ),
    };
    const lease = await acquireLease(mongo, {
      name: `keeper:${chain_id}`,
      holder: 'test',
      ttlMs: 3_600_000,
    });
    this.token = lease?.token ?? 0;
  }

  ports(over: Partial<KeeperPorts> & { on?: Partial<KeeperChain> } = {}): KeeperPorts {
    const { on = {}, ...rest } = over;
    const { chain } = this.#ports;
    const send: KeeperChain['send'] = async (raw) => {
      const answer = await chain.send(raw);
      if (answer === 'accepted') this.#accepted.push(keccak256(raw));
      return answer;
    };
    return { ...this.#ports, ...rest, chain: { ...chain, send, ...on } };
  }

  /** The head is indexed, then the keeper goes over it, so often; what it sent is in a block after each. */
  async passes(times = 1, over: Parameters<KeeperWorld['ports']>[0] = {}): Promise<void> {
    for (let pass = 0; pass < times; pass += 1) {
      await this.system.indexed();
      await keeperPass(this.ports(over), this.token).finally(() => this.#mined());
    }
  }

  /** Waits for the blocks of what was sent: the node answers a moment before they are there. */
  async #mined(): Promise<void> {
    for (const hash of this.#accepted.splice(0)) await this.system.chain.receiptOf(hash);
  }

  /** A block more, so that strategies are looked at again. */
  async block(): Promise<void> {
    await this.system.chain.client.mine({ blocks: 1 });
    await this.system.indexed();
  }

  get vault() {
    return { chain_id, vault_address: this.system.protocol.vault.address };
  }

  /** Brings a root onto the chain that authorises deposits into and withdrawals from these sources, and more, through the service. */
  async authorise(
    sources: readonly string[],
    more: readonly { type: string; params: Record<string, string> }[] = [],
  ): Promise<void> {
    const { system } = this;
    const { protocol, chain } = system;
    const { hooks } = await system.call(ListHooks, { chain_id, is_active: true }, who.main);
    const hook = (type: string) => hooks.find(({ hook_type }) => hook_type === type)?.id ?? '';
    const rows = [
      ...sources.flatMap((yield_source) => [
        { hook_id: hook('DEPOSIT'), params: { yield_source, token: protocol.asset.address } },
        { hook_id: hook('WITHDRAWAL'), params: { yield_source, owner: protocol.strategy.address } },
      ]),
      ...more.map(({ type, params }) => ({ hook_id: hook(type), params })),
    ];
    const config = await system.call(CreateHookConfig, { ...this.vault, rows }, who.main);
    await system.call(ActivateHookConfig, { ...this.vault, version: config.version }, who.main);
    const { id } = await system.call(GenerateTree, this.vault, who.main);
    await until('the tree is generated', async () => {
      const { status } = await system.call(GetMerkleJob, { id }, who.main);
      return status === 'completed';
    });
    const { root_hash: root } = await system.call(GetMerkleSync, this.vault, who.main);
    await chain.send(who.main, protocol.aggregator, 'proposeStrategyHooksRoot', [protocol.strategy.address, root]);
    await chain.pass(16 * 60);
    await chain.send(who.main, protocol.aggregator, 'executeStrategyHooksRootUpdate', [protocol.strategy.address]);
    await price(chain, protocol, one);
    await system.indexed();
  }

  /** A strategy of the vault that runs. */
  async run(id: string, over: Partial<InputOf<typeof CreateStrategy>> & { action: object }): Promise<void> {
    const { action, ...rest } = over;
    const draft = {
      ...this.vault,
      id,
      name: id,
      indicators: [],
      rules: { type: 'EXPR', expr: 'vault_free_assets > 500_000_000' },
      max_concurrent: 1,
      ...rest,
      action_config: {
        action: 'DEPOSIT',
        size_expr: 'vault_free_assets - 100_000_000',
        execution_name: id,
        execution_address: this.system.protocol.depositHook.address,
        target_address: this.system.protocol.sources[0].address,
        ...action,
      },
    } as InputOf<typeof CreateStrategy>;
    const { version } = await this.system.call(CreateStrategy, draft, who.main);
    await this.system.call(SetStrategyState, { id, version, target_state: 'RUNNING' }, who.main);
  }

  /** Stops a strategy that runs. */
  async halt(id: string): Promise<void> {
    const found = (await this.system.call(ListStrategies, this.vault, who.main)).strategies.find(
      (item) => item.id === id,
    );
    if (found?.state !== 'RUNNING') return;
    await this.system.call(SetStrategyState, { id, version: found.version, target_state: 'IDLE' }, who.main);
  }

  async intents(strategy_id?: string): Promise<Intent[]> {
    const query = { ...this.vault, ...(strategy_id ? { strategy_id } : {}) };
    return (await this.system.call(ListIntents, query, who.main)).intents;
  }

  /** What the last look at a strategy came to. */
  async look(id: string) {
    const found = await this.ports().runs.get(id);
    return { outcome: found?.outcome, code: found?.code ?? null };
  }

  /** The one intent of a strategy. */
  async only(id: string): Promise<Intent> {
    const intents = await this.intents(id);
    expect(intents).toHaveLength(1);
    return intents[0] as Intent;
  }

  /** What must hold of every refusal: an intent that says why, if there is one, and no transaction. @returns what it says. */
  async refused(id: string, code: string, act: () => Promise<void>): Promise<string> {
    const before = await this.sent();
    await act();
    expect(await this.sent()).toBe(before);
    const [intent] = await this.intents(id);
    if (intent) {
      expect(intent).toMatchObject({ state: 'ABORTED', error_code: code, fills_count: 0 });
      const { events } = await this.system.call(ListIntentEvents, { id: intent.intent_id }, who.main);
      expect(events.at(-1)).toMatchObject({ message_type: 'ABORT', payload: { code, message: expect.any(String) } });
    } else expect(await this.look(id)).toEqual({ outcome: 'blocked', code });
    const { refusals } = await this.system.call(GetKeeperRecord, this.vault, who.main);
    const refusal = refusals.find(({ strategy_id, code: of }) => strategy_id === id && of === code);
    expect(refusal).toMatchObject({ because: expect.any(String) });
    await this.halt(id);
    return refusal?.because ?? '';
  }

  /** Transactions of the keeper that the chain has. */
  sent(): Promise<number> {
    return this.system.chain.client.getTransactionCount({ address: who.secondary });
  }
}
