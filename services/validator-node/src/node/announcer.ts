import {
  ConfigChanged,
  type DurableEvent,
  type EventData,
  NodeAlive,
  ObservationDropped,
  PriceTransmitted,
  ReportAccepted,
  ReportRejected,
  RoundFinished,
  RoundStarted,
  StrategyRecovered,
  StrategyStale,
  type Transmission,
  TransmissionAttempted,
  TransmissionConfirmed,
  TransmissionFailed,
  TransmissionMined,
  TransmissionSuperseded,
  validatorEvents,
} from '@castellan/contracts';
import type { Logger, Outbox } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { type Address, getAddress } from 'viem';
import type { Transition } from '../monitoring/staleness.ts';
import { observedPrices } from '../plugin/observation.ts';
import {
  type Clock,
  type NetworkConfig,
  type ProtocolEvent,
  type SignedEntry,
  type SignedPrice,
  strategyKey,
} from '../ports.ts';
import type { TransmitEvent } from '../transmit/types.ts';

type Completed = Extract<ProtocolEvent, { type: 'round_completed' }>;
type Envelope = 'id' | 'node_id' | 'node_index' | 'seq' | 'network' | 'config_digest' | 'config_version' | 't';
type Content<E extends DurableEvent> = Omit<EventData<E>, Envelope>;

export type AnnouncerOptions = {
  connection: Connection;
  /** null: nobody takes events. */
  outbox: Outbox | null;
  nodeId: string;
  network: string;
  transmitter: Address;
  now: () => Date;
  clock: Clock;
  log: Logger;
};

const RETRY_MS = 1_000;

/** `stale`: strategies that were announced as stale and not yet as recovered. */
type SequenceDocument = { _id: 'sequence'; seq: number; event: string; data: unknown; stale?: string[] };

const keyOf = ({ chain_id, strategy_address }: { chain_id: number; strategy_address: string }) =>
  `${chain_id}:${strategy_address}`;

const iso = (seconds: bigint | number): string => new Date(Number(seconds) * 1_000).toISOString();

const priceOf = ({ chainId, strategy, nonce, timestamp }: SignedEntry) => ({
  chain_id: chainId,
  strategy_address: getAddress(strategy),
  nonce: String(nonce),
  report_timestamp: iso(timestamp),
});

const agreedPrices = ({ entries, prices, observations }: Completed): EventData<typeof RoundFinished>['prices'] => {
  const observed = observedPrices(observations);
  return entries.map((entry, place) => ({
    ...priceOf(entry),
    pps: prices[place] === undefined ? null : String(prices[place]),
    observed: (observed.get(strategyKey(entry.chainId, entry.strategy)) ?? []).map(({ observer, pps }) => ({
      observer,
      pps: String(pps),
    })),
  }));
};

/** Every event that has left this node, by its place in the sequence: stored before it is sent, and sent until it is taken. */
export const announced: readonly DurableEvent[] = [...validatorEvents, PriceTransmitted];

/** Silence after which a node says that it lives: with short rounds after two of them, with long ones after one. */
const QUIET_MS = 20_000;
const quietMsFor = (roundMs: number) => Math.max(roundMs, Math.min(QUIET_MS, 2 * roundMs));

/** Publishes to internal services what the node does: at least once, in order, with a number that has no gap. */
export class Announcer {
  readonly #options: AnnouncerOptions;
  #config: NetworkConfig | null = null;
  #index: number | null = null;
  #seq = 0;
  #stale = new Set<string>();
  #announcedAt = 0;
  #queue: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Goes on behind the last event of an earlier process, which may not have reached the outbox. */
  async start(): Promise<void> {
    const last = await this.#sequence.findOne({ _id: 'sequence' });
    if (!last) return;
    this.#seq = last.seq;
    this.#stale = new Set(last.stale);
    const event = announced.find(({ name }) => name === last.event);
    if (event)
      await this.#options.outbox?.publish(event, last.data as EventData<DurableEvent>, {
        msgId: this.#msgId(last.seq),
      });
  }

  /** Resolves when all announcements so far are stored, or when the store does not take it now. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#queue.catch(() => undefined);
  }

  configured(config: NetworkConfig, index: number | null): void {
    this.#config = config;
    this.#index = index;
    this.#announce(ConfigChanged, {
      chain_id: config.chainId,
      quorum: config.quorum,
      f: config.f,
      oracles: config.oracles.map(({ signer, transmitter }, place) => ({ index: place, signer, transmitter })),
      round_seconds: config.timing.deltaRound / 1_000,
      heartbeat_seconds: config.pricing.heartbeatSeconds,
    });
  }

  protocol(event: ProtocolEvent): void {
    if (!('round' in event)) return;
    const at = { epoch: event.epoch, round: event.round };
    switch (event.type) {
      case 'round_started':
        this.#announce(RoundStarted, { ...at, leader: event.leader });
        break;
      case 'round_completed':
        this.#announce(RoundFinished, {
          ...at,
          leader: event.leader,
          outcome: event.outcome,
          observers: [...event.observers],
          signers: [...event.signers],
          prices: agreedPrices(event),
        });
        break;
      case 'observation_dropped':
        this.#announce(ObservationDropped, { ...at, observer: event.observer, reason: event.reason });
        break;
      case 'report_accepted':
        this.#announce(ReportAccepted, at);
        break;
      case 'report_rejected':
        this.#announce(ReportRejected, at);
        break;
      default:
    }
  }

  /** @param about - What a key that was handed over stands for. */
  async transmission(event: TransmitEvent, about: (key: string) => Handed | undefined): Promise<void> {
    if (event.type === 'attempted') this.#attempted(event, about(event.key));
    else if ('outcomes' in event && event.kind === 'transmit') {
      this.#ended(event);
      // The manager forgets the event when this resolves: by then it must be stored.
      await this.#queue;
    }
  }

  strategy({ kind, chainId, strategy, lastUpdateSeconds }: Transition): void {
    const content = {
      chain_id: chainId,
      strategy_address: getAddress(strategy),
      last_update: lastUpdateSeconds === null ? null : iso(lastUpdateSeconds),
    };
    if (kind === 'stale') this.#stale.add(keyOf(content));
    // After a restart nothing turns fresh for this process, and an earlier process's announcement would never be taken back.
    else if (!this.#stale.delete(keyOf(content))) return;
    this.#announce(kind === 'stale' ? StrategyStale : StrategyRecovered, content);
  }

  /** Says which strategies of a chain are watched from now on: a price of any other is waited for no more. */
  watching(chainId: number, strategies: readonly Address[]): void {
    const watched = new Set(strategies.map((each) => keyOf({ chain_id: chainId, strategy_address: getAddress(each) })));
    const ofChain = keyOf({ chain_id: chainId, strategy_address: '' });
    for (const key of this.#stale) {
      if (!key.startsWith(ofChain) || watched.has(key)) continue;
      const strategy = getAddress(key.slice(ofChain.length));
      this.strategy({ kind: 'recovered', chainId, strategy, lastUpdateSeconds: null });
    }
  }

  /** Called often; announces only after a time without announcements. */
  beat(): void {
    if (!this.#config) return;
    const quietMs = quietMsFor(this.#config.timing.deltaRound);
    if (this.#options.now().getTime() - this.#announcedAt >= quietMs) this.#announce(NodeAlive, {});
  }

  #attempted(event: Extract<TransmitEvent, { type: 'attempted' }>, handed: Handed | undefined): void {
    if (event.result !== 'accepted' || !handed) return;
    this.#announce(TransmissionAttempted, { ...this.#common(handed), tx_hash: event.hash, nonce: event.nonce });
  }

  #ended(event: Extract<TransmitEvent, { id: string }>): void {
    const kind = eventOfTransmit[event.type];
    if (!kind) return;
    const content = {
      ...this.#common(event),
      tx_hash: event.hash,
      ...(event.nonce !== null && { nonce: event.nonce }),
      block_number: event.blockNumber === null ? null : Number(event.blockNumber),
      reason: event.reason,
      outcomes: event.outcomes.map(({ strategy, ...rest }) => ({ strategy_address: getAddress(strategy), ...rest })),
    };
    this.#announce(kind, content, event.id);
    for (const price of event.prices) this.#priced(event, price);
  }

  #priced(event: Extract<TransmitEvent, { id: string }>, price: SignedPrice): void {
    const outcome = event.outcomes.find(({ strategy }) => strategy.toLowerCase() === price.strategy.toLowerCase());
    const { outbox, transmitter, nodeId, now } = this.#options;
    const status: Transmission['status'] = outcome?.status ?? (event.type === 'lost' ? 'error' : 'failure');
    const data = {
      chain_id: price.chainId,
      strategy_address: getAddress(price.strategy),
      vault_address: null,
      pps: String(price.pps),
      report_timestamp: iso(price.timestamp),
      transmitter,
      signers: price.signers.map((signer) => getAddress(signer)),
      tx_hash: event.hash,
      status,
      reason: outcome?.reason ?? event.reason,
      epoch: event.about.epoch,
      round: event.about.round,
      node_id: nodeId,
      t: now().toISOString(),
      transmission_id: event.key,
    };
    const msgId = `${event.id}:${price.strategy.toLowerCase()}`;
    this.#inTurn(async () => outbox?.publish(PriceTransmitted, data, { msgId }));
  }

  #common({ about, prices }: Handed) {
    return {
      epoch: about.epoch,
      round: about.round,
      chain_id: prices[0]?.chainId ?? 0,
      transmitter: this.#options.transmitter,
      strategies: prices.map(({ strategy }) => getAddress(strategy)),
    };
  }

  /** @param id - The same for each repetition of the event; its number when left out. */
  #announce<E extends DurableEvent>(event: E, content: Content<E>, id?: string): void {
    const { nodeId, network, now, outbox } = this.#options;
    this.#announcedAt = now().getTime();
    const config = this.#config;
    const index = this.#index;
    const t = now().toISOString();
    const stale = [...this.#stale];
    let numbered: { seq: number; data: EventData<E> } | undefined;
    this.#inTurn(async () => {
      if (!numbered) {
        const seq = this.#seq + 1;
        const data = {
          ...content,
          id: `${nodeId}:${id ?? seq}`,
          node_id: nodeId,
          node_index: index,
          seq,
          network,
          config_digest: config?.digest ?? null,
          config_version: config === null ? null : String(config.version),
          t,
        } as EventData<E>;
        // One step: the number and what it stands for. A crash after it is made good by the next start.
        await this.#sequence.replaceOne({ _id: 'sequence' }, { seq, event: event.name, data, stale }, { upsert: true });
        this.#seq = seq;
        numbered = { seq, data };
      }
      await outbox?.publish(event, numbered.data, { msgId: this.#msgId(numbered.seq) });
    });
  }

  /** One after the other, each until it is stored: a later event would take the number of one that was passed over. */
  #inTurn(store: () => Promise<unknown>): void {
    this.#queue = this.#queue.then(async () => {
      for (;;) {
        try {
          await store();
          return;
        } catch (error) {
          this.#options.log.warn('could not store an announcement, retrying', { error: error as Error });
          // The next start goes on with it, and the transmitter repeats its event.
          if (this.#stopping) throw error;
          await new Promise<void>((resolve) => this.#options.clock.after(RETRY_MS, resolve));
        }
      }
    });
    // Callers that must know wait for the queue; for the others the failure is logged.
    this.#queue.catch(() => undefined);
  }

  #msgId(seq: number): string {
    return `${this.#options.nodeId}:${seq}`;
  }

  get #sequence() {
    return this.#options.connection.collection<SequenceDocument>('announcements');
  }
}

export type Handed = { about: { epoch: number; round: number }; prices: readonly SignedPrice[] };

const eventOfTransmit: Partial<Record<TransmitEvent['type'], DurableEvent>> = {
  mined: TransmissionMined,
  confirmed: TransmissionConfirmed,
  failed: TransmissionFailed,
  lost: TransmissionFailed,
  superseded: TransmissionSuperseded,
};
