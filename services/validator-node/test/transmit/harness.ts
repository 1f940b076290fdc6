import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMongo, createLogger, createRegistry, ensureIndexes } from '@castellan/service-kit';
import { freePort, startTestStore, type TestStore } from '@castellan/testkit';
import { feeDefaults } from '@castellan/transactor';
import type { Connection } from 'mongoose';
import {
  type Address,
  createPublicClient,
  createTestClient,
  custom,
  type Hex,
  http,
  numberToHex,
  type PublicClient,
  pad,
  parseGwei,
  RpcRequestError,
  toFunctionSelector,
} from 'viem';
import { type Anvil, devWallet, startAnvil } from '../../../../packages/protocol/src/index.ts';
import type { SignedPrice } from '../../src/ports.ts';
import { TransactionManager } from '../../src/transmit/manager.ts';
import { mongoTransmitStore } from '../../src/transmit/store.mongo.ts';
import {
  type PriceContract,
  type TransmitEvent,
  type TransmitSettings,
  type TransmitStore,
  transmitDefaults,
} from '../../src/transmit/types.ts';

export const about = { epoch: 1, round: 1, digest: pad('0x1') };
export const sink: Address = '0x00000000000000000000000000000000000051aa';

export const settings: TransmitSettings = {
  ...transmitDefaults,
  chainId: 31_337,
  fees: { ...feeDefaults, maxFeeLimit: parseGwei('500'), maxTip: parseGwei('500') },
  finality: { confirmations: 2 },
  maxAgeSeconds: 3_000,
  headLagMs: 0,
  // No step of a test lasts so long: a lease ends where the test says so.
  leaseMs: 120_000,
};

const reorgBlocks = 32n;

/** A chain that mines only when asked, and a store. */
export class World {
  readonly anvil: Anvil;
  readonly mongo: TestStore;
  readonly connection: Connection;
  readonly client: PublicClient;
  readonly test;
  /** Puts what is asked at the same time into one request. */
  readonly #together: PublicClient;
  readonly #folder: string;
  readonly #isOwn: boolean;
  /** Added to the clock. */
  laterMs = 0;
  #accounts = 0;
  /** The head when an account was made: before that it did nothing. */
  readonly #bornAt = new Map<string, Promise<bigint>>();

  private constructor(parts: {
    anvil: Anvil;
    mongo: TestStore;
    connection: Connection;
    folder: string;
    isOwn: boolean;
  }) {
    this.anvil = parts.anvil;
    this.mongo = parts.mongo;
    this.connection = parts.connection;
    this.#folder = parts.folder;
    this.#isOwn = parts.isOwn;
    this.client = rpc(parts.anvil.rpcUrl);
    this.#together = createPublicClient({ transport: http(parts.anvil.rpcUrl, { batch: true }), cacheTime: 0 });
    this.test = createTestClient({ mode: 'anvil', transport: http(parts.anvil.rpcUrl), cacheTime: 0 });
  }

  /** @param given - A chain that runs already and is the caller's to end; a store that ends with the world. */
  static async start({ chain, store }: { chain?: Anvil; store?: TestStore } = {}): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'castellan-transmit-'));
    const own = { port: await freePort(), manual: true, cachePath: join(folder, 'cache') };
    const anvil = chain ?? (await startAnvil(own));
    const mongo = store ?? (await startTestStore());
    const connection = await connect(mongo);
    return new World({ anvil, mongo, connection, folder, isOwn: chain === undefined });
  }

  async stop(): Promise<void> {
    await this.connection.close();
    await this.mongo.stop();
    if (this.#isOwn) await this.anvil.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  now = (): Date => new Date(Date.now() + this.laterMs);

  /** Moves the clock, and that of the store, by which leases end. */
  async pass(ms: number): Promise<void> {
    this.laterMs += ms;
    const earlier = { $set: { expires_at: { $subtract: ['$expires_at', ms] } } };
    await this.connection.collection('leases').updateMany({}, [earlier]);
  }

  /** An account of its own for each test. */
  account() {
    this.#accounts += 1;
    const made = devWallet(this.#accounts);
    this.#bornAt.set(made.address.toLowerCase(), this.client.getBlockNumber({ cacheTime: 0 }));
    return made;
  }

  async mine(blocks = 1): Promise<void> {
    await this.test.mine({ blocks });
  }

  count(address: Address): Promise<number> {
    return this.client.getTransactionCount({ address });
  }

  /** How many transactions of an account wait in the pool. Other tests may have left theirs there. */
  async waiting(address: Address): Promise<number> {
    const { pending } = await this.test.getTxpoolContent();
    const found = Object.entries(pending).find(([from]) => from.toLowerCase() === address.toLowerCase());
    return Object.keys(found?.[1] ?? {}).length;
  }

  /** Calls of the sink from `address`, in order: the data of each. */
  async delivered(address: Address): Promise<Hex[]> {
    return (await this.#sentBy(address)).filter(({ to }) => to === sink.toLowerCase()).map(({ input }) => input);
  }

  /** The data of every transaction an account sent to itself. */
  async emptyData(address: Address): Promise<Hex[]> {
    return (await this.#sentBy(address)).filter(({ to }) => to === address.toLowerCase()).map(({ input }) => input);
  }

  /** Everything `address` sent that is in a block, in order. */
  async #sentBy(address: Address) {
    const head = await this.client.getBlockNumber({ cacheTime: 0 });
    // A reorganisation may bring its first transaction into an earlier block than the head of its birth.
    const first = ((await this.#bornAt.get(address.toLowerCase())) ?? 0n) - reorgBlocks;
    const numbers: bigint[] = [];
    for (let number = first > 0n ? first : 0n; number <= head; number += 1n) numbers.push(number);
    const read = (blockNumber: bigint) => this.#together.getBlock({ blockNumber, includeTransactions: true });
    const blocks = await Promise.all(numbers.map(read));
    return blocks
      .flatMap(({ transactions }) => transactions)
      .filter(({ from }) => from.toLowerCase() === address.toLowerCase());
  }
}

/** @param waitMs - How long a command waits for a store that is away. */
export async function connect(mongo: TestStore, waitMs?: number): Promise<Connection> {
  const connection = await connectMongo({
    uri: mongo.uri,
    database: mongo.database,
    registry: createRegistry('validator-node'),
    ...(waitMs === undefined ? {} : { waitMs }),
  });
  return connection;
}

export const rpc = (url: string, timeout = 60_000): PublicClient =>
  createPublicClient({ transport: http(url, { retryCount: 0, timeout }), cacheTime: 0 });

let prices = 0n;
/** A price that nobody has; its nonce is what the sink is called with. */
export const aPrice = (changes: Partial<SignedPrice> = {}): SignedPrice => {
  prices += 1n;
  return {
    ...{ chainId: 31_337, strategy: pad(numberToHex(0xabc000n + prices), { size: 20 }), nonce: prices },
    ...{ timestamp: BigInt(Math.floor(Date.now() / 1000)), pps: 1_000_000n, signatures: [], signers: [] },
    ...changes,
  };
};
export const dataOf = (batch: readonly SignedPrice[]): Hex =>
  `0x${batch.map(({ nonce }) => numberToHex(nonce, { size: 32 }).slice(2)).join('')}`;

/** Takes what it is set to take; `useless` holds nonces of prices that another landed. */
export const fakeContract = () => {
  const useless = new Set<bigint>();
  const contract: PriceContract = {
    pack: (batch) => ({ to: sink, data: dataOf(batch) }),
    stillUseful: async (batch) => batch.filter(({ nonce }) => !useless.has(nonce)),
    judge: (_receipt, batch) => batch.map(({ strategy }) => ({ strategy, status: 'success', reason: null })),
  };
  return { contract, useless };
};

export type Setup = {
  world: World;
  account?: ReturnType<World['account']>;
  connection?: Connection;
  contract?: PriceContract;
  changes?: Partial<TransmitSettings>;
  rpcs?: readonly PublicClient[];
  holder?: string;
  around?: (store: TransmitStore) => TransmitStore;
  /** How many tellings of state changes fail first. */
  refuseEvents?: number;
};

export type Running = {
  manager: TransactionManager;
  store: TransmitStore;
  events: TransmitEvent[];
  account: ReturnType<World['account']>;
  types(): string[];
};

let holders = 0;

export async function aManager(setup: Setup): Promise<Running> {
  const { world, connection = world.connection, contract = fakeContract().contract } = setup;
  const account = setup.account ?? world.account();
  const used = { ...settings, ...setup.changes };
  holders += 1;
  const real = mongoTransmitStore({
    ...{ connection, chainId: used.chainId, account: account.address, holder: setup.holder ?? `holder-${holders}` },
    leaseMs: used.leaseMs,
  });
  await ensureIndexes(connection);
  const store = setup.around?.(real) ?? real;
  const events: TransmitEvent[] = [];
  let refusals = setup.refuseEvents ?? 0;
  const manager = new TransactionManager({
    ...{ store, rpcs: setup.rpcs ?? [world.client], signer: account, contract, settings: used, now: world.now },
    clock: {
      now: () => performance.now(),
      after: (milliseconds, run) => {
        const timer = setTimeout(run, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    onEvent: (event) => {
      if ('id' in event && refusals > 0) {
        refusals -= 1;
        throw new Error('Not now.');
      }
      events.push(event);
    },
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  return { manager, store, events, account, types: () => events.map(({ type }) => type) };
}

/** Mines and steps until the intent is over. */
export async function finish(world: World, { manager }: Running, key: string, rounds = 12): Promise<string> {
  for (let round = 0; round < rounds; round += 1) {
    await manager.step();
    const state = (await manager.status(key))?.state ?? 'none';
    if (['confirmed', 'failed', 'superseded', 'lost'].includes(state)) return state;
    await world.mine();
  }
  return (await manager.status(key))?.state ?? 'none';
}

export const baseFeeOf = async (world: World): Promise<bigint> =>
  (await world.client.getBlock({ blockTag: 'latest' })).baseFeePerGas ?? 0n;

/** Code that reverts with a custom error, whatever it is called with: the selector stored, its four bytes returned. */
export const revertingCode = (error: string): Hex => `0x63${toFunctionSelector(error).slice(2)}5f526004601cfd`;

/** A node that answers some transactions in words of its own; `refuse` sees the raw transaction. */
export const refusingRpc = (world: World, refuse: (raw: Hex) => string | null): PublicClient =>
  createPublicClient({
    cacheTime: 0,
    transport: custom(
      {
        request: async ({ method, params }) => {
          const message = method === 'eth_sendRawTransaction' ? refuse(params[0]) : null;
          if (message !== null) throw new RpcRequestError({ body: {}, error: { code: -32000, message }, url: '' });
          return world.client.request({ method, params } as never);
        },
      },
      { retryCount: 0 },
    ),
  }) as PublicClient;
