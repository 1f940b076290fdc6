import { ListChains } from '@castellan/contracts';
import type { CallAction, Logger } from '@castellan/service-kit';
import type { AlertEvaluator } from './evaluator.ts';
import type { AlertMetrics } from './telemetry.ts';

/** A wake-up that is lost is made up for after this. */
const IDLE_MS = 2_000;
const RETRY_MS = 1_000;

/** Sleep that can be cut short. */
export class Sleeper {
  readonly #sleepers = new Set<() => void>();
  #stopping = false;

  get isStopping(): boolean {
    return this.#stopping;
  }

  sleep(ms: number): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#sleepers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#sleepers.add(done);
    });
  }

  wake(): void {
    for (const wakeUp of this.#sleepers) wakeUp();
  }

  stop(): void {
    this.#stopping = true;
    this.wake();
  }
}

type WatchDeps = { evaluator: AlertEvaluator; callAction: CallAction; metrics: AlertMetrics; log: Logger };

/** Keeps judging every chain until it is stopped. */
export class AlertWatch {
  readonly #deps: WatchDeps;
  readonly #sleeper = new Sleeper();
  readonly #chains = new Set<number>();
  readonly #running: Promise<void>[] = [];

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running.push(this.#findChains());
  }

  wake(): void {
    this.#sleeper.wake();
  }

  async stop(): Promise<void> {
    this.#sleeper.stop();
    await Promise.all(this.#running);
    for (const chainId of this.#chains) await this.#deps.evaluator.release(chainId);
  }

  async #findChains(): Promise<void> {
    while (!this.#sleeper.isStopping) {
      try {
        const { chains } = await this.#deps.callAction(ListChains, {});
        for (const { chain_id } of chains) {
          if (this.#chains.has(chain_id)) continue;
          this.#chains.add(chain_id);
          this.#running.push(this.#watch(chain_id));
        }
      } catch (error) {
        this.#deps.log.debug('the chains are not known yet', { error: error as Error });
      }
      await this.#sleeper.sleep(this.#chains.size === 0 ? RETRY_MS : 10 * IDLE_MS);
    }
  }

  async #watch(chainId: number): Promise<void> {
    const { evaluator, log, metrics } = this.#deps;
    while (!this.#sleeper.isStopping) {
      try {
        if ((await evaluator.step(chainId)) === 'rest') await this.#sleeper.sleep(IDLE_MS);
      } catch (error) {
        metrics.failures.inc({ chain_id: String(chainId) });
        log.warn('vaults wait to be judged', { chainId, error: error as Error });
        await this.#sleeper.sleep(RETRY_MS);
      }
    }
  }
}
