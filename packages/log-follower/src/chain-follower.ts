import { ChainStream, type EventData, ListChains, LogGrew } from '@castellan/contracts';
import {
  type CallAction,
  type DurableBus,
  type Following,
  followStream,
  type HeldLoop,
  heldLoop,
  inSpan,
  type Logger,
  type Next,
  namedLease,
  PacedLoop,
  SpanKind,
} from '@castellan/service-kit';
import type { Connection } from 'mongoose';

/** Above the longest step; a process that was killed is followed after this. */
const ttlMs = 15_000;
/** Without a bus, and where each block counts: a log is read this often. */
const idleMs = 2_000;
/** How soon a process without the lease notices that the holder is gone, at most. */
const standbyMs = 2_000;
/** The indexer closes a block a moment after its entries are there. */
const closing: Next = { afterMs: 100 };
const retryMs = 1_000;
const retry = { firstMs: retryMs, lastMs: retryMs };

/** What follows a step: another at once, one when the block is whole, or one when the log has grown. */
export type Step = 'more' | 'closing' | 'rest';

/** What a follower of all chains' logs is made of. */
export type ChainFollowerOptions = {
  /** The lease of a chain is called `<purpose>:<chain id>`. */
  purpose: string;
  mongo: Connection;
  callAction: CallAction;
  log: Logger;
  /**
   * How often a log is read that has not grown, in milliseconds: for a wake-up that was lost. Every 2 s by default, for a follower to
   * which a block without entries means something.
   */
  sweepMs?: number;
};

/**
 * Follows the canonical log of every chain, each at its own pace, from the place its subclass has stored, in one process a chain.
 * The lease spares double work and no more. Its token is not handed on, because a follower that was overtaken does no harm
 * without it: everything comes from the log, so what a step writes is the same in whichever process it runs (rows have their
 * place in the log as id), and what is not is written on the condition of the place it was worked out from (a cursor, a
 * revision). A subclass that writes anything else has to fence it.
 */
export abstract class ChainFollower<S extends Step = Step> {
  readonly #options: ChainFollowerOptions;
  readonly #finding: PacedLoop;
  readonly #chains = new Map<number, HeldLoop>();
  #following: Following | undefined;
  #isWoken = false;

  constructor(options: ChainFollowerOptions) {
    const { log } = options;
    this.#options = options;
    this.#finding = new PacedLoop({
      step: () => this.#findChains(),
      pauseMs: 10 * idleMs,
      retry,
      onFailure: (error) => log.debug('the chains are not known yet', { error }),
    });
  }

  /** Reads a page of a chain's log and works it out. @returns what follows. */
  protected abstract readOn(chainId: number): Promise<S>;

  /** A step failed; it is tried again in a second. */
  protected abstract onFailure(chainId: number, error: Error): void;

  /** Runs what a step makes of entries, as a part of the traces in which they were stored. */
  protected inTracesOf<T>(chainId: number, traces: readonly string[] | undefined, work: () => Promise<T>): Promise<T> {
    if (!traces?.length) return work();
    const attributes = { 'castellan.chain_id': chainId };
    return inSpan(
      `follow log for ${this.#options.purpose}`,
      { kind: SpanKind.CONSUMER, causes: traces, attributes },
      work,
    );
  }

  /** The chain is this process's now, or another's. */
  protected onHolding?(chainId: number, isHeld: boolean): void;

  /** Whether chains are known and the last step of each did not fail. */
  get isHealthy(): boolean {
    const loops = [...this.#chains.values()];
    return loops.length > 0 && loops.every(({ isHealthy }) => isHealthy);
  }

  /** @param bus - Wakes the follower when a log grows; without it a log is polled. */
  async start(bus?: DurableBus): Promise<void> {
    if (bus) {
      this.#following = await followStream(bus, {
        stream: ChainStream,
        events: [LogGrew],
        from: 'end',
        onMessage: ({ data }) => this.wake((data as EventData<typeof LogGrew>).chain_id),
      });
      this.#isWoken = true;
    }
    this.#finding.start();
  }

  /** The log of the chain grew, or of any: do not wait any longer. */
  wake(chainId?: number): void {
    for (const [id, loop] of this.#chains) if (chainId === undefined || chainId === id) loop.wake();
    if (chainId !== undefined && !this.#chains.has(chainId)) this.#finding.wake();
  }

  /** Resolves once no step runs any more, and the leases are given up. */
  async stop(): Promise<void> {
    await this.#following?.stop();
    await this.#finding.stop();
    await Promise.all([...this.#chains.values()].map((loop) => loop.stop()));
  }

  /** One step of a chain, under its lease; `rest` while another process has it. */
  async step(chainId: number): Promise<S | 'rest'> {
    const next = await this.#loopOf(chainId).step();
    if (next === closing) return 'closing' as S;
    return (next === 'more' ? next : 'rest') as S | 'rest';
  }

  async #findChains(): Promise<Next> {
    const { chains } = await this.#options.callAction(ListChains, {});
    for (const { chain_id } of chains) this.#loopOf(chain_id).start();
    return chains.length > 0 ? 'rest' : { afterMs: retryMs };
  }

  #loopOf(chainId: number): HeldLoop {
    const { purpose, mongo, log, sweepMs = idleMs } = this.#options;
    const known = this.#chains.get(chainId);
    if (known) return known;
    const loop = heldLoop({
      lease: namedLease(mongo, { name: `${purpose}:${chainId}`, ttlMs }),
      pauseMs: this.#isWoken ? sweepMs : Math.min(idleMs, sweepMs),
      standbyMs,
      retry,
      pass: async () => {
        const next: Step = await this.readOn(chainId);
        return next === 'closing' ? closing : next;
      },
      onHolding: (isHeld) => this.onHolding?.(chainId, isHeld),
      onFailure: (error) => this.onFailure(chainId, error),
      log,
      fields: { chainId },
    });
    this.#chains.set(chainId, loop);
    return loop;
  }
}
