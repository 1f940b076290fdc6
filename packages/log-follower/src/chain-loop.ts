import { ListChains } from '@castellan/contracts';
import type { CallAction, Logger } from '@castellan/service-kit';
import { Sleeper } from './sleeper.ts';

/** A wake-up that is lost is made up for after this. */
const usualIdleMs = 2_000;
/** The indexer closes a block a moment after its entries are there. */
const closingMs = 100;
const retryMs = 1_000;

/** What follows a step: another at once, one when the block is whole, or one when the log has grown. */
export type Step = 'more' | 'closing' | 'rest';

type Options = {
  callAction: CallAction;
  log: Logger;
  step: (chainId: number) => Promise<Step>;
  /** A step failed; it is tried again in a second. */
  onFailure: (chainId: number, error: Error) => void;
  /** How long a rest is that nothing ends. */
  idleMs?: number;
};

/** Repeats a step for every chain there is, each at its own pace, until it is stopped. */
export class ChainLoop {
  readonly #options: Options;
  readonly #sleeper = new Sleeper();
  readonly #chains = new Set<number>();
  readonly #running: Promise<void>[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    this.#running.push(this.#findChains());
  }

  /** The log grew: do not wait any longer. */
  wake(): void {
    this.#sleeper.wake();
  }

  /** Resolves once no step runs any more. */
  async stop(): Promise<void> {
    this.#sleeper.stop();
    await Promise.all(this.#running);
  }

  async #findChains(): Promise<void> {
    const { callAction, log, idleMs = usualIdleMs } = this.#options;
    while (!this.#sleeper.isStopping) {
      try {
        const { chains } = await callAction(ListChains, {});
        for (const { chain_id } of chains) {
          if (this.#chains.has(chain_id)) continue;
          this.#chains.add(chain_id);
          this.#running.push(this.#follow(chain_id));
        }
      } catch (error) {
        log.debug('the chains are not known yet', { error: error as Error });
      }
      await this.#sleeper.sleep(this.#chains.size === 0 ? retryMs : 10 * idleMs);
    }
  }

  async #follow(chainId: number): Promise<void> {
    const { step, onFailure, idleMs = usualIdleMs } = this.#options;
    while (!this.#sleeper.isStopping) {
      try {
        // What wakes during the step may have come after it read: the next one sees it.
        const before = this.#sleeper.wakeUps;
        const next = await step(chainId);
        const isRest = next === 'rest' && this.#sleeper.wakeUps === before;
        if (next === 'closing' || isRest) await this.#sleeper.sleep(next === 'closing' ? closingMs : idleMs);
      } catch (error) {
        onFailure(chainId, error as Error);
        await this.#sleeper.sleep(retryMs);
      }
    }
  }
}
