import { ListChains, type LogEntry } from '@castellan/contracts';
import { ChainFollower, readWholeBlocks, type WholeBlocks } from '@castellan/log-follower';
import { type CallAction, isInfrastructureFault, type Logger } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { categoryOf } from '../../audit/domain/chain-events.ts';
import type { Journal } from '../journal/adapters/journal.mongo.ts';
import type { JournalCollections, StoredClock } from '../journal/models/collections.ts';
import type { RecordCollections } from '../records/models/collections.ts';
import { type RecordDeps, recordChange } from '../records/record-change.ts';
import { Fold } from '../rules/domain/facts.ts';
import { runThrough } from '../rules/domain/run-through.ts';
import { noLongerPending, pendingSettings, type RuleCollections } from '../rules/models/collections.ts';
import type { OwnRuleCollections } from '../rules/models/own-rules.ts';
import { applyTransition } from './apply.ts';
import { globalVetoes } from './global-vetoes.ts';
import { ingest } from './ingest.ts';
import { journalOwnRules } from './journal-own-rules.ts';
import type { Measurer } from './measurer.ts';
import type { EngineCollections, StoredEngine } from './models/collections.ts';
import type { EvaluationMetrics } from './telemetry.ts';

/** The log is the history, not the present, while the indexer is further behind the chain than this. */
const CAUGHT_UP_SECONDS = 60;

export type EvaluatorDeps = RecordDeps & {
  collections: JournalCollections &
    EngineCollections &
    RuleCollections &
    OwnRuleCollections &
    Pick<RecordCollections, 'alerts'>;
  journal: Journal;
  mongo: Connection;
  callAction: CallAction;
  metrics: EvaluationMetrics;
  log: Logger;
  now: () => Date;
  yieldToEventLoop: () => Promise<void>;
  /** Writes into the journals what was read since; only once the history is there. */
  sample: (
    engines: readonly StoredEngine[],
    clock: number,
    factsOf: (engine: StoredEngine) => Promise<Fold>,
  ) => Promise<void>;
  measurer: Measurer;
};

/** Journals and settings are read this often though nothing was announced: a process may have ended before it did. */
const SWEEP_MS = 15_000;

/** What this process knows of a chain that it evaluates, from one step that succeeded to the next. */
type Kept = {
  clock: StoredClock;
  engines: readonly StoredEngine[];
  /** When all of it was read; milliseconds since the epoch. */
  readAt: number;
  /** Of the journal, then. */
  appended: number;
};

/** A vault that fails longer than this holds up no other's first news. */
const LASTING_FAILURES = 5;

const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);
/** What is judged names who did it. */
const needsSender = (entry: LogEntry): boolean => categoryOf(entry) !== undefined;
const keyOf = ({ chain_id, vault }: Pick<StoredEngine, 'chain_id' | 'vault'>): string => `${chain_id}:${vault}`;

/** Judges every vault of a chain as facts become known and time goes by, one process a chain. */
export class AlertEvaluator extends ChainFollower<'more' | 'rest'> {
  readonly #deps: EvaluatorDeps;
  /** Facts up to `n` of the journal, so that a step reads what is new only. */
  readonly #folds = new Map<string, { n: number; fold: Fold }>();
  /** How often in a row a vault could not be judged. */
  readonly #failed = new Map<string, number>();
  /** Dropped by a step that fails, and with the lease. */
  readonly #kept = new Map<number, Kept>();

  constructor(deps: EvaluatorDeps) {
    super({ ...deps, purpose: 'alerts' });
    this.#deps = deps;
  }

  /** One page of the log, one reading, one judgement of each vault. */
  protected override async readOn(chainId: number): Promise<'more' | 'rest'> {
    const kept = this.#kept.get(chainId);
    this.#kept.delete(chainId);
    const known = kept?.clock ?? (await this.#clockOf(chainId));
    const clock: StoredClock = known ?? { chain_id: chainId, after_seq: 0, time: 0, is_live: false };
    const afterSeq = clock.after_seq;
    const read = await readWholeBlocks(this.#deps.callAction, { chainId, afterSeq, needsSender });
    return this.inTracesOf(chainId, read.traces, () => this.#evaluate(kept, clock, read));
  }

  async #evaluate(kept: Kept | undefined, before: StoredClock, read: WholeBlocks): Promise<'more' | 'rest'> {
    const { collections, metrics, journal, now } = this.#deps;
    const { chain_id: chainId } = before;
    const clock = await this.#takeIn(before, read);
    const isSweep = !kept || now().getTime() - kept.readAt >= SWEEP_MS || kept.clock.news !== clock.news;
    const engines =
      kept && !clock.hasNewVault ? kept.engines : await collections.engines.find({ chain_id: chainId }).toArray();
    if (clock.is_live) {
      if (isSweep) {
        await this.#journalSettings(chainId, clock.time);
        await journalOwnRules(this.#deps, chainId, clock.time);
      }
      const foldOf = (engine: StoredEngine) => this.#foldOf(engine);
      await this.#deps.sample(engines, clock.time, foldOf);
      await this.#deps.measurer.measure(engines, clock.time, foldOf);
    }
    const { appended } = journal;
    const isNews = isSweep || clock.hasNewVault || appended !== kept.appended;
    const { failure, judged } = await this.#judgeAll(engines, clock, isNews);
    if (clock.endsLog && !clock.is_live && !failure?.isNew && (await this.#isCaughtUp(chainId))) {
      await this.#goLive(chainId);
      clock.is_live = true;
    }
    metrics.evaluated(chainId, clock.time);
    if (failure) throw failure.error;
    const { endsLog, hasNewVault: _, ...known } = clock;
    const readAt = isSweep ? now().getTime() : kept.readAt;
    this.#kept.set(chainId, { clock: known, engines: judged, readAt, appended });
    return endsLog ? 'rest' : 'more';
  }

  /**
   * Judges each vault whatever comes of the others: one that fails is tried again by the next step.
   * @param isNews - Whether there may be something in the journals that was not judged.
   * @returns the vaults as they are then, and the first failure; `isNew` unless all of them have lasted for several steps.
   */
  async #judgeAll(
    engines: readonly StoredEngine[],
    clock: StoredClock,
    isNews: boolean,
  ): Promise<{ failure?: { error: unknown; isNew: boolean }; judged: StoredEngine[] }> {
    const errors: unknown[] = [];
    const judged: StoredEngine[] = [];
    let isNew = false;
    for (const engine of engines) {
      const key = keyOf(engine);
      try {
        judged.push(await this.#judge(engine, clock, isNews));
        this.#failed.delete(key);
      } catch (error) {
        if (isInfrastructureFault(error)) throw error;
        const times = (this.#failed.get(key) ?? 0) + 1;
        this.#failed.set(key, times);
        isNew ||= times < LASTING_FAILURES;
        this.#deps.log.error('could not evaluate the alerts of a vault, retrying', {
          vault: key,
          error: error as Error,
        });
        errors.push(error);
      }
    }
    return errors.length === 0 ? { judged } : { failure: { error: errors[0], isNew }, judged };
  }

  protected override onFailure(chainId: number, error: Error): void {
    this.#deps.metrics.failures.inc({ chain_id: String(chainId) });
    this.#deps.log.warn('could not evaluate alerts, retrying', { chainId, error });
  }

  protected override onHolding(chainId: number, isHeld: boolean): void {
    this.#kept.delete(chainId);
    this.#deps.measurer.forget();
    if (isHeld) return;
    this.#folds.clear();
    this.#deps.metrics.notHeld(chainId);
  }

  async #takeIn(
    clock: StoredClock,
    { entries, open, endsLog, indexedTime }: WholeBlocks,
  ): Promise<StoredClock & { endsLog: boolean; hasNewVault: boolean }> {
    const { collections } = this.#deps;
    const { chain_id: chainId, after_seq: afterSeq } = clock;
    const before = await globalVetoes(this.#deps, clock);
    const list = await ingest(this.#deps, chainId, entries, { clock: clock.time, vetoes: before });
    this.#deps.measurer.note(chainId, entries);
    const isComplete = endsLog && open === 0;
    const tip = isComplete ? indexedTime : (entries.findLast(({ kind }) => kind !== 'rollback')?.block_time ?? null);
    const moved = {
      after_seq: entries.at(-1)?.seq ?? afterSeq,
      time: Math.max(clock.time, tip === null ? 0 : secondsOf(tip)),
    };
    const vetoes = { after_seq: moved.after_seq, list };
    const stored = await collections.clocks.findOneAndUpdate(
      { chain_id: chainId },
      { $max: moved, $set: { vetoes }, $setOnInsert: { is_live: false } },
      { upsert: true, returnDocument: 'after' },
    );
    const hasNewVault = entries.some(({ name }) => name === 'VaultDeployed');
    return { ...clock, ...moved, vetoes, news: stored?.news, endsLog, hasNewVault };
  }

  /** The log is read again from its start when the stored place is malformed. */
  async #clockOf(chainId: number): Promise<StoredClock | null> {
    const { collections, log } = this.#deps;
    const clock = await collections.clocks.findOne({ chain_id: chainId });
    if (!clock || (Number.isSafeInteger(clock.after_seq) && Number.isSafeInteger(clock.time))) return clock;
    log.error('ignored a stored document that is malformed or forged', { collection: 'alert_clocks', id: chainId });
    await collections.clocks.deleteOne({ chain_id: chainId });
    return null;
  }

  /** What managers set becomes known to the rules in its place among the facts. */
  async #journalSettings(chainId: number, clock: number): Promise<void> {
    const { collections, journal } = this.#deps;
    for (const document of await collections.settings.find(pendingSettings(chainId)).toArray()) {
      const { vault, rule_id, settings, version } = document;
      if (typeof vault !== 'string' || typeof settings !== 'object' || settings === null) {
        this.#deps.log.error('ignored stored settings of an alert rule that are malformed', { chainId, rule_id });
        continue;
      }
      const events = [{ type: 'settings' as const, rule_id, settings }];
      await journal.append(
        { chain_id: chainId, vault },
        { id: `settings:${rule_id}:${version}`, time: 0, block: null, events },
        clock,
      );
      await collections.settings.updateOne({ chain_id: chainId, vault, rule_id, version }, noLongerPending);
    }
  }

  async #foldOf(engine: StoredEngine): Promise<Fold> {
    const key = keyOf(engine);
    const known = this.#folds.get(key);
    if (known?.n === engine.after_n) return known.fold;
    const fold = new Fold();
    for (const item of await this.#deps.journal.after(engine, 0)) if (item.n <= engine.after_n) fold.add(item);
    this.#folds.set(key, { n: engine.after_n, fold });
    return fold;
  }

  /** @returns the vault as it is then. */
  async #judge(engine: StoredEngine, { time, is_live: isNews }: StoredClock, isRead: boolean): Promise<StoredEngine> {
    const { collections, journal, yieldToEventLoop } = this.#deps;
    const fold = await this.#foldOf(engine);
    // Until the engine is stored the fold is ahead of it, and good for nothing else.
    this.#folds.delete(keyOf(engine));
    const items = isRead ? await journal.after(engine, engine.after_n) : [];
    const { state, transitions } = await runThrough(fold, engine.state, items, time, { yieldToEventLoop });
    for (const transition of transitions) await applyTransition(this.#deps, engine, transition, isNews);
    const after_n = items.at(-1)?.n ?? engine.after_n;
    let next: Partial<StoredEngine> = {};
    if (items.length > 0 || state.time !== engine.state.time) {
      const { chain_id, vault, revision } = engine;
      next = { state, after_n, revision: revision + 1, ...(fold.facts.name ? { name: fold.facts.name } : {}) };
      const { matchedCount } = await collections.engines.updateOne({ chain_id, vault, revision }, { $set: next });
      if (matchedCount === 0) throw new Error(`Another process judged ${vault} meanwhile.`);
    }
    this.#folds.set(keyOf(engine), { n: after_n, fold });
    return { ...engine, ...next };
  }

  async #isCaughtUp(chainId: number): Promise<boolean> {
    const { chains } = await this.#deps.callAction(ListChains, {});
    const lag = chains.find(({ chain_id }) => chain_id === chainId)?.lag_seconds ?? null;
    return lag !== null && lag <= CAUGHT_UP_SECONDS;
  }

  /** The history is read: what it left open is published now, and from here on everything is news. */
  async #goLive(chainId: number): Promise<void> {
    const { collections, records } = this.#deps;
    const left = { chain_id: chainId, is_replayed: true, status: { $ne: 'resolved' as const } };
    for (const { alert_id, is_muted } of await collections.alerts.find(left).toArray())
      await recordChange(this.#deps, async (session) => {
        const alert = await records.change(alert_id, (now) => ({ ...now, is_replayed: false }), { session });
        const type = is_muted ? null : 'alert.opened';
        return alert ? { id: `${alert_id}:opened`, type, action: 'alert_opened', alert, time: alert.opened_at } : null;
      });
    await collections.clocks.updateOne({ chain_id: chainId }, { $set: { is_live: true } });
  }
}
