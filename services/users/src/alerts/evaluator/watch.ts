import { ChainLoop } from '@castellan/log-follower';
import type { CallAction, Logger } from '@castellan/service-kit';
import type { AlertEvaluator } from './evaluator.ts';
import type { EvaluationMetrics } from './telemetry.ts';

type WatchDeps = { evaluator: AlertEvaluator; callAction: CallAction; metrics: EvaluationMetrics; log: Logger };

/** Keeps judging every chain until it is stopped. */
export class AlertWatch {
  readonly #evaluator: AlertEvaluator;
  readonly #loop: ChainLoop;

  constructor({ evaluator, callAction, metrics, log }: WatchDeps) {
    this.#evaluator = evaluator;
    this.#loop = new ChainLoop({
      ...{ callAction, log },
      step: (chainId) => evaluator.step(chainId),
      onFailure: (chainId, error) => {
        metrics.failures.inc({ chain_id: String(chainId) });
        log.warn('vaults wait to be judged', { chainId, error });
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#evaluator.release();
  }
}
