import { Counter, Gauge, Histogram, Registry, registerProcessMetrics } from '@castellan/service-kit';
import { messageResults, refusedResults, rejectReasons, transmitStatuses, txChanges } from './events.ts';

export const phases = ['query', 'observation', 'report', 'should_accept', 'should_transmit'] as const;
export const phaseResults = [
  'success',
  'failure',
  'error',
  'accept',
  'transmit',
  'stale',
  'deviation',
  'nonce_mismatch',
  'invalid_pps',
  'timeout',
] as const;
export const observationResults = ['success', 'error', 'skipped'] as const;
export const durationResults = ['success', 'failure', 'error'] as const;
export const epochReasons = ['progress_timeout', 'initial_timeout', 'rmax', 'resigned', 'joined'] as const;
export const signRefusals = [
  'round_not_above',
  'recovering',
  'nonce_not_above',
  'timestamp_not_above',
  'plugin',
] as const;

/** A phase is a read of some contracts at best and runs into its budget of seconds at worst. */
const phaseBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** A transmission waits for blocks, and for replacements when fees rise. */
const transmitBuckets = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];
/** A key in memory takes a millisecond, one behind a network a second. */
const signBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

type Labels = Readonly<Record<string, readonly string[]>>;

/** Every combination of closed label values. */
export function combinations(labels: Labels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (sets, [name, values]) => sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
}

/** Makes instruments in one registry; each closed series begins at 0, so that `increase()` sees the first event. */
function maker(registry: Registry) {
  const registers = [registry];
  return {
    gauge(name: string, help: string, labelNames: readonly string[] = []) {
      return new Gauge({ name, help, labelNames: [...labelNames], registers });
    },
    counter(name: string, help: string, labels: Labels = {}) {
      const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
      for (const set of combinations(labels)) counter.inc(set, 0);
      return counter;
    },
    histogram(name: string, help: string, buckets: number[], labels: Labels) {
      const histogram = new Histogram({ name, help, labelNames: Object.keys(labels), buckets, registers });
      for (const set of combinations(labels)) histogram.zero(set);
      return histogram;
    },
  };
}

/** All that a node measures, in a registry of its own without default labels. */
export function createInstruments(options: { chainIds: readonly number[]; version: string; processMetrics?: boolean }) {
  const registry = new Registry();
  if (options.processMetrics !== false) registerProcessMetrics(registry);
  const { gauge, counter } = maker(registry);
  const chain_id = options.chainIds.map(String);
  gauge('ocr2_build_info', 'Always 1; the label names the build', ['version']).set({ version: options.version }, 1);
  return {
    registry,
    up: gauge('ocr2_up', '1 while the main loop ticks, 0 when it hangs or the node shuts down'),
    ...strategyInstruments(registry, chain_id),
    ...pluginInstruments(registry, chain_id),
    ...protocolInstruments(registry),
    ...chainInstruments(registry, chain_id),
    configVersion: gauge('ocr2_config_version', 'Version of the active configuration; 0 for none'),
    configSigners: gauge('ocr2_config_signers', 'Oracles of the active configuration'),
    configF: gauge('ocr2_config_f', 'Faulty oracles the active configuration tolerates'),
    configInfo: gauge('ocr2_config_info', '1 for the digest of the active configuration', ['digest']),
    configChanges: counter('ocr2_config_changes_total', 'Configurations applied after the first'),
    configReorgs: counter('ocr2_config_reorgs_total', 'Configurations refused because their version does not grow'),
    configErrors: counter('ocr2_config_load_errors_total', 'Configurations that could not be used', {
      stage: ['parse', 'reload'],
    }),
    databaseUp: gauge('ocr2_db_up', '1 while the document store answers'),
    busUp: gauge('ocr2_nats_up', '1 while the message bus is connected'),
  };
}
export type Instruments = ReturnType<typeof createInstruments>;

function strategyInstruments(registry: Registry, chain_id: readonly string[]) {
  const { gauge, counter, histogram } = maker(registry);
  return {
    lastUpdate: gauge('ocr2_strategy_last_update_seconds', 'Block time of the newest PPSValidated, Unix seconds', [
      'chain_id',
      'strategy',
    ]),
    updateStale: gauge('ocr2_strategy_update_stale', '1 when no update came for longer than health_check_interval', [
      'chain_id',
      'strategy',
    ]),
    transmit: counter('ocr2_transmit_total', 'Transmissions by outcome', { chain_id, status: transmitStatuses }),
    transmitStrategies: counter('ocr2_transmit_strategies_total', 'Strategies in submitted transactions', { chain_id }),
    packErrors: counter('ocr2_transmit_pack_errors_total', 'Reports that could not be packed', { chain_id }),
    transmitDuration: histogram(
      'ocr2_transmit_duration_seconds',
      'From the stage of this node to the known outcome',
      transmitBuckets,
      { result: durationResults },
    ),
    rejected: counter('ocr2_strategy_rejected_total', 'Prices the contracts did not store', {
      chain_id,
      reason: rejectReasons,
    }),
  };
}

function pluginInstruments(registry: Registry, chain_id: readonly string[]) {
  const { gauge, counter, histogram } = maker(registry);
  return {
    phase: counter('ocr2_plugin_phase_total', 'Phases by result', { phase: phases, result: phaseResults }),
    phaseDuration: histogram('ocr2_plugin_phase_duration_seconds', 'Time of one phase', phaseBuckets, {
      phase: phases,
      result: phaseResults,
    }),
    observations: counter('ocr2_plugin_observations_total', 'Observations of strategies by result', {
      chain_id,
      result: observationResults,
    }),
    insufficient: counter(
      'ocr2_plugin_insufficient_observations_total',
      'Strategies dropped from a report for want of observations',
      { chain_id },
    ),
    staleReports: counter('ocr2_plugin_stale_reports_total', 'Reports older than max_stale_duration', {
      phase: phases,
    }),
    deviations: counter('ocr2_plugin_deviation_rejections_total', 'Reports too far from this node’s own view'),
    nonceMismatches: counter('ocr2_plugin_nonce_mismatch_total', 'Reports whose nonce was used before acceptance'),
    ppsDeviation: gauge('ocr2_plugin_pps_deviation_ppb', 'Latest difference to the report, parts per billion', [
      'chain_id',
      'strategy',
    ]),
    signs: counter('ocr2_sign_total', 'Signatures by key and result', {
      kind: ['onchain', 'offchain'],
      result: ['success', 'error'],
    }),
    signDuration: histogram('ocr2_sign_duration_seconds', 'Time of one signature', signBuckets, {
      kind: ['onchain', 'offchain'],
    }),
    signRefused: counter('ocr2_sign_refused_total', 'Signatures this node refused to give', { reason: signRefusals }),
    fetches: counter('ocr2_pps_fetch_total', 'Reads of a share price', {
      chain_id,
      result: ['success', 'error', 'zero'],
    }),
    fetchDuration: histogram('ocr2_pps_fetch_duration_seconds', 'Time to read a share price', phaseBuckets, {
      chain_id,
    }),
  };
}

function protocolInstruments(registry: Registry) {
  const { gauge, counter } = maker(registry);
  return {
    epoch: gauge('ocr2_epoch', 'Epoch this node is in'),
    round: gauge('ocr2_round', 'Round this node is in'),
    leader: gauge('ocr2_leader', 'Index of the leader'),
    isLeader: gauge('ocr2_is_leader', '1 while this node leads'),
    completed: counter('ocr2_completed_rounds_total', 'Rounds that ended with a report or the agreement to skip'),
    ledCompleted: counter('ocr2_led_completed_rounds_total', 'The same, led by this node'),
    included: counter('ocr2_included_observations_total', 'Rounds whose report holds this node’s observation'),
    sent: counter('ocr2_sent_observations_total', 'Observations this node made'),
    epochChanges: counter('ocr2_epoch_changes_total', 'Changes of epoch by reason', { reason: epochReasons }),
    messages: counter('ocr2_messages_received_total', 'Messages of peers by what became of them', {
      result: messageResults,
    }),
    leftOut: counter('ocr2_left_out_total', 'Prices that were due and that a leader gave no chance', { leader: [] }),
    refused: counter('ocr2_messages_refused_total', 'Messages refused on the subjects of a peer, by what was wrong', {
      peer: [],
      result: refusedResults,
    }),
    conflictingSignatures: gauge(
      'ocr2_conflicting_signatures',
      'Signatures of one validator for two reports of a round or two prices of a nonce and time, kept as evidence',
      ['signer'],
    ),
    peerLastSeen: gauge('ocr2_peer_last_seen_seconds', 'When a peer’s last good message came, Unix seconds', ['peer']),
  };
}

function chainInstruments(registry: Registry, chain_id: readonly string[]) {
  const { gauge, counter } = maker(registry);
  const txCounters = Object.fromEntries(
    txChanges.map((change) => [change, counter(`ocr2_tx_${change}_total`, `Transactions ${change}`, { chain_id })]),
  ) as Record<(typeof txChanges)[number], Counter>;
  return {
    txCounters,
    txPending: gauge('ocr2_tx_pending', 'Transactions that wait for a block', ['chain_id']),
    balance: gauge('ocr2_transmitter_balance_wei', 'Balance of the transmitter', ['chain_id']),
    rpcRequests: counter(
      'ocr2_rpc_requests_total',
      'Requests by endpoint (its place in the configuration) and result',
      {
        chain_id,
        rpc: [],
        result: ['success', 'error'],
      },
    ),
    rpcHead: gauge('ocr2_rpc_head_block', 'Newest block of an endpoint', ['chain_id', 'rpc']),
    rpcLag: gauge('ocr2_rpc_head_lag_seconds', 'Age of the newest block of an endpoint', ['chain_id', 'rpc']),
  };
}
