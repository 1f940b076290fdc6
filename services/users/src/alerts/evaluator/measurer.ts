import { errorCodeOf, type LogEntry, MeasureMetrics } from '@castellan/contracts';
import type { CallAction, Logger } from '@castellan/service-kit';
import type { Journal } from '../journal/adapters/journal.mongo.ts';
import type { Facts, Fold } from '../rules/domain/facts.ts';
import { measuredEvent } from '../rules/domain/own-rule.ts';
import { readingsOfAll } from '../rules/domain/readings.ts';
import type { StoredEngine } from './models/collections.ts';

/** Observations in one read; what is left of a longer stretch is read by the next step. */
const PAGE = 1_000;
/** Vaults that are read at the same time. */
const AT_ONCE = 8;
/** After a read that failed for want of an answer none is tried for so long: the other rules are not held up by it. */
const REST_MS = 15_000;

/** What says that nobody answers, whichever vault is asked about. */
const noAnswer: ReadonlySet<string> = new Set(['SERVICE_UNAVAILABLE', 'NOT_READY']);

type MeasurerDeps = { callAction: CallAction; journal: Journal; log: Logger; nowMs: () => number };

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
const keyOf = (chainId: number, vault: string): string => `${chainId}:${vault}`;

/**
 * Reads the figures that own rules need at each observation of their vault, all of a vault in one read, and writes them into its
 * journal. A vault without such rules is asked nothing. What cannot be read is read by a later step.
 */
export class Measurer {
  readonly #deps: MeasurerDeps;
  /** By vault: the block of its newest observation in the log, and how far it was measured. */
  readonly #known = new Map<string, { seen: number; measured: number }>();

  #restUntilMs = 0;

  constructor(deps: MeasurerDeps) {
    this.#deps = deps;
  }

  /** Notes the observations of a page of the log. After a rollback nothing of the chain counts as measured. */
  note(chainId: number, entries: readonly LogEntry[]): void {
    for (const { kind, name, vault_address, block_number: seen } of entries) {
      if (kind === 'rollback') this.#forgetChain(chainId);
      if (kind !== 'observation' || name !== 'state_observed' || vault_address === null) continue;
      const key = keyOf(chainId, vault_address.toLowerCase());
      this.#known.set(key, { seen, measured: this.#known.get(key)?.measured ?? -1 });
    }
  }

  #forgetChain(chainId: number): void {
    const ofChain = keyOf(chainId, '');
    for (const key of this.#known.keys()) if (key.startsWith(ofChain)) this.#known.delete(key);
  }

  /** Another process may have measured meanwhile, or may do so from now on. */
  forget(): void {
    this.#known.clear();
  }

  async measure(engines: readonly StoredEngine[], clock: number, foldOf: (engine: StoredEngine) => Promise<Fold>) {
    const left = [...engines];
    const next = async (): Promise<void> => {
      const engine = left.shift();
      if (!engine || this.#deps.nowMs() < this.#restUntilMs) return;
      try {
        const { facts } = await foldOf(engine);
        if (facts.ownRules.size > 0) await this.#measureOne(engine, clock, facts);
      } catch (error) {
        const { log, nowMs } = this.#deps;
        log.warn('alerts go on without figures of a vault', { vault: engine.vault, error: error as Error });
        if (noAnswer.has(errorCodeOf(error) ?? '')) this.#restUntilMs = nowMs() + REST_MS;
      }
      return next();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }

  async #measureOne(engine: StoredEngine, clock: number, { measured, ownRules }: Facts): Promise<void> {
    const { chain_id, vault, vault_address, after_n } = engine;
    const wanted = readingsOfAll(ownRules.values());
    if (wanted.size === 0) return;
    const keys = [...wanted.keys()];
    const key = keyOf(chain_id, vault);
    const known = this.#known.get(key);
    const isNew = measured === null || keys.some((each) => !measured.keys.has(each));
    if (known && known.measured >= known.seen && !isNew) return;
    const seen = known?.seen ?? 0;
    const page = await this.#deps.callAction(MeasureMetrics, {
      chain_id,
      vault_address,
      readings: [...wanted.values()],
      since: isoOf(clock),
      limit: PAGE,
      // A rule that was just made is judged by the last observation; after that none is left out.
      ...(isNew ? {} : { after_block: measured.block }),
    });
    for (const observation of page.observations) {
      const block = observation.block_number;
      const events = [measuredEvent(observation, keys)];
      // Known by what it was read after: after a rollback the same block is another one.
      const id = `measured:${after_n}:${page.generation}:${block}`;
      await this.#deps.journal.append(engine, { id, time: 0, block, events }, clock);
    }
    const last = page.observations.at(-1)?.block_number ?? measured?.block ?? 0;
    this.#known.set(key, { seen: Math.max(seen, last), measured: page.has_more ? 0 : last });
  }
}
