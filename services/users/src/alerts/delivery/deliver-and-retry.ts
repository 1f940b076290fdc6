import { randomUUID } from 'node:crypto';
import { type AlertEvent, alertSeverities } from '@castellan/contracts';
import { type Held, type HeldLoop, heldLoop, type Logger, type Next, namedLease } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { PROBE_SECONDS, RETRY_SECONDS } from '../channels/domain/retry-schedule.ts';
import type { StoredBinding, StoredChannel } from '../channels/models/collections.ts';
import { type EndedRolesDeps, endBinding, isBoundByManager } from '../channels/use-cases/ended-roles.ts';
import { type AlertRecords, plainEvent } from '../records/adapters/alert-records.mongo.ts';
import type { StoredEvent } from '../records/models/collections.ts';
import type { Send } from './providers.ts';
import type { DeliveryMetrics } from './telemetry.ts';

const LEASE_MS = 30_000;
/** A sending takes this long at most: none may still be under way when another process takes the lease. */
const SEND_MS = 10_000;
/** A pass that found something to send is followed by another after this. */
const IDLE_MS = 500;
/** The longest rest: for a binding that another process made due. */
const SWEEP_MS = 2_000;
/** How often channels that fail are counted though nothing was sent. */
const COUNT_MS = 15_000;
/** Events sent to one channel before other channels are served. */
const TURN = 50;
const AT_ONCE = 8;

export type DispatcherDeps = EndedRolesDeps & {
  records: AlertRecords;
  send: Send;
  mongo: Connection;
  metrics: DeliveryMetrics;
  log: Logger;
};

const rank = (severity: StoredEvent['severity']): number => alertSeverities.indexOf(severity);

/** Delivers the events of vaults to their channels: in order, at least once, the next only when the one before it arrived. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #loop: HeldLoop;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: DispatcherDeps) {
    const { mongo, metrics, log, now, store } = deps;
    this.#deps = deps;
    this.#loop = heldLoop({
      lease: namedLease(mongo, { name: 'notifications', ttlMs: LEASE_MS }),
      pauseMs: IDLE_MS,
      pass: (held) => this.#deliverDue(held),
      onHolding: metrics.dispatched,
      onFailure: (error) => log.warn('notification dispatch failed, retrying', { error }),
      log,
      now: () => now().getTime(),
    });
    store.whenDue(() => this.#loop.wake());
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Everything that is due now. */
  async step(): Promise<void> {
    await this.#loop.step();
  }

  /** @returns the rest until a binding is due. */
  async #deliverDue(held: Held): Promise<Next> {
    const { now, metrics, store } = this.#deps;
    metrics.dispatched(true);
    const { due, nextMs } = await store.due(now(), SWEEP_MS);
    // Each channel at its own pace: one that hangs holds up none but itself.
    const byChannel = [...Map.groupBy(due, ({ channel_id }) => channel_id).values()];
    const next = async (): Promise<void> => {
      const bindings = byChannel.shift();
      if (!bindings) return;
      try {
        for (const binding of bindings) await this.#deliverAll(binding, held);
      } catch (error) {
        metrics.dispatchFailures.inc();
        this.#deps.log.error('could not deliver to a channel, retrying', {
          channel: bindings[0]?.channel_id,
          error: error as Error,
        });
      }
      return next();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    if (due.length > 0 || now().getTime() - this.#countedAt >= COUNT_MS) {
      metrics.waiting.set(await store.failingCount(RETRY_SECONDS.length));
      this.#countedAt = now().getTime();
    }
    return due.length > 0 ? 'rest' : { restMs: Math.max(nextMs, 1) };
  }

  async #deliverAll(start: StoredBinding, held: Held): Promise<void> {
    const { store, now } = this.#deps;
    const channel = await store.get(start.channel_id);
    if (!channel?.is_active) return store.rest(start, now());
    // Alerts go to channels of the wallet that bound them, whose role is checked.
    if (channel.owner !== start.bound_by || !this.#isOpen(channel)) return store.putOff(start, now());
    let binding: StoredBinding | undefined = start;
    for (let turns = 0; turns < TURN && binding; turns += 1) binding = await this.#deliverNext(channel, binding, held);
  }

  /** @returns the binding as it is then, undefined when it has to wait. */
  async #deliverNext(channel: StoredChannel, binding: StoredBinding, held: Held): Promise<StoredBinding | undefined> {
    const { records, store, now } = this.#deps;
    const [event] = await records.eventsFrom(binding.chain_id, binding.vault, binding.next_sequence, 1);
    if (!event) return store.rest(binding, now());
    if (rank(event.severity) > rank(binding.min_severity)) return store.move(binding, { delivered: false, now: now() });
    // Checked at each delivery: what an alert says, private notes included, is for managers only.
    const mayHave = await this.#isBoundByManager(binding);
    if (mayHave === undefined) return store.rest(binding, now());
    if (!mayHave) {
      await endBinding(this.#deps, binding);
      return undefined;
    }
    // It may have stood still, or been slow, for longer than its lease: the next step goes on, of whichever process.
    if (now().getTime() + SEND_MS >= held.untilMs()) return undefined;
    const ok = await this.attempt(channel, binding, plainEvent(event));
    if (ok) return store.move(binding, { delivered: true, now: now() });
    const waitSeconds = RETRY_SECONDS[binding.failures] ?? PROBE_SECONDS;
    await store.failed(binding, new Date(now().getTime() + waitSeconds * 1000));
    return undefined;
  }

  #isOpen(channel: StoredChannel): boolean {
    try {
      this.#deps.store.configOf(channel);
      return true;
    } catch {
      return false;
    }
  }

  /** @returns undefined when nobody can say. */
  async #isBoundByManager(binding: StoredBinding): Promise<boolean | undefined> {
    try {
      return await isBoundByManager(this.#deps.callAction, binding);
    } catch (error) {
      this.#deps.log.warn('could not check the role for a delivery, retrying', { error: error as Error });
      return undefined;
    }
  }

  /** Sends, and writes down what came of it. A process that ends in between sends again: the receiver knows the event by its id. */
  async attempt(
    channel: StoredChannel,
    binding: Pick<StoredBinding, 'failures' | 'chain_id' | 'vault_address'> | undefined,
    event: AlertEvent,
  ): Promise<boolean> {
    const { store, send, metrics, now } = this.#deps;
    const { ok, status, reason, durationMs } = await send(channel, store.configOf(channel), event);
    const attempt = (binding?.failures ?? 0) + 1;
    const outcome = ok ? 'delivered' : binding && attempt > RETRY_SECONDS.length ? 'dead_letter' : 'failed';
    metrics.deliveries.inc({ provider: channel.provider, outcome });
    await store.record({
      delivery_id: `dl_${randomUUID()}`,
      channel_id: channel.channel_id,
      chain_id: binding?.chain_id ?? null,
      vault_address: binding?.vault_address ?? null,
      sequence: event.sequence,
      event_id: event.event_id,
      event_type: event.event_type,
      attempt,
      t: now(),
      outcome,
      http_status: status,
      reason,
      duration_ms: durationMs,
    });
    return ok;
  }
}
