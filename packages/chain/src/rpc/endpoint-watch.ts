import type { EndpointHealth, EndpointResult, Endpoints } from './endpoints.ts';

/** What a watch probes, how often, and who gets the findings. */
export type WatchOptions = {
  endpoints: Endpoints;
  /** How old a finding may be before the endpoints are asked again. */
  intervalMs: number;
  now: () => number;
  onHealth: (health: EndpointHealth) => void;
};

/** In which order endpoints are asked; null is never asked: what it says is of another chain. */
const ranks: Readonly<Record<EndpointResult, number | null>> = {
  ok: 0,
  ahead: 1,
  behind: 2,
  stalled: 3,
  unavailable: 4,
  wrong_chain_id: null,
};

/**
 * Which endpoints to ask first, by the newest finding. They are probed while there are requests, beside them: an idle client
 * asks nothing, and no request waits for it.
 */
export class EndpointWatch {
  readonly #options: WatchOptions;
  readonly #found = new Map<string, EndpointResult>();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | null = null;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Lower is asked first; all are equal before the first finding. */
  rankOf(name: string): number | null {
    const found = this.#found.get(name);
    return found === undefined ? ranks.ok : ranks[found];
  }

  isAway(name: string): boolean {
    return this.#found.get(name) === 'unavailable';
  }

  /** Begins to ask the endpoints how they are, when the last finding is old. @returns when that is known. */
  refresh(): Promise<void> {
    const { now, intervalMs } = this.#options;
    if (this.#checking === null && now() - this.#checkedAt >= intervalMs) {
      this.#checkedAt = now();
      this.#checking = this.#check().finally(() => {
        this.#checking = null;
      });
    }
    return this.#checking ?? Promise.resolve();
  }

  async #check(): Promise<void> {
    for (const health of await this.#options.endpoints.check()) {
      this.#found.set(health.endpoint.name, health.result);
      this.#options.onHealth(health);
    }
  }
}
