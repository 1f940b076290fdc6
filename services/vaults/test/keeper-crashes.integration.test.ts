import { connectMongo, createLogger, createRegistry } from '@castellan/service-kit';
import { longTests, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import {
  type Address,
  encodeAbiParameters,
  type Hash,
  type Hex,
  keccak256,
  pad,
  parseTransaction,
  toEventSelector,
  zeroHash,
} from 'viem';
import { keyOf, person } from '../../../packages/protocol/test/test-chain.ts';
import { mongoHeartbeats } from '../src/keeper/adapters/heartbeat.mongo.ts';
import { mongoJournal } from '../src/keeper/adapters/journal.mongo.ts';
import { mongoRefusals } from '../src/keeper/adapters/refusals.mongo.ts';
import { signerOf } from '../src/keeper/key.ts';
import type { KeeperChain, KeeperPorts, Receipt } from '../src/keeper/ports.ts';
import { keeperMetrics } from '../src/keeper/telemetry.ts';
import { keeperPass } from '../src/keeper/use-cases/pass.ts';
import { mongoMandates } from '../src/mandates/mandates.mongo.ts';
import { mongoRuns } from '../src/strategies/adapters/runs.mongo.ts';
import { type IntentDocument, mongoIntents } from '../src/strategies/intents/store.mongo.ts';

/**
 * A keeper killed at any step, before or after its effect, and another that goes on: nothing is ever sent twice.
 * A third of the crashes and a quarter of the schedules, always the same ones; all of them, and random schedules, with `LONG_TESTS=1`.
 */

const at = (index: number): Address => person(index).address;
const [vault, strategy, asset, source, hook, oracle, from, redeem] = [70, 71, 72, 73, 74, 75, 76, 77].map(at) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];
const transfer = toEventSelector('Transfer(address,address,uint256)');
const log = (token: Address, from: Address, to: Address, value: bigint) => ({
  address: token,
  topics: [transfer, pad(from), pad(to)] as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
});

/** A chain of one account: what is sent waits for the next block, and may get lost before. */
class FakeChain {
  head = 100;
  readonly mined: { hash: Hash; nonce: number; block: number }[] = [];
  readonly seen = new Set<Hash>();
  #waiting = new Map<number, Hex>();
  readonly #raw = new Map<Hash, Hex>();
  #losses: number;
  readonly chainId: number;
  readonly #action: Action;

  constructor(chainId: number, losses: number, action: Action) {
    this.chainId = chainId;
    this.#losses = losses;
    this.#action = action;
  }

  block(): void {
    this.head += 1;
    for (;;) {
      const raw = this.#waiting.get(this.mined.length);
      if (!raw) return;
      this.#waiting.delete(this.mined.length);
      this.mined.push({ hash: keccak256(raw), nonce: this.mined.length, block: this.head });
    }
  }

  /** The last block leaves the chain; what was in it waits again. */
  reorg(): void {
    const gone = this.mined.filter((item) => item.block === this.head);
    this.mined.splice(this.mined.length - gone.length);
    for (const { hash, nonce } of gone) this.#waiting.set(nonce, this.#raw.get(hash) as Hex);
  }

  port(): KeeperChain {
    const standing = { isManager: true, isPaused: false, isStale: false, expirationSeconds: 86_400 };
    return {
      chainId: this.chainId,
      confirmations: 2,
      blockTimeSeconds: 2,
      head: async () => ({ number: this.head, time: this.head }),
      blockHash: async (block) => `0x${block}`,
      standing: async () => ({ ...standing, priceTime: this.head, headTime: this.head }),
      idle: async () => 0n,
      roots: async () => ({ strategy: zeroHash, global: zeroHash, isVetoed: false }),
      inspect: async () => '0x',
      validate: async () => true,
      quote: async () => 900n,
      claimable: async () => null,
      poolQuote: async () => null,
      simulate: async () => ({ gas: 100_000n }),
      redemptions: async () => [],
      market: async () => ({ baseFee: 10n, tip: 1n }),
      balance: async () => 10n ** 18n,
      l1Fee: async () => 0n,
      minedNonce: async (_account, block = this.head) => this.mined.filter((item) => item.block <= block).length,
      pendingNonce: async () => {
        let nonce = this.mined.length;
        while (this.#waiting.has(nonce)) nonce += 1;
        return nonce;
      },
      send: async (raw) => {
        this.seen.add(keccak256(raw));
        this.#raw.set(keccak256(raw), raw);
        const { nonce = 0 } = parseTransaction(raw);
        if (nonce < this.mined.length) return 'nonce_used';
        if (this.#losses > 0) this.#losses -= 1;
        else this.#waiting.set(nonce, raw);
        return 'accepted';
      },
      receipt: async (hash) => this.#receipt(hash),
    };
  }

  #receipt(hash: Hash): Receipt | null {
    const found = this.mined.find((item) => item.hash === hash);
    if (!found) return null;
    const out = [log(from, strategy, from, 900n), log(asset, from, strategy, 900n)];
    const into = [log(asset, strategy, source, 900n), log(source, oracle, strategy, 890n)];
    const logs = this.#action === 'REBALANCE' ? [...out, ...into] : into;
    return { hash, succeeded: true, blockNumber: found.block, blockTime: found.block, gasUsed: 90_000n, logs };
  }
}

class Killed extends Error {}
type Crash = { step: number; when: 'before' | 'after' };

/** One life of a keeper: every call of a port is a step, at one of which it dies. A dead one does nothing any more. */
class Life {
  steps = 0;
  readonly #crash: Crash | undefined;
  #isDead = false;

  constructor(crash?: Crash) {
    this.#crash = crash;
  }

  guard<T extends object>(port: T): T {
    const entries = Object.entries(port).map(([name, value]) => [
      name,
      typeof value === 'function' ? (...args: unknown[]) => this.#step(() => value.apply(port, args)) : value,
    ]);
    return Object.fromEntries(entries) as T;
  }

  async #step(act: () => unknown): Promise<unknown> {
    if (this.#isDead) throw new Killed();
    this.steps += 1;
    const isLast = this.steps === this.#crash?.step;
    if (isLast) this.#isDead = true;
    if (isLast && this.#crash?.when === 'before') throw new Killed();
    const result = await act();
    if (isLast || this.#isDead) throw new Killed();
    return result;
  }
}

let store: TestStore;
let mongo: Connection;
let signer: KeeperPorts['signer'];
const logger = createLogger({ service: 'keeper', level: 'silent' });
const metrics = keeperMetrics(createRegistry('keeper'));
beforeAll(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ ...store, registry: createRegistry('test') });
  for (const make of [mongoIntents, mongoJournal, mongoRuns]) make(mongo);
  for (const name of ['intents', 'keeper_vaults', 'strategy_runs']) await mongo.model(name).createIndexes();
  signer = await signerOf({ privateKey: keyOf(person(2)) });
});
afterAll(async () => {
  await mongo?.close();
  await store?.stop();
});

type Action = 'DEPOSIT' | 'REBALANCE';

const documentOf = (chainId: number, action: Action) => ({
  _id: `s-${chainId}`,
  version: 1,
  chain_id: chainId,
  vault: vault.toLowerCase(),
  kind: 'USER_DEFINED',
  state: 'RUNNING',
  lane: 'DEPOSIT',
  target: source.toLowerCase(),
  definition: {
    indicators: [],
    rules: { type: 'EXPR', expr: 'vault_free_assets > 0' },
    conviction_config: { mode: 'BINARY', required_ticks: 1 },
    action_config: {
      action,
      size_expr: '900',
      execution_address: hook,
      target_address: source,
      from_address: action === 'REBALANCE' ? from : null,
      execution_params: {},
      max_slippage_bps: 50,
      max_duration_seconds: 300,
    },
    risk_params: { max_amount: null, min_free_assets: null },
    max_concurrent: 1,
    cooldown_ms: 86_400_000,
  },
});

/** Everything around the keeper; its vault always has cash, so that only its own memory keeps it from firing again. */
function portsOf(fake: FakeChain, life: Life, action: Action = 'DEPOSIT'): KeeperPorts {
  const document = documentOf(fake.chainId, action);
  const allocation = [source, from].map((source_address) => ({
    source_address,
    kind: 'source',
    oracle_address: oracle,
    name: 'Source',
  }));
  const detail = { vault_address: vault, strategy_address: strategy, asset: { address: asset }, allocation };
  const engine = { version: 1, kill_switch: false, max_intents_per_minute: 600, max_active_intents: 4 };
  const field = (name: string, solidity_type: string) => ({ name, solidity_type });
  const layout = {
    inspect_params: [{ ...field('yield_source', 'address'), ref_type: 'yield_source', param_order: 0 }],
    calldata: [field('yield_source', 'address'), field('amount', 'uint256'), field('use_prev', 'bool')],
  };
  const known = [
    { name: 'Deposit', hook_type: 'DEPOSIT', address: hook, ...layout },
    { name: 'Redeem', hook_type: 'WITHDRAWAL', address: redeem, ...layout },
  ];
  const facts = () => ({
    ...{ block_number: fake.head, block_hash: `0x${fake.head}`, block_time: fake.head, free: '1000', tvl: '1000' },
    ...{ supply: '1000', pps: '1', pps_precision: '1', queue_count: 0, queue_shares: '0', price: null },
    sources: [source, from].map((address) => ({
      ...{ address: address.toLowerCase(), available: null, apy: null, tvl: null },
      ...{ amount: '900', shares: '900', pps: '1' },
    })),
  });
  return {
    chain: life.guard(fake.port()),
    signer,
    settings: {
      ...{ maxFee: 1_000n, bumpAfterBlocks: 100, fulfilsRedemptions: false, redemptionsAtOnce: 1 },
      ...{ maxGas: 1_000_000n, transactionsPerHour: 100, vaults: new Set() },
    },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { all: async () => [{ chain_id: fake.chainId, vault: vault.toLowerCase(), detail }] },
    strategies: {
      get: async () => document,
      running: async () => [document],
      ofVault: async () => [document],
      orders: async () => ({ DEPOSIT: [], WITHDRAWAL: [document._id], REBALANCE: [] }),
      engine: async () => engine,
      change: async () => null,
    },
    facts: { live: async () => facts() },
    intents: life.guard(mongoIntents(mongo)),
    hooks: async () => known,
    trees: { byRoot: async () => ({ _id: 'tree', nodes: '11'.repeat(32) }), leaf: async () => ({ node: 0 }) },
    log: { livingOfVault: async () => [] },
    queuePlaces: new Map(),
    journal: life.guard(mongoJournal(mongo)),
    runs: life.guard(mongoRuns(mongo)),
    refusals: life.guard(mongoRefusals(mongo)),
    mandates: life.guard(
      mongoMandates(mongo, () => {
        throw new Error('A mandate is malformed.');
      }),
    ),
    heartbeats: life.guard(mongoHeartbeats(mongo)),
    isReleased: async () => true,
    metrics,
    logger,
    now: () => fake.head * 1000,
  } as unknown as KeeperPorts;
}

const intentsOf = (chainId: number): Promise<IntentDocument[]> =>
  mongo.collection<IntentDocument>('intents').find({ chain_id: chainId }).toArray();

let chains = 1_000;

/** Lives one after another, each ended by its crash, then one that is not killed, until nothing moves any more. */
async function live(
  crashes: readonly Crash[],
  { losses = 0, action = 'DEPOSIT' }: { losses?: number; action?: Action } = {},
): Promise<{ fake: FakeChain; steps: number; action: Action }> {
  chains += 1;
  const fake = new FakeChain(chains, losses, action);
  let steps = 0;
  for (const [index, crash] of [...crashes, undefined].entries()) {
    const life = new Life(crash);
    const ports = portsOf(fake, life, action);
    const token = index + 1;
    // The last one needs time for what nodes have lost.
    for (let pass = 0; pass < (crash ? 6 : losses === 0 ? 8 : 14); pass += 1) {
      try {
        if (pass === 0) await ports.journal.claim(chains, token);
        await keeperPass(ports, token);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        break;
      }
      fake.block();
    }
    steps = life.steps;
  }
  return { fake, steps, action };
}

/**
 * The cash is there at each block and the cooldown lasts a day: one transaction is all that may ever be.
 * @returns false when there is none: killed between an intent's end and its cooldown, that counts as spent.
 */
async function expectOnce({ fake, action }: { fake: FakeChain; action: Action }): Promise<boolean> {
  const intents = await intentsOf(fake.chainId);
  expect(fake.mined.length).toBeLessThanOrEqual(1);
  expect([...fake.seen]).toEqual(fake.mined.map(({ hash }) => hash));
  const executed = intents.filter(({ transaction }) => transaction !== null);
  expect(executed).toHaveLength(fake.mined.length);
  if (executed[0])
    expect(executed[0]).toMatchObject({ state: 'COMPLETED', transaction: { hash: fake.mined[0]?.hash } });
  if (executed[0]) expect(executed[0].fills).toHaveLength(action === 'REBALANCE' ? 2 : 1);
  for (const intent of intents.filter(({ transaction }) => transaction === null))
    expect(intent).toMatchObject({ state: 'ABORTED', error_code: 'INTERRUPTED' });
  return executed.length === 1;
}

describe('a keeper that is killed', () => {
  test('default: without a crash the strategy fires once', async () => {
    for (const action of ['DEPOSIT', 'REBALANCE'] as const)
      expect(await expectOnce(await live([], { action }))).toBe(true);
  });

  test('behavior: at any step of its life, before or after its effect, sends once all the same', async () => {
    // A rebalance does all that a deposit does, and more: its steps are those of both.
    const { steps } = await live([], { action: 'REBALANCE' });
    expect(steps).toBeGreaterThan(40);
    const crashes = Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) =>
      (['before', 'after'] as const).map((when) => ({ step, when })),
    );
    // Before a step and after the one before it are the same to the store: every third of all still meets two thirds of the gaps.
    const met = longTests ? crashes : crashes.filter((_, index) => index % 3 === 0);
    for (const [index, crash] of met.entries())
      try {
        const action = index % 4 < 2 ? 'REBALANCE' : 'DEPOSIT';
        expect(await expectOnce(await live([crash], { action }))).toBe(true);
      } catch (error) {
        throw new Error(`killed ${crash.when} step ${crash.step}: ${(error as Error).message}`);
      }
  });

  test('behavior: again and again, while a node loses what it was given, sends once all the same', async () => {
    const crash = fc.record({ step: fc.integer({ min: 1, max: 70 }), when: fc.constantFrom('before', 'after') });
    const schedules = fc.tuple(fc.array(crash, { maxLength: 4 }), fc.integer({ min: 0, max: 3 }));
    await fc.assert(
      fc.asyncProperty(schedules, async ([crashes, losses]) => {
        await expectOnce(await live(crashes as Crash[], { losses, action: losses === 1 ? 'REBALANCE' : 'DEPOSIT' }));
      }),
      longTests ? { numRuns: 60 } : { numRuns: 15, seed: 20_261_122 },
    );
  });
});

describe('a chain that goes back', () => {
  test('behavior: a transaction counts once its block has its confirmations, and the same one is followed to its new block', async () => {
    chains += 1;
    const fake = new FakeChain(chains, 0, 'DEPOSIT');
    const ports = portsOf(fake, new Life());
    await ports.journal.claim(chains, 1);
    const pass = () => keeperPass(ports, 1);
    await pass();
    fake.block();
    await pass();
    expect(await intentsOf(chains)).toMatchObject([{ state: 'EXECUTING', fills: [] }]);
    fake.reorg();
    await pass();
    expect(await intentsOf(chains)).toMatchObject([{ state: 'EXECUTING', fills: [] }]);
    fake.block();
    fake.block();
    await pass();
    expect(await intentsOf(chains)).toMatchObject([{ state: 'COMPLETED', fills: [{ gas_used: '90000' }] }]);
    expect(fake.seen.size).toBe(1);
  });
});
