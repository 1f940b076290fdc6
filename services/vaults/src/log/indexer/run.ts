import {
  type BlockHeader,
  findForkPoint,
  type LogCheck,
  newRange,
  type RangeState,
  requireHeader,
} from '@castellan/chain';
import { errorCodeOf } from '@castellan/contracts';
import { LeaseLost, type Logger, recordedTrace } from '@castellan/service-kit';
import type { PublicClient } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { Block } from '../domain/block.ts';
import { rollbackDraft, touchedBy } from '../domain/log-entry.ts';
import type { BlockStore, ChainStatusStore, LogHead, LogWriter, StatusWriter } from '../ports.ts';
import type { LogMetrics } from '../telemetry.ts';
import { AddressBook, bookEvents } from './address-book.ts';
import { FinalCheck } from './final-check.ts';
import { type IndexerEffect, type IndexerEvent, type IndexerState, plan } from './plan.ts';
import { inReadSpan, inRollbackSpan, inStoreSpan } from './range-spans.ts';
import { EVERY_BLOCK_WITHIN, type RangeRead, readRange } from './read-range.ts';
import type { VaultReadings } from './vault-readings.ts';

/** Blocks in the log that wait for readings to count as indexed; with more of them it moves in larger steps. */
const MOST_COVERED = 1_000;
/** Hashes loaded to recognise a fork without asking the store. */
const RECENT_LOADED = 256;

export type IndexerDeps = {
  chain: KnownChain;
  log: LogWriter;
  blocks: BlockStore;
  status: ChainStatusStore;
  /**
   * Takes back what is kept of the vaults after a rollback; `vaultsLeft` are those that are still on the chain. Returns those that it took
   * away.
   */
  snapshots: {
    rollBack(
      writer: StatusWriter,
      to: { fromBlock: number; vaultsLeft: readonly string[] },
    ): Promise<readonly string[]>;
  };
  refresher: VaultReadings;
  /** Called after each change of the log. */
  onAppended: () => void;
  metrics: LogMetrics;
  logger: Logger;
  /**
   * Counts writes to the vaults: what is written together has a number that was never published before. It outlives the indexer: one that
   * is made again under the same token goes on with it.
   */
  revisions: { last: number };
  initialRange?: RangeState;
};

type ReadEffect = Extract<IndexerEffect, { type: 'read' }>;

const keyOf = ({ from, to, expectedParent, range }: ReadEffect): string =>
  [from, to, expectedParent, range.size, range.max, range.blooms].join();

const blockOf = ({ number, hash, timestamp }: BlockHeader): Block => ({ number, hash, timestamp });

/** One holder's work on one chain: obeys the plan, step by step. A step that throws is answered by `load`. */
export class ChainIndexer {
  readonly #deps: IndexerDeps;
  #book: AddressBook | undefined;
  #head: LogHead;
  #state: IndexerState | undefined;
  #next: IndexerEffect = { type: 'poll' };
  #backfilled = false;
  /** The newest block of whose events all vaults were read since, and the blocks above it that are in the log. */
  #indexed: Block | null = null;
  #covered: Block[] = [];
  /** Later loads know what is unread. */
  #isFirstLoad = true;
  readonly #final: FinalCheck;
  /** The range after the one that is being stored, and which it is. */
  #ahead: { key: string; answer: Promise<RangeRead> } | undefined;
  /** Up to this block an endpoint of its own is read: the others left logs out. */
  #readAgain: { client: PublicClient; to: bigint } | undefined;

  /** @param token - Of the lease: grows with each change of holder. */
  constructor(deps: IndexerDeps, token: number) {
    this.#deps = deps;
    this.#head = { token, seq: 0, rollbacks: [] };
    this.#final = new FinalCheck(deps.chain.config.confirmations);
  }

  get #chainId(): number {
    return this.#deps.chain.config.chainId;
  }

  get #writer(): StatusWriter {
    const { token, rollbacks } = this.#head;
    const { chain, revisions } = this.#deps;
    const branch = rollbacks.at(-1)?.seq ?? 0;
    return { chainId: chain.config.chainId, token, branch, revision: revisions.last };
  }

  /** For the next write to the vaults. It is published with the block that counts as indexed next. */
  #nextWriter(): StatusWriter {
    this.#deps.revisions.last += 1;
    return this.#writer;
  }

  /** Derives everything from the store, so that a crash at any point is repaired by doing the step again. */
  async load(): Promise<void> {
    const { chain, log, blocks, status, snapshots, refresher } = this.#deps;
    const { config } = chain;
    this.#head = await log.takeOver(config.chainId, this.#head.token);
    const stored = await blocks.living(config.chainId, this.#head);
    const tip = stored[0] ?? null;
    await this.#loadBook();
    this.#deps.metrics.beginChain(config.chainId);
    // A crash may have come between a rollback or a new tip and what it means for the snapshots and the status.
    const fromBlock = Number((tip?.number ?? -1n) + 1n);
    const gone = await snapshots.rollBack(this.#nextWriter(), { fromBlock, vaultsLeft: this.#vaultAddresses() });
    const former = await status.get(config.chainId);
    this.#backfilled = former.backfilled === true;
    this.#goOnFrom(former.indexed_block ?? null, stored);
    await this.#setIndexed(tip);
    refresher.announceGone(gone, fromBlock);
    this.#state = {
      startBlock: config.startBlock,
      tip,
      loose: await log.blocksAbove(config.chainId, this.#head, tip?.number ?? -1n),
      recent: new Map(stored.slice(0, RECENT_LOADED).map(({ number, hash }) => [number, hash])),
      head: null,
      range: this.#deps.initialRange ?? newRange(),
    };
    this.#next = { type: 'poll' };
  }

  /** A writer that ended before it had read the vaults of its newest blocks, or long ago, leaves that to this one. */
  #goOnFrom(indexedBlock: number | null, stored: readonly Block[]): void {
    const [tip] = stored;
    const indexed = stored.find(({ number }) => indexedBlock !== null && number <= indexedBlock) ?? tip;
    if (!this.#isFirstLoad || !tip || !indexed) return;
    this.#isFirstLoad = false;
    this.#indexed = indexed;
    this.#covered = stored.filter(({ number }) => number > indexed.number).reverse();
    const held = { from: indexed.number + 1n, readAt: tip.number };
    this.#deps.refresher.holdBack(this.#knownBook().vaults(), held);
  }

  /** Blocks count as indexed up to the first event about a vault that was not read since. @returns whether another one does now. */
  #moveIndexed(tip: Block | null): boolean {
    const before = this.#indexed;
    const unread = this.#deps.refresher.unreadFrom();
    const upTo = unread === null ? this.#covered.length : this.#covered.findIndex(({ number }) => number >= unread);
    const counted = this.#covered.splice(0, upTo < 0 ? this.#covered.length : upTo);
    this.#indexed = unread === null ? tip : (counted.at(-1) ?? before);
    return this.#indexed?.hash !== before?.hash;
  }

  /** Publishes the vaults as they are written now. */
  async #setIndexed(tip: Block | null): Promise<void> {
    this.#moveIndexed(tip);
    await this.#deps.status.setIndexed(this.#writer, this.#indexed);
  }

  async #loadBook(): Promise<void> {
    const { chain, log } = this.#deps;
    this.#book = new AddressBook(await chain.contracts(), chain.config.vaults, await chain.feeds());
    this.#book.learnEntries(await log.livingNamed(chain.config.chainId, this.#head, bookEvents));
  }

  /** Does one step. @returns `rest` when there is nothing to do until the chain moves. */
  async step(): Promise<'more' | 'rest'> {
    if (!this.#state) await this.load();
    const state = this.#state;
    if (!state) throw new Error('The indexer has no state after loading.');
    const effect = this.#next;
    try {
      const event = await this.#obey(effect, state);
      const planned = plan(state, event);
      this.#state = planned.state;
      this.#next = planned.effect;
      return effect.type === 'rest' ? 'rest' : 'more';
    } catch (error) {
      this.#state = undefined;
      this.#ahead = undefined;
      // Whatever failed, no endpoint is insisted on.
      this.#readAgain = undefined;
      const code = error instanceof LeaseLost ? 'LOG_MOVED' : (errorCodeOf(error) ?? 'INTERNAL');
      this.#deps.metrics.failures.inc({ chain_id: String(this.#deps.chain.config.chainId), code });
      throw error;
    }
  }

  #obey(effect: IndexerEffect, state: IndexerState): Promise<IndexerEvent> {
    switch (effect.type) {
      case 'poll':
        return this.#poll(state);
      case 'read':
        return this.#read(effect);
      case 'seek_fork':
        return this.#seekFork(effect.upTo);
      case 'store':
        return inStoreSpan(this.#chainId, effect, () => this.#store(effect, state));
      case 'roll_back':
        return inRollbackSpan(this.#chainId, effect, () => this.#rollBack(effect));
      case 'read_again':
        return this.#takeBack(effect);
      case 'rest':
        return this.#rest(effect.tip);
    }
  }

  async #poll({ tip }: IndexerState): Promise<IndexerEvent> {
    const { chain, status, metrics } = this.#deps;
    const number = await chain.client.getBlockNumber({ cacheTime: 0 });
    const head = blockOf(await requireHeader(chain.client, number));
    await status.setHead(this.#writer, head);
    const labels = { chain_id: String(chain.config.chainId) };
    metrics.lagBlocks.set(labels, Math.max(0, Number(head.number - (tip?.number ?? chain.config.startBlock))));
    metrics.lagSeconds.set(labels, tip ? Math.max(0, Number(head.timestamp - tip.timestamp)) : 0);
    return { type: 'polled', head };
  }

  async #read(effect: ReadEffect): Promise<IndexerEvent> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return { type: 'read', answer: await (ahead?.key === keyOf(effect) ? ahead.answer : this.#readRange(effect)) };
  }

  #readRange(effect: ReadEffect): Promise<RangeRead> {
    const { from, to, expectedParent, range } = effect;
    const { chain, metrics } = this.#deps;
    const { config } = chain;
    const client = this.#readAgain && from <= this.#readAgain.to ? this.#readAgain.client : chain.client;
    const onCheck = (check: LogCheck) => metrics.observeLogCheck(config.chainId, check);
    const book = this.#knownBook();
    return inReadSpan(config.chainId, effect, () =>
      readRange({ client, book, from, to, expectedParent, range, onCheck }),
    );
  }

  /** Begins to read what comes after a range while that is stored. */
  #readAhead(state: IndexerState, stored: Extract<IndexerEvent, { type: 'stored' }>): void {
    const { effect } = plan(state, stored);
    if (effect.type !== 'read') return;
    const answer = this.#readRange(effect);
    // The step that takes it gets the error; when none does, it does not matter.
    answer.catch(() => undefined);
    this.#ahead = { key: keyOf(effect), answer };
  }

  #knownBook(): AddressBook {
    if (!this.#book) throw new Error('The indexer reads before it has loaded its address book.');
    return this.#book;
  }

  #vaultAddresses(): string[] {
    return this.#knownBook()
      .vaults()
      .map(({ vault }) => vault);
  }

  async #seekFork(upTo: bigint): Promise<IndexerEvent> {
    const { chain, blocks } = this.#deps;
    const stored = await blocks.living(chain.config.chainId, this.#head);
    const candidates = stored.filter(({ number }) => number <= upTo);
    return { type: 'fork_sought', newest: candidates[0] ?? null, fork: await findForkPoint(chain.client, candidates) };
  }

  /** @param isHead - Entries of the past carry no trace: who follows them would record all its work, whatever is sampled. */
  async #append(drafts: Parameters<LogWriter['append']>[2], isHead = true): Promise<void> {
    const { chain, log, metrics, onAppended } = this.#deps;
    const trace = isHead ? recordedTrace() : undefined;
    const { head, appended } = await log.append(chain.config.chainId, this.#head, drafts, trace);
    this.#head = head;
    for (const { kind } of appended) metrics.entries.inc({ chain_id: String(chain.config.chainId), kind });
    if (appended.length > 0) onAppended();
  }

  /**
   * Entries, then what is read of the vaults they touch, then the blocks, which move the tip. Readings that are late come with a later
   * block: the log goes on, and the block counts as indexed when they are kept, so that a role that an event took away is gone by then.
   * Any prefix of this can be done again.
   */
  async #store(
    { answer, isHead }: Extract<IndexerEffect, { type: 'store' }>,
    state: IndexerState,
  ): Promise<IndexerEvent> {
    const { chain, log, refresher } = this.#deps;
    const stored = { type: 'stored', end: answer.end, blocks: answer.blocks, range: answer.range } as const;
    this.#readAhead(state, stored);
    await this.#append(answer.drafts, isHead);
    const vaults = this.#knownBook().vaults();
    const touched = touchedBy(answer.drafts);
    if (!isHead) refresher.noteEvents(touched, answer.end);
    const due = isHead ? await refresher.readDue(vaults, answer.end, touched) : undefined;
    // Observations belong to a block that is still being stored: once it is covered, nothing is added to it.
    await this.#append(due?.observations ?? []);
    if (due && due.count > 0) await due.commit(this.#nextWriter());
    const checkpoint = answer.end.number - answer.from >= EVERY_BLOCK_WITHIN;
    await log.cover(chain.config.chainId, this.#head, answer.blocks, { checkpoint });
    this.#covered = [...this.#covered, ...answer.blocks].slice(-MOST_COVERED);
    await this.#setIndexed(answer.end);
    due?.announce();
    this.#final.note(answer);
    return stored;
  }

  /** Keeps snapshots young while the chain stands still, and what came late. */
  async #freshen(tip: Block): Promise<void> {
    const due = await this.#deps.refresher.readDue(this.#knownBook().vaults(), tip);
    if (due.count > 0) await due.commit(this.#nextWriter());
    else if (!this.#moveIndexed(tip)) return;
    await this.#setIndexed(tip);
    due.announce();
  }

  async #rollBack({ fromBlock, fork, oldTip }: Extract<IndexerEffect, { type: 'roll_back' }>): Promise<IndexerEvent> {
    const { chain, snapshots, refresher, metrics, logger } = this.#deps;
    const { chainId } = chain.config;
    logger.warn('chain reorganised', { chainId, fromBlock, oldTip: oldTip.number });
    await this.#append([rollbackDraft(Number(fromBlock), fork, oldTip)]);
    metrics.reorgs.inc({ chain_id: String(chainId) });
    await this.#loadBook();
    const to = { fromBlock: Number(fromBlock), vaultsLeft: this.#vaultAddresses() };
    const gone = await snapshots.rollBack(this.#nextWriter(), to);
    refresher.forget(fromBlock);
    refresher.holdBack(this.#knownBook().vaults(), { from: fromBlock, readAt: fromBlock - 1n });
    this.#covered = this.#covered.filter(({ number }) => number < fromBlock);
    if (this.#indexed && this.#indexed.number >= fromBlock) this.#indexed = fork;
    await this.#setIndexed(fork);
    refresher.announceGone(gone, to.fromBlock);
    this.#final.forgetFrom(fromBlock);
    return { type: 'rolled_back', fork };
  }

  /** A block that lacks logs is no fork, and is mended as one: consumers know what to do about it. */
  async #takeBack({ from, oldTip }: Extract<IndexerEffect, { type: 'read_again' }>): Promise<IndexerEvent> {
    const { chain, blocks } = this.#deps;
    const stored = await blocks.living(chain.config.chainId, this.#head);
    const fork = stored.find(({ number }) => number < from) ?? null;
    const fromBlock = fork === null ? chain.config.startBlock : fork.number + 1n;
    return this.#rollBack({ type: 'roll_back', fromBlock, fork, oldTip });
  }

  /** The first final block of which another endpoint has logs that are not in the log. */
  async #missingLogs(tip: Block): Promise<bigint | null> {
    const { chain, metrics, logger } = this.#deps;
    const { chainId } = chain.config;
    const verdict = await this.#final.check(this.#knownBook().addresses(), tip.number);
    if (verdict === null) return null;
    metrics.finalChecks.inc({ chain_id: String(chainId), result: verdict.result });
    if (verdict.result !== 'more') return null;
    logger.error('final blocks lack logs that another endpoint has', { chainId, block: verdict.missing });
    this.#readAgain = { client: verdict.witness, to: tip.number };
    return verdict.missing;
  }

  async #rest(tip: Block | null): Promise<IndexerEvent> {
    const { chain, status, refresher, logger } = this.#deps;
    if (tip !== null) {
      const missing = await this.#missingLogs(tip);
      if (missing !== null) return { type: 'logs_missing', block: missing };
      await this.#freshen(tip);
      const vaults = this.#knownBook().vaults();
      if (!this.#backfilled && refresher.isComplete(vaults)) {
        await status.setBackfilled(this.#writer);
        this.#backfilled = true;
        logger.info('chain indexed up to its head', {
          chainId: chain.config.chainId,
          block: tip.number,
          seq: this.#head.seq,
          vaults: vaults.length,
        });
      }
    }
    return { type: 'rested' };
  }
}
