import type { EventData, LogEntry, VaultMeasured } from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
import { listedSources } from '../domain/metrics/allocation.ts';
import { apyOver, spanOf } from '../domain/metrics/apy-and-returns.ts';
import { runway } from '../domain/metrics/upkeep.ts';
import { DAY, type Moment } from '../domain/moment.ts';
import { sourceApy } from '../use-cases/allocation.ts';
import { checksummed } from '../use-cases/answer.ts';
import type { Histories } from '../use-cases/ports.ts';

type Measures = EventData<typeof VaultMeasured>;

/** A vault whose price stands still is measured again after this; a new price is published at once. */
const QUIET_MS = 60_000;

export type MeasurerDeps = {
  histories: Histories;
  publish: (measures: Measures, msgId: string) => Promise<unknown>;
  log: Logger;
  now: () => number;
};

/** Figures that others show beside the vault's present state. */
export function measuresOf(moment: Moment, chainId: number, seq: number): Measures {
  return {
    chain_id: chainId,
    vault_address: checksummed(moment.history.identity.vault),
    seq,
    block_number: moment.block,
    apy: apyOver(moment, spanOf(moment, 7 * DAY)).value as number | null,
    runway_seconds: runway(moment, 'recent').value as number | null,
    allocation: listedSources(moment).map((address) => ({
      source_address: checksummed(address),
      apy: sourceApy(moment, address).value as number | null,
      peak_pps: moment.history.sourcePrices.peakAt(address, moment)?.toString() ?? null,
    })),
  };
}

/** Publishes the measures of vaults that have new entries in the log. */
export class Measurer {
  readonly #deps: MeasurerDeps;
  readonly #publishedAt = new Map<string, number>();
  /** By chain and vault: due at once, or only when the last publication is old. */
  readonly #due = new Map<string, { chainId: number; vault: string; urgent: boolean }>();
  #running: Promise<void> | undefined;

  constructor(deps: MeasurerDeps) {
    this.#deps = deps;
  }

  /** Notes the vaults of a page. */
  note(chainId: number, entries: readonly LogEntry[]): void {
    for (const { vault_address: vault, name } of entries) {
      if (vault === null) continue;
      const key = `${chainId}:${vault}`;
      const urgent = name === 'PPSUpdated' || name === 'PPSUpdatedAfterSkim' || this.#due.get(key)?.urgent === true;
      this.#due.set(key, { chainId, vault, urgent });
    }
  }

  /** Publishes what is due as of an entry of the log. One run at a time; what comes meanwhile is published by the next. */
  flush(seq: number): Promise<void> {
    this.#running ??= this.#run(seq).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(seq: number): Promise<void> {
    const { now, log } = this.#deps;
    for (const [key, { chainId, vault, urgent }] of [...this.#due]) {
      const isQuiet = now() - (this.#publishedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= QUIET_MS;
      if (!urgent && !isQuiet) continue;
      this.#due.delete(key);
      try {
        await this.#publish(chainId, vault, seq);
        this.#publishedAt.set(key, now());
      } catch (error) {
        // Not lost: the vault's next observation brings it here again.
        log.warn('could not publish vault measures', { chainId, vault, error: error as Error });
      }
    }
  }

  async #publish(chainId: number, vault: string, seq: number): Promise<void> {
    const moment = await this.#deps.histories.momentOf({ chain_id: chainId, vault_address: vault });
    await this.#deps.publish(measuresOf(moment, chainId, seq), `${chainId}:${vault}:${seq}`);
  }
}
