import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
import { LRUCache } from 'lru-cache';
import { AssetLog } from '../domain/asset-log.ts';
import type { BenchmarkSource } from '../domain/benchmark.ts';
import { assetSubject, blocksSubject, type Fact, NATIVE, STATE_OBSERVED, vaultSubject } from '../domain/facts.ts';
import { beginHistory, fold } from '../domain/fold.ts';
import type { VaultHistory } from '../domain/history.ts';
import type { Moment } from '../domain/moment.ts';
import { countUntil, isoOf, secondsOf } from '../domain/timeline.ts';
import type { CursorDocument } from '../models/collections.ts';
import type { AnalyticsMetrics } from '../telemetry.ts';
import type { Asked, Histories } from '../use-cases/ports.ts';
import type { ProjectionStore } from './projection-store.mongo.ts';

/** Memory of a fact once it is folded, measured with 200 holders and facts of all kinds. */
export const BYTES_PER_FACT = 433;
/** About 15 ms. */
const FACTS_A_TURN = 5_000;
const BUSY_RETRY_MS = 50;
/** Three seconds: longer than the projector rests between two looks at a quiet log. */
const BUSY_TRIES = 60;

type Place = { block: number; time: number };
type Blocks = { seq: number; blocks: number[]; times: number[] };
type Prices = { seq: number; log: AssetLog };
type Known = { seq: number; facts: number; hasTerms: boolean; history: VaultHistory };
type ChainMemory = {
  generation: number;
  blocks: Blocks;
  assets: Map<string, Prices>;
  /** Times of blocks that no entry is of. */
  quietBlocks: LRUCache<number, number>;
  /** Loads of one subject wait for each other. */
  queues: Map<string, Promise<unknown>>;
};

const emptyMemory = (generation: number): ChainMemory => ({
  generation,
  blocks: { seq: 0, blocks: [], times: [] },
  assets: new Map(),
  quietBlocks: new LRUCache({ max: 10_000 }),
  queues: new Map(),
});

/** Folds facts into a history that nobody reads yet, and lets others have their turn in between. */
async function foldInTurns(history: VaultHistory, facts: readonly Fact[]): Promise<void> {
  for (let at = 0; at < facts.length; at += FACTS_A_TURN) {
    for (const fact of facts.slice(at, at + FACTS_A_TURN)) fold(history, fact);
    await nextTurn();
  }
}

export type HistoriesDeps = {
  store: ProjectionStore;
  metrics: AnalyticsMetrics;
  /** Chain time of a block, seconds. */
  blockTime: (chainId: number, block: number) => Promise<number>;
  /** Whether the indexer knows this chain. */
  isKnownChain: (chainId: number) => Promise<boolean>;
  /** A benchmark of the operator's own for the vaults of an asset, anew for each history; undefined where there is none. */
  configured?: ((chainId: number, asset: string) => BenchmarkSource | undefined) | undefined;
  /** Memory for the histories of all vaults, of all chains together. */
  memoryBytes: number;
};

/** Histories folded from the projections, kept in memory and brought up to date at each read. */
export class MemoryHistories implements Histories {
  readonly #deps: HistoriesDeps;
  readonly #chains = new Map<number, ChainMemory>();
  readonly #vaults: LRUCache<string, Known>;

  constructor(deps: HistoriesDeps) {
    this.#deps = deps;
    const maxSize = Math.max(1, Math.floor(deps.memoryBytes / BYTES_PER_FACT));
    this.#vaults = new LRUCache({
      maxSize,
      // A vault that is larger than all of it is kept alone: without that, each read would fold it again.
      sizeCalculation: ({ facts }) => Math.min(Math.max(1, facts), maxSize),
      dispose: (_known, _key, reason) => reason === 'evict' && deps.metrics.evictions.inc(),
    });
  }

  async momentOf(asked: Asked): Promise<Moment> {
    for (let tries = 0; tries < BUSY_TRIES; tries += 1) {
      const cursor = await this.#readyCursor(asked.chain_id);
      const waits = tries < BUSY_TRIES - 1 && (await this.#isComing(asked, cursor, tries === 0));
      if (!waits && !cursor.busy && cursor.tip !== null) {
        const moment = await this.#momentAt(asked, cursor, cursor.tip);
        const after = await this.#deps.store.cursor(asked.chain_id);
        // Facts were taken away while they were read: what was read is void, and the next try has another generation.
        if (after?.generation === cursor.generation) return moment;
      }
      await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
    }
    throw new AppError(
      'NOT_READY',
      'The history is being rebuilt after a reorganisation of the chain. Try again shortly.',
    );
  }

  /**
   * Loads histories, the longest first, as far as they fit into memory together: nobody waits for the first read of one.
   * @returns how many were loaded.
   */
  async warmUp(log: Pick<Logger, 'warn'>, signal: AbortSignal): Promise<number> {
    const ready = (await this.#deps.store.cursors()).filter(({ caught_up, busy }) => caught_up && !busy);
    const ofChains = ready.map(async (cursor) =>
      (await this.#deps.store.vaults(cursor)).map((vault) => ({ ...vault, cursor })),
    );
    const vaults = (await Promise.all(ofChains)).flat().sort((a, b) => b.facts - a.facts);
    let left = this.#vaults.maxSize;
    let loaded = 0;
    for (const { cursor, vault_address, facts } of vaults) {
      if (signal.aborted) break;
      if (facts > left || cursor.tip === null) continue;
      left -= facts;
      const asked = { chain_id: cursor.chain_id, vault_address, at: isoOf(cursor.tip.time) };
      await this.momentOf(asked).then(
        () => (loaded += 1),
        (error: Error) => log.warn('could not load the history of a vault', { ...asked, error }),
      );
    }
    return loaded;
  }

  /**
   * Whether the asked block is there and about to be projected: the vault's detail may be of the block the indexer has just read,
   * and who pins that block waits for it. A block that the chain does not have is refused at once.
   * @param isFirst - The chain is asked once; after that only the projection is looked at.
   */
  async #isComing({ block, chain_id }: Asked, { covered, tip }: CursorDocument, isFirst: boolean): Promise<boolean> {
    const end = covered ?? tip;
    if (block === undefined || end === null || block <= end.block) return false;
    if (!isFirst) return true;
    return this.#deps.blockTime(chain_id, block).then(
      () => true,
      () => false,
    );
  }

  async #readyCursor(chainId: number): Promise<CursorDocument> {
    const cursor = await this.#deps.store.cursor(chainId);
    if (cursor?.caught_up || cursor?.busy) return cursor;
    if (!cursor && !(await this.#deps.isKnownChain(chainId)))
      throw new AppError('CHAIN_NOT_FOUND', `There is no chain ${chainId} here.`);
    throw new AppError('NOT_READY', 'The history of this chain is still being read. Try again shortly.');
  }

  async #momentAt(asked: Asked, cursor: CursorDocument, tip: Place): Promise<Moment> {
    const memory = this.#memoryOf(cursor);
    const history = await this.#historyOf(memory, cursor, asked);
    const { identity } = history;
    const early = () =>
      new AppError('BEFORE_CREATION', `The vault was created in block ${identity.block}, ${isoOf(identity.time)}.`);
    if (asked.block !== undefined && asked.block < identity.block) throw early();
    const { block, time } = await this.#placeOf(memory, cursor, asked, tip);
    if (block < identity.block || time < identity.time) throw early();
    return { history, block, time };
  }

  #memoryOf({ chain_id, generation }: CursorDocument): ChainMemory {
    const known = this.#chains.get(chain_id);
    if (known?.generation === generation) return known;
    this.#forget(chain_id);
    const fresh = emptyMemory(generation);
    this.#chains.set(chain_id, fresh);
    return fresh;
  }

  #forget(chainId: number): void {
    this.#chains.delete(chainId);
    for (const key of [...this.#vaults.keys()]) if (key.startsWith(`${chainId}:`)) this.#vaults.delete(key);
  }

  /** One after the other for each subject, so that no fact is folded twice. */
  #queued<T>(memory: ChainMemory, subject: string, work: () => Promise<T>): Promise<T> {
    const before = memory.queues.get(subject) ?? Promise.resolve();
    const next = before.then(work, work);
    memory.queues.set(
      subject,
      next.catch(() => undefined),
    );
    return next;
  }

  async #placeOf(memory: ChainMemory, cursor: CursorDocument, { at, block }: Asked, tip: Place): Promise<Place> {
    if (at === undefined && block === undefined) return tip;
    const covered = cursor.covered ?? tip;
    const future = () =>
      new AppError(
        'BLOCK_IN_FUTURE',
        `The last indexed block is ${covered.block}, ${isoOf(covered.time)}. Ask for it or an earlier one.`,
      );
    const { blocks, times } = await this.#queued(memory, blocksSubject, () => this.#readBlocks(memory, cursor));
    if (block !== undefined) {
      if (block > covered.block) throw future();
      const index = countUntil(blocks, (number) => number, block) - 1;
      const time = blocks[index] === block ? times[index] : await this.#timeOf(memory, cursor.chain_id, block);
      return { block, time: time as number };
    }
    const time = secondsOf(at as string);
    if (time > covered.time) throw future();
    return { block: blocks[countUntil(times, (item) => item, time) - 1] ?? -1, time };
  }

  /** The time of a block in which nothing happened. */
  async #timeOf({ quietBlocks }: ChainMemory, chainId: number, block: number): Promise<number> {
    const known = quietBlocks.get(block) ?? (await this.#deps.blockTime(chainId, block));
    quietBlocks.set(block, known);
    return known;
  }

  async #readBlocks({ blocks: known }: ChainMemory, cursor: CursorDocument): Promise<Blocks> {
    for (const fact of await this.#newFacts(cursor, blocksSubject, known.seq)) {
      if (fact.block === known.blocks.at(-1)) continue;
      known.blocks.push(fact.block);
      known.times.push(fact.time);
    }
    known.seq = Math.max(known.seq, cursor.after_seq);
    return known;
  }

  async #newFacts(cursor: CursorDocument, subject: string, after: number): Promise<Fact[]> {
    return after >= cursor.after_seq ? [] : this.#deps.store.facts(cursor, subject, after, cursor.after_seq);
  }

  #pricesOf(memory: ChainMemory, cursor: CursorDocument, asset: string): Promise<AssetLog> {
    const subject = assetSubject(asset);
    return this.#queued(memory, subject, async () => {
      const known = memory.assets.get(subject) ?? { seq: 0, log: new AssetLog(asset) };
      for (const fact of await this.#newFacts(cursor, subject, known.seq)) known.log.apply(fact);
      known.seq = Math.max(known.seq, cursor.after_seq);
      memory.assets.set(subject, known);
      return known.log;
    });
  }

  #historyOf(memory: ChainMemory, cursor: CursorDocument, { chain_id, vault_address }: Asked): Promise<VaultHistory> {
    const subject = vaultSubject(vault_address);
    // Of this generation: a load that ends after facts were taken away must not be found any more.
    const key = `${chain_id}:${memory.generation}:${subject}`;
    return this.#queued(memory, subject, async () => {
      const known = this.#vaults.get(key);
      const end = this.#deps.metrics.loads.startTimer({ kind: known ? 'extend' : 'load' });
      const fresh = await this.#newFacts(cursor, subject, known?.seq ?? 0);
      const extended = known && (await this.#extend(memory, cursor, known, fresh));
      const loaded = extended ?? (await this.#load(memory, cursor, subject, known ? undefined : fresh));
      if (!loaded) throw new AppError('VAULT_NOT_FOUND', `There is no vault ${vault_address} on chain ${chain_id}.`);
      this.#vaults.set(key, loaded);
      this.#deps.metrics.histories.set(this.#vaults.size);
      this.#deps.metrics.memory.set(this.#vaults.calculatedSize * BYTES_PER_FACT);
      end();
      return loaded.history;
    });
  }

  /** Folds new facts in. @returns undefined when the history has to be folded anew: its initial terms became known. */
  async #extend(memory: ChainMemory, cursor: CursorDocument, known: Known, fresh: readonly Fact[]) {
    const termsCome =
      !known.hasTerms && fresh.some(({ contract, name }) => contract === null && name === STATE_OBSERVED);
    if (termsCome) return undefined;
    const { asset } = known.history.identity;
    await Promise.all([this.#pricesOf(memory, cursor, asset), this.#pricesOf(memory, cursor, NATIVE)]);
    for (const fact of fresh) fold(known.history, fact);
    return { ...known, facts: known.facts + fresh.length, seq: Math.max(known.seq, cursor.after_seq) };
  }

  async #load(memory: ChainMemory, cursor: CursorDocument, subject: string, read: readonly Fact[] | undefined) {
    const facts = read ?? (await this.#newFacts(cursor, subject, 0));
    const deployed = facts.find(({ name }) => name === 'VaultDeployed');
    if (!deployed) return undefined;
    const address = String(deployed.args.asset).toLowerCase();
    const asset = await this.#pricesOf(memory, cursor, address);
    const native = await this.#pricesOf(memory, cursor, NATIVE);
    const benchmark = this.#deps.configured?.(cursor.chain_id, address) ?? asset.benchmark;
    const history = beginHistory(facts, { asset: asset.prices, native: native.prices, benchmark });
    if (history) await foldInTurns(history, facts);
    const hasTerms = facts.some(({ contract, name }) => contract === null && name === STATE_OBSERVED);
    return history && { history, hasTerms, facts: facts.length, seq: cursor.after_seq };
  }
}
