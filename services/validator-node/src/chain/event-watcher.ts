import {
  decodeProtocolLog,
  findForkPoint,
  isRpcUnavailable,
  isStatePruned,
  newRange,
  type RangeState,
  readHeader,
  readLogs,
  requireHeader,
  type StoredBlock,
  superVaultAggregatorAbi,
} from '@castellan/chain';
import type { Address, PublicClient } from 'viem';
import type { Clock } from '../ports.ts';
import { DueLogs } from './due-logs.ts';
import { pollLoop } from './poll-loop.ts';
import type { Head } from './shared-head.ts';

/** A price that went through the oracle (`validated`) or was stored by the aggregator (`stored`). Times in chain seconds. */
export type PriceEvent = {
  kind: 'validated' | 'stored';
  /** Lower case. */
  strategy: Address;
  blockNumber: bigint;
  /** Of the block, not the signed one. */
  blockSeconds: number;
};

/** What survives a restart and a reorg: settled times, and blocks and events that may still go. */
export type WatchState = {
  /** Ends of what was read, ascending: the last is the cursor, the others show where a fork begins. */
  blocks: readonly StoredBlock[];
  events: readonly PriceEvent[];
  /** Newest times below `events`, by kind and strategy. */
  settled: Readonly<Record<string, number>>;
};

export type WatchStore = {
  read(chainId: number): Promise<WatchState | null>;
  write(chainId: number, state: WatchState): Promise<void>;
};

export type WatchEvent =
  /** Newest such event of the canonical chain; null when a reorg left none. Emitted at the start, too. */
  | {
      type: 'price_event';
      kind: PriceEvent['kind'];
      chainId: number;
      strategy: Address;
      blockSeconds: number | null;
      /** Of the head when it was emitted: an age is a difference of two times of the same clock. */
      headSeconds: number;
    }
  | { type: 'chain_reorg'; chainId: number; from: bigint }
  | { type: 'watch_failed'; chainId: number; error: unknown };

export type EventWatcherOptions = {
  chainId: number;
  client: PublicClient;
  head: () => Promise<Head>;
  aggregator: Address;
  oracle: Address;
  store: WatchStore;
  clock: Clock;
  pollMs: number;
  /**
   * Blocks that may still be reorganised away. Without a stored cursor, so many are read back, and the aggregator says what
   * is older: any node still has the state of a block so young.
   */
  keepBlocks: bigint;
  emit: (event: WatchEvent) => void;
};

const keyOf = (kind: PriceEvent['kind'], strategy: string): string => `${kind}:${strategy}`;

/** Newest time by kind and strategy. */
export function newestTimes({ events, settled }: WatchState): Map<string, number> {
  const newest = new Map(Object.entries(settled));
  for (const { kind, strategy, blockSeconds } of events) newest.set(keyOf(kind, strategy), blockSeconds);
  return newest;
}

/** The state with more of the chain; what is deeper than `keepBlocks` is settled. */
export function advance(
  state: WatchState,
  { end, events }: { end: StoredBlock; events: readonly PriceEvent[] },
  keepBlocks: bigint,
): WatchState {
  const floor = end.number - keepBlocks;
  const settled = { ...state.settled };
  const kept: PriceEvent[] = [];
  for (const event of [...state.events, ...events]) {
    if (event.blockNumber > floor) kept.push(event);
    else settled[keyOf(event.kind, event.strategy)] = event.blockSeconds;
  }
  return { blocks: [...state.blocks.filter(({ number }) => number > floor), end], events: kept, settled };
}

/** The state as it was at `block`, which is still on the chain. */
export const rollBack = (state: WatchState, block: StoredBlock): WatchState => ({
  ...state,
  blocks: state.blocks.filter(({ number }) => number <= block.number),
  events: state.events.filter(({ blockNumber }) => blockNumber <= block.number),
});

/** Follows the prices of one chain from a stored cursor, through reorgs, and says when the newest of a strategy changes. */
export class EventWatcher {
  readonly #options: EventWatcherOptions;
  readonly #loop: ReturnType<typeof pollLoop>;
  #state: WatchState | null = null;
  #stored: WatchState | null = null;
  #emitted = new Map<string, number>();
  #range: RangeState = newRange();
  readonly #due: DueLogs;

  constructor(options: EventWatcherOptions) {
    this.#options = options;
    const { clock, pollMs, chainId, emit, aggregator, oracle } = options;
    this.#due = new DueLogs([aggregator, oracle], clock);
    this.#loop = pollLoop({
      clock,
      run: async () => {
        try {
          await this.poll();
        } catch (error) {
          emit({ type: 'watch_failed', chainId, error });
        }
        return pollMs;
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Reads up to the head. @throws when the chain or the store does not answer; the next call goes on where this one was. */
  async poll(): Promise<void> {
    const { store, chainId } = this.#options;
    const newest = await this.#options.head();
    const { number: head, hash } = newest;
    const headSeconds = Number(newest.timestamp);
    const isDue = this.#due.isDue(newest, this.#range);
    if (this.#state === null) {
      this.#state = (await store.read(chainId)) ?? (await this.#begin(head));
      this.#emitNewest(this.#state, headSeconds);
    }
    // The head that was read is the head still.
    let state = this.#state;
    if (!isDue || state.blocks.at(-1)?.hash === hash) return;
    for (let next = await this.#step(state, head); next !== null; next = await this.#step(state, head)) {
      if (this.#isWorthStoring(next)) {
        await store.write(chainId, next);
        this.#stored = next;
      }
      state = next;
      this.#state = next;
      this.#emitNewest(next, headSeconds);
      if (next.blocks.at(-1)?.hash === hash) return this.#due.read(head);
    }
  }

  /** Blocks without a price that are read again at the next start cost it little, and are not written one by one. */
  #isWorthStoring({ blocks, events, settled }: WatchState): boolean {
    const stored = this.#stored;
    const before = stored?.blocks.at(-1)?.number;
    const now = blocks.at(-1)?.number;
    if (stored === null || before === undefined || now === undefined || now < before) return true;
    const isSame = events.length === stored.events.length && events.at(-1) === stored.events.at(-1);
    const isSettled = Object.keys(settled).every((key) => settled[key] === stored.settled[key]);
    return !isSame || !isSettled || now - before >= this.#options.keepBlocks / 4n;
  }

  /** The next part of the chain, or null at the head. */
  async #step(state: WatchState, head: bigint): Promise<WatchState | null> {
    const { client, aggregator, oracle } = this.#options;
    const cursor = state.blocks.at(-1);
    if (cursor === undefined) return this.#begin(head);
    // A fork that is not longer than what was read is seen by its hash alone, a longer one by the parent of what is read next.
    if (head <= cursor.number) return (await this.#fork(state, cursor)) ?? null;
    const chunk = await readLogs({
      client,
      addresses: [oracle, aggregator],
      range: this.#range,
      fromBlock: cursor.number + 1n,
      toBlock: head,
      expectedParent: cursor.hash,
    });
    if (chunk.kind === 'reorg') return (await this.#fork(state, cursor)) ?? null;
    this.#range = chunk.range;
    const events = chunk.logs.flatMap((log) => {
      const isOracle = log.address.toLowerCase() === oracle.toLowerCase();
      const { name, args } = decodeProtocolLog(log, () => (isOracle ? 'oracle' : 'aggregator'));
      const kind = name === 'PPSValidated' ? 'validated' : name === 'PPSUpdated' ? 'stored' : null;
      if (kind === null) return [];
      const strategy = String(args.strategy).toLowerCase() as Address;
      return [{ kind, strategy, blockNumber: log.blockNumber, blockSeconds: Number(log.blockTimestamp) } as const];
    });
    return advance(state, { end: chunk.end, events }, this.#options.keepBlocks);
  }

  async #fork(state: WatchState, cursor: StoredBlock): Promise<WatchState | undefined> {
    const { client, chainId, emit } = this.#options;
    if ((await readHeader(client, cursor.number))?.hash === cursor.hash) return undefined;
    const point = await findForkPoint(client, state.blocks);
    emit({ type: 'chain_reorg', chainId, from: point === null ? 0n : point.number + 1n });
    return point === null ? this.#begin(await client.getBlockNumber()) : rollBack(state, point);
  }

  /** Without a cursor: the aggregator knows when each strategy was updated last, up to the block where reading begins. */
  async #begin(head: bigint): Promise<WatchState> {
    const { client, keepBlocks } = this.#options;
    const number = head > keepBlocks ? head - keepBlocks : 0n;
    const { hash } = await requireHeader(client, number);
    return { blocks: [{ number, hash }], events: [], settled: await this.#storedTimes(number) };
  }

  async #storedTimes(blockNumber: bigint): Promise<Record<string, number>> {
    const { client, aggregator } = this.#options;
    const contract = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber } as const;
    try {
      const strategies = await client.readContract({ ...contract, functionName: 'getAllSuperVaultStrategies' });
      const times = await Promise.all(
        strategies.map(async (strategy) => {
          const time = await client.readContract({
            ...contract,
            functionName: 'getLastUpdateTimestamp',
            args: [strategy],
          });
          return [strategy.toLowerCase(), Number(time)] as const;
        }),
      );
      const known = times.filter(([, time]) => time > 0);
      return Object.fromEntries(
        known.flatMap(([strategy, time]) => [
          [keyOf('stored', strategy), time],
          [keyOf('validated', strategy), time],
        ]),
      );
    } catch (error) {
      if (isRpcUnavailable(error) && !isStatePruned(error)) throw error;
      // The aggregator is younger than the block, or the node keeps no state so old: what comes next is heard.
      return {};
    }
  }

  #emitNewest(state: WatchState, headSeconds: number): void {
    const { chainId, emit } = this.#options;
    const newest = newestTimes(state);
    for (const key of new Set([...newest.keys(), ...this.#emitted.keys()])) {
      const blockSeconds = newest.get(key) ?? null;
      if ((this.#emitted.get(key) ?? null) === blockSeconds) continue;
      const [kind, strategy] = key.split(':') as [PriceEvent['kind'], Address];
      emit({ type: 'price_event', kind, chainId, strategy, blockSeconds, headSeconds });
    }
    this.#emitted = newest;
  }
}
