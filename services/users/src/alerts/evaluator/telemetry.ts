import { Counter, Gauge, type Registry } from '@castellan/service-kit';

/** Metrics of the alerter itself: what tells that nobody watches any more. */
export function alertMetrics(registry: Registry, now: () => number) {
  const registers = [registry];
  const labelNames = ['chain_id'] as const;
  const evaluations = new Map<string, { atMs: number; chainTime: number }>();
  new Gauge({
    name: 'alerts_evaluation_age_seconds',
    help: 'Time since the vaults of the chain were last judged, by the instance that judges them: the dead-man switch of alerts',
    labelNames,
    registers,
    // When it is asked for, because a loop that stands still would not make it grow.
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
    deliveries: new Counter({
      name: 'notifications_deliveries_total',
      help: 'Attempts to deliver an event to a channel, by outcome',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    waiting: new Gauge({
      name: 'notifications_failing_channels',
      help: 'Channels of vaults whose event at the head is a dead letter',
      registers,
    }),
    dispatchFailures: new Counter({
      name: 'notifications_dispatch_failures_total',
      help: 'Channels that could not be served, and are tried again',
      registers,
    }),
    distrusted: new Counter({
      name: 'users_distrusted_documents_total',
      help: 'Stored documents that were not taken, because they are malformed or not sealed by this service, by collection',
      labelNames: ['collection'],
      registers,
    }),
    dispatched: dispatchAge(registers, now),
  };
}

function dispatchAge(registers: Registry[], now: () => number) {
  let atMs: number | undefined;
  new Gauge({
    name: 'notifications_dispatch_age_seconds',
    help: 'Time since channels were last looked after, by the instance that does it',
    registers,
    collect() {
      this.reset();
      if (atMs !== undefined) this.set(Math.max(0, (now() - atMs) / 1000));
    },
  });
  return (held: boolean): void => {
    atMs = held ? now() : undefined;
  };
}

export type AlertMetrics = ReturnType<typeof alertMetrics>;
