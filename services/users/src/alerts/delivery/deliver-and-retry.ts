import { randomUUID } from 'node:crypto';
import type { AlertEvent } from '@castellan/contracts';
import {
  type Held,
  type HeldLoop,
  heldLoop,
  inSpan,
  type Logger,
  type Next,
  namedLease,
  SpanKind,
} from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { PROBE_SECONDS, RETRY_SECONDS } from '../channels/domain/retry-schedule.ts';
import type { StoredBinding, StoredChannel } from '../channels/models/collections.ts';
import { type EndedRolesDeps, mayDeliver } from '../channels/use-cases/ended-roles.ts';
import { canWait, isQuiet, rankOf } from '../duty/domain/quiet-hours.ts';
import { dutyAt } from '../duty/domain/rota.ts';
import { type EscalationDeps, escalateDue, escalatedId } from '../duty/escalate.ts';
import { rotaOf } from '../duty/use-cases/duty.ts';
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
  escalation: EscalationDeps;
};

/** How often it is looked whether an alert waits too long for somebody. */
const ESCALATE_MS = 20_000;
/** Events in one digest: what Telegram takes as one message. The rest of more comes as a next one. */
const DIGEST = 45;
/** With so many held back a digest goes out though it is quiet. */
const MOST_HELD = 2_000;

const namesDuty: ReadonlySet<AlertEvent['event_type']> = new Set(['alert.opened', 'alert.unmuted', 'alert.renamed']);

/** The digest of what was held back: the same events are the same digest, however often it is tried. */
function digestOf(
  { channel_id, chain_id, vault_address }: StoredBinding,
  found: readonly StoredEvent[],
  now: Date,
): AlertEvent {
  const sequences = found.map(({ sequence }) => sequence);
  return {
    event_id: `digest:${channel_id}:${chain_id}:${vault_address}:${sequences[0]}-${sequences.at(-1)}`,
    event_type: 'alert.digest',
    sequence: null,
    timestamp: now.toISOString(),
    chain_id,
    vault_address,
    data: {
      alert: null,
      note: found[0]?.data.alert?.vault_name ?? null,
      held: found.map(({ event_id, event_type, sequence, timestamp, severity, data }) => ({
        event_id,
        event_type,
        sequence,
        timestamp,
        severity,
        title: data.alert?.title ?? data.note ?? event_type,
      })),
    },
  };
}

/** An attempt goes on in the trace of what made the event, however late it is. */
const inTraceOf = <T>({ event_type, trace }: StoredEvent, attempt: () => Promise<T>): Promise<T> =>
  trace === undefined
    ? attempt()
    : inSpan(`deliver ${event_type}`, { kind: SpanKind.CONSUMER, causes: [trace] }, attempt);

/** Delivers the events of vaults to their channels: in order, at least once, the next only when the one before it arrived. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #loop: HeldLoop;
  #countedAt = Number.NEGATIVE_INFINITY;
  #escalatedAt = Number.NEGATIVE_INFINITY;

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
    if (now().getTime() - this.#escalatedAt >= ESCALATE_MS) {
      this.#escalatedAt = now().getTime();
      await escalateDue(this.#deps.escalation, now());
    }
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
    if (start.role_ended_block !== undefined && !(await this.#mayDeliver(start))) return store.rest(start, now());
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
    if (this.#isDigestDue(channel, binding)) return this.#deliverDigest(channel, binding, held);
    const [event] = await records.eventsFrom(binding.chain_id, binding.vault, binding.next_sequence, 1);
    if (!event) return store.rest(binding, now());
    if (!(await this.#concerns(channel, binding, event))) return store.move(binding, { delivered: false, now: now() });
    if (canWait(channel.quiet_hours, event.severity, now()) && !(await this.#breaksThrough(binding, event)))
      return store.hold(binding, now());
    const attempt = () => this.#attemptFor(channel, binding, held, async () => this.#withDuty(plainEvent(event)));
    const ok = await inTraceOf(event, attempt);
    return ok ? store.move(binding, { delivered: true, now: now() }) : undefined;
  }

  /** Whether a binding gets an event: by its severity, and for escalations only what was escalated and what became of that. */
  async #concerns(channel: StoredChannel, binding: StoredBinding, event: StoredEvent): Promise<boolean> {
    const { min_severity, receives } = binding;
    if (rankOf(event.severity) > rankOf(min_severity)) return false;
    if (receives !== 'escalations' && !(await this.#isForChannel(channel, binding, event))) return false;
    if (receives !== 'escalations' || event.event_type === 'alert.escalated') return true;
    const alertId = event.data.alert?.alert_id;
    return alertId !== undefined && this.#deps.records.hasEvent(new RegExp(`^${escalatedId(alertId)}$`), {});
  }

  /**
   * A rule may name its channels. Webhooks get every event all the same, so that their sequences have no gaps. Where none of the channels
   * is bound any more, all get it: an alert that nobody hears of is worse.
   */
  async #isForChannel({ provider }: StoredChannel, binding: StoredBinding, event: StoredEvent): Promise<boolean> {
    const named = event.data.alert?.only_channels;
    if (provider === 'webhook' || named === undefined || named.includes(binding.channel_id)) return true;
    const bound = await this.#deps.store.onVault(binding);
    return !bound.some(
      ({ channel_id, receives, role_ended_block }) =>
        role_ended_block === undefined && receives !== 'escalations' && named.includes(channel_id),
    );
  }

  /** Nobody answered in time: that is not held back where escalations go, nor anywhere while no channel that works is for them. */
  async #breaksThrough(binding: StoredBinding, { event_type, severity }: StoredEvent): Promise<boolean> {
    if (event_type !== 'alert.escalated') return false;
    if (binding.receives === 'escalations') return true;
    const { store } = this.#deps;
    const others = (await store.onVault(binding)).filter(
      ({ receives, min_severity, role_ended_block }) =>
        role_ended_block === undefined && receives === 'escalations' && rankOf(severity) <= rankOf(min_severity),
    );
    for (const { channel_id, bound_by, failures } of others) {
      const channel = await store.get(channel_id);
      if (channel?.is_active && channel.owner === bound_by && this.#isOpen(channel) && failures === 0) return false;
    }
    return true;
  }

  #isDigestDue({ quiet_hours }: StoredChannel, { held = [] }: StoredBinding): boolean {
    if (held.length === 0) return false;
    return quiet_hours == null || held.length >= MOST_HELD || !isQuiet(quiet_hours, this.#deps.now());
  }

  /** What quiet hours held back, as one message before anything that came later. */
  async #deliverDigest(channel: StoredChannel, binding: StoredBinding, held: Held): Promise<StoredBinding | undefined> {
    const { records, store, now } = this.#deps;
    const sequences = (binding.held ?? []).slice(0, DIGEST);
    const ok = await this.#attemptFor(channel, binding, held, async () => {
      const found = await records.eventsOf(binding.chain_id, binding.vault, sequences);
      return digestOf(binding, found, now());
    });
    return ok ? store.release(binding, sequences, now()) : undefined;
  }

  /** One try for a binding, and when the next one is. @returns whether it arrived. */
  async #attemptFor(
    channel: StoredChannel,
    binding: StoredBinding,
    held: Held,
    event: () => Promise<AlertEvent>,
  ): Promise<boolean> {
    const { store, now } = this.#deps;
    // Checked at each delivery: what an alert says, private notes included, is for managers only.
    if (!(await this.#mayDeliver(binding))) {
      await store.rest(binding, now());
      return false;
    }
    const made = await event();
    // It may have stood still, or been slow, for longer than its lease: the next step goes on, of whichever process.
    if (now().getTime() + SEND_MS >= held.untilMs()) return false;
    if (await this.attempt(channel, binding, made)) return true;
    const waitSeconds = RETRY_SECONDS[binding.failures] ?? PROBE_SECONDS;
    await store.failed(binding, new Date(now().getTime() + waitSeconds * 1000));
    return false;
  }

  /** Names who is on duty now; of an escalation that is in the event. */
  async #withDuty(event: AlertEvent): Promise<AlertEvent> {
    const { chain_id, vault_address, event_type, data } = event;
    if (!namesDuty.has(event_type) || chain_id === null || vault_address === null) return event;
    const stored = await rotaOf(this.#deps.escalation.duty, { chain_id, vault_address });
    const { on_duty } = stored?.rota ? dutyAt(stored.rota, this.#deps.now()) : { on_duty: null };
    return on_duty ? { ...event, data: { ...data, on_duty } } : event;
  }

  #isOpen(channel: StoredChannel): boolean {
    try {
      this.#deps.store.configOf(channel);
      return true;
    } catch {
      return false;
    }
  }

  /** False also when nobody can say. */
  async #mayDeliver(binding: StoredBinding): Promise<boolean> {
    try {
      return await mayDeliver(this.#deps, binding);
    } catch (error) {
      this.#deps.log.warn('could not check the role for a delivery, retrying', { error: error as Error });
      return false;
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
