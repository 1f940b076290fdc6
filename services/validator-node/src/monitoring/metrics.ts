import type { Gauge, Registry } from '@castellan/service-kit';
import { type Address, getAddress } from 'viem';
import { type NodeEvent, refusedResults } from './events.ts';
import { combinations, createInstruments, type Instruments } from './instruments.ts';
import { Staleness } from './staleness.ts';

export type MetricsOptions = {
  /** Chain ids of the configuration: the closed set of the label. Strategies may be added later. */
  chains: readonly { chainId: number; strategies: readonly Address[] }[];
  version: string;
  /** Local milliseconds since the epoch. */
  now: () => number;
  healthCheckIntervalMs: number;
  /** How often the main loop promises to call `tick`. */
  tickMs: number;
  /** false leaves out what the process itself measures. */
  processMetrics?: boolean;
};

export type Metrics = {
  registry: Registry;
  staleness: Staleness;
  /** Takes every event of the node; never throws. */
  observe(event: NodeEvent): void;
  /** The strategies of one chain, when they are learned or change. */
  watch(chainId: number, strategies: readonly Address[]): void;
  /** This node's place in the configuration; null while it has none. */
  setIndex(index: number | null): void;
  /** The main loop runs. */
  tick(): void;
  /** Milliseconds since the main loop last ran. */
  tickAge(): number;
  /** The node shuts down: ocr2_up is 0 from now on. */
  close(): void;
};

const missedTicks = 3;

/** Turns what happens in a node into its metrics. A scrape reads memory only. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { now, tickMs } = options;
  const it = createInstruments({ ...options, chainIds: options.chains.map(({ chainId }) => chainId) });
  const staleness = new Staleness({ now, intervalMs: options.healthCheckIntervalMs });
  let tickedAt = now();
  let closed = false;
  let index: number | null = null;
  const tickAge = () => now() - tickedAt;
  onScrape(it.up, (gauge) => gauge.set(!closed && tickAge() <= missedTicks * tickMs ? 1 : 0));
  onScrape(it.updateStale, (gauge) => {
    gauge.reset();
    for (const { chainId, strategy, isStale } of staleness.list())
      gauge.set({ chain_id: String(chainId), strategy }, isStale ? 1 : 0);
  });
  onScrape(it.lastUpdate, (gauge) => {
    gauge.reset();
    for (const { chainId, strategy, blockSeconds } of staleness.list())
      if (blockSeconds !== null) gauge.set({ chain_id: String(chainId), strategy }, blockSeconds);
  });
  for (const { chainId, strategies } of options.chains) staleness.watch(chainId, strategies);
  const recorder = new Recorder(it, staleness, now, () => index);
  return {
    registry: it.registry,
    staleness,
    observe: (event) => recorder.observe(event),
    watch: (chainId, strategies) => {
      staleness.watch(chainId, strategies);
      it.ppsDeviation.reset(); // Set again by the next round; a strategy that left must not stay.
    },
    setIndex: (value) => {
      index = value;
    },
    tick: () => {
      tickedAt = now();
    },
    tickAge,
    close: () => {
      closed = true;
    },
  };
}

/** prom-client calls `collect` of an instrument at each scrape. */
function onScrape(gauge: Gauge, collect: (gauge: Gauge) => void) {
  (gauge as Gauge & { collect: () => void }).collect = () => collect(gauge);
}

class Recorder {
  readonly #it: Instruments;
  readonly #staleness: Staleness;
  readonly #now: () => number;
  readonly #index: () => number | null;

  constructor(it: Instruments, staleness: Staleness, now: () => number, index: () => number | null) {
    this.#it = it;
    this.#staleness = staleness;
    this.#now = now;
    this.#index = index;
  }

  observe(event: NodeEvent) {
    const it = this.#it;
    switch (event.type) {
      case 'phase':
        return this.#phase(event);
      case 'epoch_changed':
        it.epochChanges.inc({ reason: event.reason });
        it.epoch.set(event.epoch);
        return this.#leader(event.leader);
      case 'round_started':
        it.epoch.set(event.epoch);
        it.round.set(event.round);
        return this.#leader(event.leader);
      case 'round_completed':
        return this.#completed(event);
      case 'left_out':
        return it.leftOut.inc({ leader: String(event.leader) }, event.strategies.length);
      case 'sign_refused':
        return void it.signRefused.inc({ reason: event.reason });
      case 'message':
      case 'transport_message':
        return this.#message(event);
      case 'price_validated':
        return this.#staleness.heard(event.chainId, event.strategy, event.blockSeconds, event.headSeconds);
      case 'config_active':
      case 'config_refused':
        return this.#config(event);
      case 'evidence_kept':
        it.conflictingSignatures.reset();
        for (const [signer, count] of event.counts) it.conflictingSignatures.set({ signer }, count);
        return;
      case 'conflicting_signatures':
        return it.conflictingSignatures.inc({ signer: event.signer });
      case 'bus_connection':
        return it.busUp.set(event.up ? 1 : 0);
      case 'database':
        return it.databaseUp.set(event.up ? 1 : 0);
      case 'signed':
        it.signs.inc({ kind: event.kind, result: event.result });
        return it.signDuration.observe({ kind: event.kind }, event.seconds);
      case 'started':
        it.epoch.set(event.epoch);
        return this.#leader(event.leader);
      case 'report_accepted':
      case 'report_rejected':
      case 'observation_dropped':
      case 'observation_sent':
      case 'report_signed':
      case 'transmission_scheduled':
      case 'transmission_submitted':
      case 'phase_overran':
      case 'guard_recovered':
      case 'fault':
        return;
      default:
        return this.#onChain(event);
    }
  }

  #phase({ phase, result, seconds }: Extract<NodeEvent, { type: 'phase' }>) {
    const it = this.#it;
    it.phase.inc({ phase, result });
    it.phaseDuration.observe({ phase, result }, seconds);
    if (phase === 'observation' && result === 'success') it.sent.inc();
    if (result === 'stale') it.staleReports.inc({ phase });
    if (result === 'deviation') it.deviations.inc();
    if (result === 'nonce_mismatch') it.nonceMismatches.inc();
  }

  #leader(leader: number) {
    this.#it.leader.set(leader);
    this.#it.isLeader.set(leader === this.#index() ? 1 : 0);
  }

  #completed({ leader, observers }: Extract<NodeEvent, { type: 'round_completed' }>) {
    const own = this.#index();
    this.#it.completed.inc();
    if (leader === own) this.#it.ledCompleted.inc();
    if (own !== null && observers.includes(own)) this.#it.included.inc();
  }

  #message({ from, result }: { from: number; result: string }) {
    this.#it.messages.inc({ result });
    if ((refusedResults as readonly string[]).includes(result))
      this.#it.refused.inc({ peer: from < 0 ? 'none' : String(from), result });
    if (result === 'ok') this.#it.peerLastSeen.set({ peer: String(from) }, this.#now() / 1000);
  }

  #config(event: Extract<NodeEvent, { type: 'config_active' | 'config_refused' }>) {
    const it = this.#it;
    if (event.type === 'config_refused') {
      if (event.reason === 'reorg') it.configReorgs.inc();
      else it.configErrors.inc({ stage: event.reason });
      return;
    }
    if (!event.firstAfterStart) it.configChanges.inc();
    it.configVersion.set(Number(event.version));
    it.configSigners.set(event.signers);
    it.configF.set(event.f);
    it.configInfo.reset();
    it.configInfo.set({ digest: event.digest }, 1);
    // Indexes mean other oracles now.
    it.peerLastSeen.reset();
    it.refused.reset();
    it.leftOut.reset();
    const peers = Array.from({ length: event.signers }, (_, peer) => String(peer));
    for (const set of combinations({ peer: ['none', ...peers], result: refusedResults })) it.refused.inc(set, 0);
    for (const leader of peers) it.leftOut.inc({ leader }, 0);
  }

  #onChain(event: ChainEvent) {
    const it = this.#it;
    const chain_id = String(event.chainId);
    switch (event.type) {
      case 'strategy_observed':
        return void it.observations.inc({ chain_id, result: event.result });
      case 'strategy_insufficient':
        return void it.insufficient.inc({ chain_id });
      case 'pps_deviation':
        return it.ppsDeviation.set({ chain_id, strategy: getAddress(event.strategy) }, event.ppb);
      case 'pps_fetched':
        it.fetches.inc({ chain_id, result: event.result });
        return it.fetchDuration.observe({ chain_id }, event.seconds);
      case 'rpc_request':
        return void it.rpcRequests.inc({ chain_id, rpc: String(event.rpc), result: event.result });
      case 'rpc_head':
        it.rpcHead.set({ chain_id, rpc: String(event.rpc) }, Number(event.block));
        return it.rpcLag.set({ chain_id, rpc: String(event.rpc) }, event.lagSeconds);
      default:
        return this.#transmission(event, chain_id);
    }
  }

  #transmission(event: TransmissionEvent, chain_id: string) {
    const it = this.#it;
    switch (event.type) {
      case 'transmit_submitted':
        return void it.transmitStrategies.inc({ chain_id }, event.strategies);
      case 'pack_failed':
        return void it.packErrors.inc({ chain_id });
      case 'strategy_rejected':
        return void it.rejected.inc({ chain_id, reason: event.reason });
      case 'tx':
        return void it.txCounters[event.change].inc({ chain_id });
      case 'tx_pending':
        return it.txPending.set({ chain_id }, event.count);
      case 'transmitter_balance':
        return it.balance.set({ chain_id }, Number(event.wei));
      case 'transmit_finished':
        it.transmit.inc({ chain_id, status: event.status });
        if (event.status === 'success' || event.status === 'failure' || event.status === 'error')
          it.transmitDuration.observe({ result: event.status }, event.seconds);
    }
  }
}

type ChainEvent = Exclude<Extract<NodeEvent, { chainId: number }>, { type: 'price_validated' }>;
type TransmissionEvent = Exclude<
  ChainEvent,
  { type: 'strategy_observed' | 'strategy_insufficient' | 'pps_deviation' | 'pps_fetched' | 'rpc_request' | 'rpc_head' }
>;
