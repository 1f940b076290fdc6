import { Counter, Gauge, type Registry } from '@castellan/service-kit';

/** Metrics of the evaluator: they show when vaults are not judged any more. */
export function evaluationMetrics(registry: Registry, now: () => number) {
  const registers = [registry];
  const labelNames = ['chain_id'] as const;
  const evaluations = new Map<string, { atMs: number; chainTime: number }>();
  new Gauge({
    name: 'alerts_evaluation_age_seconds',
    help: 'Time since the vaults of the chain were last judged, by the instance that judges them: the dead-man switch of alerts',
    labelNames,
    registers,
    // Computed when it is read, because a loop that is stuck would not make it grow.
    collect() {
      this.reset();
      for (const [chain_id, { atMs }] of evaluations) this.set({ chain_id }, Math.max(0, (now() - atMs) / 1000));
    },
  });
  const behind = new Gauge({
    name: 'alerts_chain_time_seconds',
    help: 'Chain time up to which the vaults were judged',
    labelNames,
    registers,
  });
  return {
    evaluated(chainId: number, chainTime: number): void {
      evaluations.set(String(chainId), { atMs: now(), chainTime });
      behind.set({ chain_id: String(chainId) }, chainTime);
    },
    /** The chain is another instance's. */
    notHeld(chainId: number): void {
      evaluations.delete(String(chainId));
      behind.remove({ chain_id: String(chainId) });
    },
    failures: new Counter({
      name: 'alerts_evaluation_failures_total',
      help: 'Judgements that failed and were tried again',
      labelNames,
      registers,
    }),
  };
}

export type EvaluationMetrics = ReturnType<typeof evaluationMetrics>;
