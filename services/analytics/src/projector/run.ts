import { type Chain, type EventData, ListChains, ListLogEntries, type ProjectionMoved } from '@castellan/contracts';
import { ChainFollower, type Step } from '@castellan/log-follower';
import { type CallAction, LeaseLost, type Logger } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { ProjectionStore } from '../adapters/projection-store.mongo.ts';
import type { CursorDocument } from '../models/collections.ts';
import type { AnalyticsMetrics } from '../telemetry.ts';
import type { Measurer } from './measure.ts';
import { projectPage } from './project.ts';

const PAGE = 1000;
/** The first reading counts as complete once the indexer is this near its chain's head. */
const NEAR_HEAD_SECONDS = 120;
/** After so many steps without a move the cursor is read again: somebody may have asked for a new beginning. */
const MOST_RESTS = 5;

export type ProjectorDeps = {
  store: ProjectionStore;
  mongo: Connection;
  callAction: CallAction;
  metrics: AnalyticsMetrics;
  measurer: Measurer;
  /** Publishes that reads are answered as of another block. */
  publishMove: (move: EventData<typeof ProjectionMoved>, msgId: string) => Promise<unknown>;
  log: Logger;
};

/** `traces`: of the entries that were read last, whose block may not be whole yet. */
type Kept = { cursor: CursorDocument; rests: number; traces: readonly string[] };

/** Reads the log of every chain into the projections, one writer a chain. */
export class Projector extends ChainFollower {
  readonly #deps: ProjectorDeps;
  /** As the last step of this process left it; dropped by a step that fails, and with the lease. A moved one refuses each write. */
  readonly #cursors = new Map<number, Kept>();

  /** By chain: what reads were answered from when that was last published. */
  readonly #published = new Map<number, string>();

  constructor(deps: ProjectorDeps) {
    super({ ...deps, purpose: 'projector' });
    this.#deps = deps;
  }

  protected override onFailure(chainId: number, error: Error): void {
    const { log, metrics } = this.#deps;
    metrics.failures.inc({ chain_id: String(chainId) });
    log[error instanceof LeaseLost ? 'info' : 'warn']('could not project the log, retrying', { chainId, error });
  }

  protected override onHolding(chainId: number): void {
    this.#cursors.delete(chainId);
    // Another process may have moved it and ended before it published that.
    this.#published.delete(chainId);
  }

  protected override async readOn(chainId: number): Promise<Step> {
    const { store, metrics, callAction, log } = this.#deps;
    const kept = this.#cursors.get(chainId);
    this.#cursors.delete(chainId);
    let cursor = kept && kept.rests < MOST_RESTS ? kept.cursor : await store.openCursor(chainId);
    if (cursor.rebuild_requested || cursor.busy) {
      // A removal that was cut short is not known to be whole: begin again.
      log.info('restarting the projection', { chainId, asked: cursor.rebuild_requested });
      cursor = await store.clear(cursor);
    }
    const page = await callAction(ListLogEntries, { chain_id: chainId, after_seq: cursor.after_seq, limit: PAGE });
    const endsLog = (page.entries.at(-1)?.seq ?? cursor.after_seq) >= page.head_seq;
    const isOpen = cursor.last !== null && cursor.last.block !== cursor.tip?.block;
    const isCovered = page.indexed_block === null || cursor.covered?.block === page.indexed_block;
    if (page.entries.length === 0 && !isOpen && isCovered && cursor.caught_up) {
      this.#cursors.set(chainId, { cursor, rests: cursor === kept?.cursor ? kept.rests + 1 : 0, traces: [] });
      this.#publishMove(cursor);
      return 'rest';
    }
    const caughtUp = endsLog && !cursor.caught_up ? await this.#isIndexed(chainId) : false;
    const traces = page.traces?.map(({ traceparent }) => traceparent) ?? (isOpen ? (kept?.traces ?? []) : []);
    const moved = await this.inTracesOf(chainId, traces, async () => {
      const projected = await projectPage(store, cursor, page, caughtUp);
      this.#publishMove(projected);
      return projected;
    });
    this.#cursors.set(chainId, { cursor: moved, rests: 0, traces });
    metrics.entries.inc({ chain_id: String(chainId) }, page.entries.length);
    metrics.behind.set({ chain_id: String(chainId) }, Math.max(0, page.head_seq - moved.after_seq));
    tellFirst(log, cursor, moved);
    this.#deps.measurer.note(chainId, page.entries);
    if (!endsLog) return 'more';
    if (moved.last?.block !== moved.tip?.block) return 'closing';
    if (moved.caught_up) void this.#deps.measurer.flush(moved.after_seq);
    return 'rest';
  }

  /** Not waited for: what could not be published is published by the next step. */
  #publishMove({ chain_id, epoch, generation, tip, caught_up }: CursorDocument): void {
    if (!caught_up || tip === null) return;
    const place = `${chain_id}:${epoch}:${generation}:${tip.block}`;
    if (this.#published.get(chain_id) === place) return;
    this.#published.set(chain_id, place);
    this.#deps.publishMove({ chain_id, block_number: tip.block }, place).catch((error: Error) => {
      if (this.#published.get(chain_id) === place) this.#published.delete(chain_id);
      this.#deps.log.warn('could not publish that the projection moved', { chainId: chain_id, error });
    });
  }

  /** Whether the indexer itself is near the head of its chain. */
  async #isIndexed(chainId: number): Promise<boolean> {
    const { chains } = await this.#deps.callAction(ListChains, {});
    const chain = chains.find(({ chain_id }: Chain) => chain_id === chainId);
    return chain?.lag_seconds !== null && chain?.lag_seconds !== undefined && chain.lag_seconds < NEAR_HEAD_SECONDS;
  }
}

function tellFirst(log: Logger, before: CursorDocument, after: CursorDocument): void {
  if (before.caught_up || !after.caught_up) return;
  log.info('the projection has caught up', { chainId: after.chain_id, seq: after.after_seq });
}
