import { z } from 'zod';
import { action } from '../action.ts';
import { durableEvent, stream } from '../event.ts';
import { Address, ChainId, Eip55, Hash, IntString, IsoTime, listOf, Seconds, UintString } from '../primitives.ts';
import { Transmission } from './vaults.ts';

/** What every event of a validator carries. `seq` grows by one with each event of the node: a gap is a lost event. */
const common = {
  /** The same whenever it is delivered. */
  id: z.string(),
  node_id: z.string(),
  /** Place in the configuration; null while the node has none. */
  node_index: z.int().nonnegative().nullable(),
  seq: z.int().positive(),
  network: z.string(),
  config_digest: Hash.nullable(),
  config_version: UintString.nullable(),
  /** The node's own clock. */
  t: IsoTime,
};
const round = { epoch: z.int().nonnegative(), round: z.int().nonnegative() };
const Index = z.int().nonnegative();

/** A price as a report names it; PPS raw, report time in chain time. */
export const ReportedPrice = z.object({
  chain_id: ChainId,
  strategy_address: Eip55,
  nonce: UintString,
  report_timestamp: IsoTime,
});

/** Events of the validators, kept for seven days. */
export const ValidatorStream = stream('VALIDATORS', 'validators', { maxAgeSeconds: 7 * 86_400, diskPercent: 18 });
const event = <T extends z.ZodRawShape>(name: string, shape: T) =>
  durableEvent(ValidatorStream, name, z.object({ ...common, ...shape }));

/** A round began under its leader. */
export const RoundStarted = event('round_started', { ...round, leader: Index });
/** A price as a round agreed on it. `observed`: what each observer read, PPS raw; empty where the node that reports did not see it. */
export const AgreedPrice = ReportedPrice.extend({
  /** PPS raw; null from nodes that did not report it yet. */
  pps: UintString.nullable().default(null),
  observed: z.array(z.object({ observer: Index, pps: UintString })).default([]),
});

/** `observers`: whose observations the outcome is made of; `signers`: whose signatures the report carries, none for a skip. */
export const RoundFinished = event('round_finished', {
  ...round,
  leader: Index,
  outcome: z.enum(['report', 'skip']),
  observers: z.array(Index),
  signers: z.array(Index),
  prices: z.array(AgreedPrice),
});
/** An observation was not used, and why. */
export const ObservationDropped = event('observation_dropped', { ...round, observer: Index, reason: z.string() });
/** The node takes a report for transmission (OCR2 `ShouldAcceptFinalizedReport`). */
export const ReportAccepted = event('report_accepted', round);
/** The node does not transmit a report (OCR2 `ShouldAcceptFinalizedReport`). */
export const ReportRejected = event('report_rejected', round);

const transmission = {
  ...round,
  chain_id: ChainId,
  transmitter: Eip55,
  tx_hash: Hash.nullable(),
  strategies: z.array(Eip55),
};
const outcomes = {
  ...transmission,
  /** Absent in those of a former version, and where nothing was ever sent. */
  nonce: z.int().optional(),
  block_number: z.int().nullable(),
  reason: z.string().nullable(),
  outcomes: z.array(
    z.object({
      strategy_address: Eip55,
      status: z.enum(['success', 'failure', 'superseded']),
      reason: z.string().nullable(),
    }),
  ),
};
/** A transaction with a report was sent. */
export const TransmissionAttempted = event('transmission_attempted', { ...transmission, nonce: z.int() });
/** In a block that may still go again. */
export const TransmissionMined = event('transmission_mined', outcomes);
/** The transaction has its confirmations. */
export const TransmissionConfirmed = event('transmission_confirmed', outcomes);
/** The transaction reverted or was given up. */
export const TransmissionFailed = event('transmission_failed', outcomes);
/** Another transmitter landed the same prices first. */
export const TransmissionSuperseded = event('transmission_superseded', outcomes);

/** The node follows another configuration of the chain. */
export const ConfigChanged = event('config_changed', {
  chain_id: ChainId,
  quorum: z.int(),
  f: z.int(),
  oracles: z.array(z.object({ index: Index, signer: Eip55, transmitter: Eip55 })),
  round_seconds: z.number(),
  heartbeat_seconds: Seconds,
});
const strategy = { chain_id: ChainId, strategy_address: Eip55, last_update: IsoTime.nullable() };
/** No price for longer than the node's check interval. */
export const StrategyStale = event('strategy_stale', strategy);
/** A stale strategy has a fresh price again, or the node watches it no more. */
export const StrategyRecovered = event('strategy_recovered', strategy);
/** Sent when nothing else was for a while, so that a node without rounds is not taken for one that is gone. */
export const NodeAlive = event('node_alive', {});

/** All events of `ValidatorStream`. */
export const validatorEvents = [
  RoundStarted,
  RoundFinished,
  ObservationDropped,
  ReportAccepted,
  ReportRejected,
  TransmissionAttempted,
  TransmissionMined,
  TransmissionConfirmed,
  TransmissionFailed,
  TransmissionSuperseded,
  ConfigChanged,
  StrategyStale,
  StrategyRecovered,
  NodeAlive,
] as const;

/** What is known of one oracle from the bus. `silent`: in none of the last rounds, though they went on without it. */
export const ValidatorNode = z.object({
  index: Index,
  node_id: z.string().nullable(),
  signer_address: Eip55,
  transmitter_address: Eip55,
  status: z.enum(['ok', 'silent', 'unknown']),
  /** Of the last finished rounds (`rounds_counted`), how many it observed, and how many reports it signed. */
  observed: Index,
  signed: Index,
  led: Index,
  /** Transmissions of the last day that stored a price. */
  transmitted: Index,
  last_seen: IsoTime.nullable(),
});

/** A finished round. */
export const ValidatorRound = z.object({
  ...round,
  leader: Index,
  outcome: z.enum(['report', 'skip']),
  observers: z.array(Index),
  signers: z.array(Index),
  /** Oracles of the configuration that did not observe. */
  missing: z.array(Index),
  prices: z.array(ReportedPrice),
  finished_at: IsoTime,
});

/** What is wrong with the network now, and the vaults it concerns. */
export const ValidatorIncident = z.object({
  kind: z.enum(['strategy_stale', 'node_silent', 'no_rounds']),
  since: IsoTime,
  node_index: Index.nullable(),
  vaults: z.array(
    z.object({ chain_id: ChainId, vault_address: Eip55, name: z.string(), tvl_usd: z.number().nullable() }),
  ),
  /** Sum of the TVL of those vaults; null when one of them has no price in dollars. */
  value_at_risk_usd: z.number().nullable(),
  reason: z.string(),
});

/** The network: its configuration, oracles, rounds and incidents. */
export const GetValidators = action('v1.vaults.validators', {
  callers: { services: ['gateway', 'users'] },
  params: z.strictObject({}),
  result: z.object({
    config: z
      .object({
        chain_id: ChainId,
        version: UintString,
        digest: Hash,
        quorum: z.int(),
        f: z.int(),
        round_seconds: z.number(),
        heartbeat_seconds: Seconds,
        since: IsoTime,
      })
      .nullable(),
    nodes: z.array(ValidatorNode),
    rounds_counted: Index,
    rounds: z.array(ValidatorRound),
    transmissions: z.array(Transmission),
    incidents: z.array(ValidatorIncident),
    as_of: IsoTime,
  }),
});

/** Why the next price is not there yet; null while it is not late. */
export const LateReason = z.enum([
  'paused',
  'unfunded',
  'no_rounds',
  'too_few_observers',
  'too_few_signers',
  'transmission_fails',
  'not_reported',
]);

/** Price reports of a vault, newest first. */
export const ListTransmissions = action('v1.vaults.transmissions', {
  callers: { services: ['gateway', 'users', 'ai'] },
  params: z.strictObject({
    chain_id: ChainId,
    vault_address: Address,
    limit: z.int().min(1).max(500).default(50),
    cursor: z.string().optional(),
  }),
  result: listOf('transmissions', Transmission).extend({
    /** The last rounds that priced this vault's strategy, newest first. */
    rounds: z.array(ValidatorRound),
    next: z.object({
      due_at: IsoTime.nullable(),
      late_by_seconds: Seconds.nullable(),
      reason: LateReason.nullable(),
      detail: z.string().nullable(),
      /** Oracles that are missing from the last rounds. */
      silent_nodes: z.array(Index),
      /** TVL in dollars while the next price is late; null while it is not. */
      value_at_risk_usd: z.number().nullable(),
      pps: IntString.nullable(),
    }),
  }),
});
