import {
  ConfigChanged,
  type DurableEvent,
  type EventData,
  ObservationDropped,
  ReportAccepted,
  ReportRejected,
  RoundFinished,
  RoundStarted,
  StrategyRecovered,
  StrategyStale,
  TransmissionAttempted,
  TransmissionConfirmed,
  TransmissionFailed,
  TransmissionMined,
  TransmissionSuperseded,
} from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
import { type Address, getAddress, type Hash, type Hex } from 'viem';
import type { NetworkConfig, ProtocolEvent, SignedEntry } from '../ports.ts';
import type { EventLedger } from './event-ledger.ts';
import type { Transition } from './staleness.ts';

export type TransmissionAbout = {
  /** Tells this change of this transmission from every other, for ever. */
  id: string;
  epoch: number;
  round: number;
  digest: Hex;
  chainId: number;
  transmitter: Address;
  hash: Hash | null;
  strategies: readonly Address[];
};

export type TransmissionOutcome = TransmissionAbout & {
  blockNumber: bigint | null;
  reason: string | null;
  outcomes: readonly { strategy: Address; status: 'success' | 'failure' | 'superseded'; reason: string | null }[];
};

/** Tells the system what happens in this node. What returns a promise is kept once it resolves. */
export type Teller = {
  /** From now on events are of this configuration; told when it is another than before. */
  setConfig(config: NetworkConfig | null, index: number | null): void;
  observe(event: ProtocolEvent): void;
  strategy(transition: Transition): Promise<void>;
  attempted(about: TransmissionAbout & { nonce: number }): Promise<void>;
  transmission(kind: 'mined' | 'confirmed' | 'failed' | 'superseded', about: TransmissionOutcome): Promise<void>;
};

export type TellerOptions = {
  ledger: EventLedger;
  nodeId: string;
  network: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Logger;
};

const iso = (seconds: number | bigint) => new Date(Number(seconds) * 1000).toISOString();

const priceOf = ({ chainId, strategy, nonce, timestamp }: SignedEntry) => ({
  chain_id: chainId,
  strategy_address: getAddress(strategy),
  nonce: String(nonce),
  report_timestamp: iso(timestamp),
});

export function createTeller(options: TellerOptions): Teller {
  return new BusTeller(options);
}

const outcomeEvents = {
  mined: TransmissionMined,
  confirmed: TransmissionConfirmed,
  failed: TransmissionFailed,
  superseded: TransmissionSuperseded,
} as const;

class BusTeller implements Teller {
  readonly #options: TellerOptions;
  #config: NetworkConfig | null = null;
  #index: number | null = null;

  constructor(options: TellerOptions) {
    this.#options = options;
  }

  setConfig(config: NetworkConfig | null, index: number | null): void {
    const before = this.#config;
    this.#config = config;
    this.#index = index;
    if (!config || config.digest === before?.digest) return;
    this.#quietly(ConfigChanged, `config:${before?.digest ?? 'none'}:${config.digest}`, {
      chain_id: config.chainId,
      quorum: config.quorum,
      f: config.f,
      oracles: config.oracles.map(({ signer, transmitter }, i) => ({
        index: i,
        signer: getAddress(signer),
        transmitter: getAddress(transmitter),
      })),
      round_seconds: config.timing.deltaRound / 1000,
      heartbeat_seconds: config.pricing.heartbeatSeconds,
    });
  }

  observe(event: ProtocolEvent) {
    switch (event.type) {
      case 'round_started':
        return this.#ofRound(RoundStarted, event, { leader: event.leader });
      case 'round_completed': {
        const { leader, outcome, observers, signers, entries } = event;
        const told = {
          leader,
          outcome,
          observers: [...observers],
          signers: [...signers],
          prices: entries.map(priceOf),
        };
        return this.#ofRound(RoundFinished, event, told);
      }
      case 'observation_dropped':
        return this.#ofRound(
          ObservationDropped,
          event,
          { observer: event.observer, reason: event.reason },
          event.observer,
        );
      case 'report_accepted':
        return this.#ofRound(ReportAccepted, event, {});
      case 'report_rejected':
        return this.#ofRound(ReportRejected, event, {});
    }
  }

  strategy({ chainId, strategy, kind, lastUpdateSeconds }: Transition): Promise<void> {
    const id = `${chainId}:${strategy.toLowerCase()}:${kind}:${lastUpdateSeconds ?? 'never'}`;
    return this.#tell(kind === 'stale' ? StrategyStale : StrategyRecovered, id, {
      chain_id: chainId,
      strategy_address: getAddress(strategy),
      last_update: lastUpdateSeconds === null ? null : iso(lastUpdateSeconds),
    });
  }

  attempted(about: TransmissionAbout & { nonce: number }): Promise<void> {
    return this.#tell(TransmissionAttempted, about.id, { ...transmissionOf(about), nonce: about.nonce });
  }

  transmission(kind: keyof typeof outcomeEvents, about: TransmissionOutcome): Promise<void> {
    return this.#tell(outcomeEvents[kind], about.id, {
      ...transmissionOf(about),
      block_number: about.blockNumber === null ? null : Number(about.blockNumber),
      reason: about.reason,
      outcomes: about.outcomes.map(({ strategy, status, reason }) => ({
        strategy_address: getAddress(strategy),
        status,
        reason,
      })),
    });
  }

  #ofRound(event: DurableEvent, { epoch, round }: { epoch: number; round: number }, data: object, part?: number) {
    const of = this.#config?.digest.slice(0, 18) ?? 'none';
    const id = [of, epoch, round, event.name, ...(part === undefined ? [] : [part])].join(':');
    this.#quietly(event, id, { epoch, round, ...data });
  }

  /** The protocol does not wait for those who watch it. */
  #quietly(event: DurableEvent, id: string, data: object) {
    this.#tell(event, id, data).catch((error: unknown) =>
      this.#options.log.error('event is lost', { event: event.name, id, error }),
    );
  }

  #tell(event: DurableEvent, id: string, data: object): Promise<void> {
    const { ledger, nodeId, network, now } = this.#options;
    const told = {
      id: `${nodeId}:${id}`,
      node_id: nodeId,
      node_index: this.#index,
      network,
      config_digest: this.#config?.digest ?? null,
      config_version: this.#config ? String(this.#config.version) : null,
      t: new Date(now()).toISOString(),
      ...data,
    };
    return ledger.add(event, told as Omit<EventData<DurableEvent>, 'seq'>);
  }
}

const transmissionOf = ({ epoch, round, digest, chainId, transmitter, hash, strategies }: TransmissionAbout) => ({
  epoch,
  round,
  // Of the report, which an earlier configuration may have made.
  config_digest: digest,
  chain_id: chainId,
  transmitter: getAddress(transmitter),
  tx_hash: hash,
  strategies: strategies.map((strategy) => getAddress(strategy)),
});
