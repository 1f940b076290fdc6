import type { RoundTiming } from '@castellan/chain';
import type { EthereumSigner } from '@castellan/signer';
import type { Address, Hex } from 'viem';

/**
 * What the parts of a node know of each other. Every part takes these by injection, so that a whole network runs in one process
 * on a virtual clock. Durations are milliseconds; chain times are seconds.
 */

export type Cancel = () => void;

/** Local time: only ever used for durations, never written into anything others read. */
export type Clock = { now(): number; after(milliseconds: number, run: () => void): Cancel };

export type Random = { u32(): number };

/** One oracle of the network; its index is its place in the configuration. */
export type OracleIdentity = {
  /** On-chain signer of prices, EIP-55. */
  signer: Address;
  /** Account that pays for transmissions, EIP-55. */
  transmitter: Address;
  /** Ed25519, 32 bytes: signs messages and observations. */
  offchainKey: Hex;
  /** X25519, 32 bytes: receives the shared secret. */
  encryptionKey: Hex;
};

export type Timing = RoundTiming;

/** What a price must be to be reported; the same on all nodes, so that all compute the same report. */
export type PricingRules = {
  /** A price this old is reported again, seconds. */
  heartbeatSeconds: number;
  /** A price that moved this much is reported early, parts per billion. */
  alphaReportPpb: bigint;
  /** Strategies that may be reported, lower case by chain id; null: all that the chain's aggregator knows. */
  strategies: ReadonlyMap<number, readonly Address[]> | null;
};

/** The configuration of the network, as the chain holds it. */
export type NetworkConfig = {
  /** Separates this configuration from every other: in each signature and each subject. */
  digest: Hex;
  version: bigint;
  chainId: number;
  /** Signatures the contract asks for. */
  quorum: number;
  f: number;
  oracles: readonly OracleIdentity[];
  timing: Timing;
  pricing: PricingRules;
  /** Seeds the order of leaders and of transmitters, 16 bytes or more. */
  seed: Uint8Array;
};

/** Unreliable, unordered between peers, at most once: what is delivered was signed by `from` for this configuration. */
export type Transport = {
  start(handler: (from: number, message: Uint8Array) => void): void;
  send(to: number, message: Uint8Array): void;
  /** To every other oracle; delivery to oneself is the caller's. */
  broadcast(message: Uint8Array): void;
  close(): Promise<void>;
};

/** Ed25519 key of this oracle. */
export type OffchainKeyring = {
  publicKey: Uint8Array;
  sign(message: Uint8Array): Promise<Uint8Array>;
};

/** X25519 key of this oracle: opens what the configuration holds for it alone. */
export type EncryptionKeyring = {
  publicKey: Uint8Array;
  /** The secret shared with the owner of this point, 32 bytes. */
  dh(point: Uint8Array): Promise<Uint8Array>;
};

/** secp256k1 key that signs prices, in memory or of a key service. */
export type OnchainKeyring = Pick<EthereumSigner, 'address' | 'signKeccak256'>;

/** What a price signature commits to; the guard forbids to sign twice for one of them. */
export type SignedEntry = { chainId: number; strategy: Address; nonce: bigint; timestamp: bigint };

export type EntryRefusal = 'nonce_not_above' | 'timestamp_not_above';

export type GuardRefusal = 'round_not_above' | 'recovering' | EntryRefusal;

/** What may be signed: all, nothing for the reason given, or by entry, in their order: null for each that may be. */
export type GuardVerdict = 'ok' | GuardRefusal | readonly (EntryRefusal | null)[];

export type PacemakerState = { epoch: number; highestWish: number; wishes: readonly number[] };

/** A report that the network stands behind, waiting for its stage. */
export type PendingTransmission = {
  digest: Hex;
  epoch: number;
  round: number;
  report: AttestedReport;
  /** Local time of its stage. */
  dueAt: number;
  acceptedAt: number;
};

/** What an oracle signed of one round: the attestation binds report, inputs and observers to it. */
export type SignedStatement = {
  epoch: number;
  round: number;
  inputs: Uint8Array;
  observers: readonly number[];
  report: Uint8Array;
  signature: Uint8Array;
  attestation: Uint8Array;
};

/**
 * Two signatures of one oracle of which an honest one gives one at most: for two reports of one round, or for two prices of one
 * strategy, nonce and time.
 */
export type Evidence = {
  digest: Hex;
  kind: 'report' | 'price';
  /** Its place in the configuration. */
  oracle: number;
  /** Its on-chain address. */
  signer: Address;
  first: SignedStatement;
  second: SignedStatement;
};

/** Every write is on disk when its promise resolves. */
export type ProtocolStore = {
  readPacemaker(digest: Hex): Promise<PacemakerState | null>;
  writePacemaker(digest: Hex, state: PacemakerState): Promise<void>;
  /**
   * One atomic step: refused unless (epoch, round) lies strictly above what was signed before; each entry is refused alone unless it
   * does too. What is refused is not recorded.
   */
  guardSignature(
    digest: Hex,
    epoch: number,
    round: number,
    entries: readonly SignedEntry[],
    canonicalNonces: ReadonlyMap<string, bigint>,
  ): Promise<GuardVerdict>;
  /** Whether the guard was made anew for a signer that may have signed before: it refuses everything until `endRecovery`. */
  isRecovering(): Promise<boolean>;
  /** From now on the guard allows rounds of later epochs than this. */
  endRecovery(digest: Hex, epoch: number): Promise<void>;
  /** Kept for ever, once for each kind, oracle and round of the second statement. */
  addEvidence(evidence: Evidence): Promise<void>;
  addPending(pending: PendingTransmission): Promise<void>;
  pendings(digest: Hex): Promise<PendingTransmission[]>;
  removePending(digest: Hex, epoch: number, round: number): Promise<void>;
};

/** `canonicalNonces` of the guard are keyed by this. */
export const strategyKey = (chainId: number, strategy: Address): string => `${chainId}:${strategy.toLowerCase()}`;

export type RoundContext = { digest: Hex; epoch: number; round: number; signal: AbortSignal };

export type AttributedObservation = { observer: number; observation: Uint8Array };

export type AttributedSignature = { signer: number; signature: Uint8Array };

/** `report` as the plugin encoded it; each signature covers one or more of its entries. */
export type AttestedReport = { report: Uint8Array; signatures: readonly AttributedSignature[] };

/** One price, with the signatures the contract wants: ascending by signer address. */
export type SignedPrice = SignedEntry & { pps: bigint; signatures: readonly Hex[]; signers: readonly Address[] };

/** What the protocol agrees on. `report` and the two `verify`/`validate` calls are pure: all nodes must come to the same. */
export type Plugin = {
  limits: { query: number; observation: number; report: number; signature: number };
  query(context: RoundContext): Promise<Uint8Array>;
  /** @throws when nothing could be observed: the node then says nothing in this round. */
  observation(context: RoundContext, query: Uint8Array): Promise<Uint8Array>;
  validateObservation(query: Uint8Array, observation: Uint8Array): boolean;
  /** The strategies (`strategyKey`) whose price is due, as far as this observation shows. */
  due(observation: Uint8Array): readonly string[];
  /** Null: nothing to report in this round. */
  report(query: Uint8Array, observations: readonly AttributedObservation[]): Uint8Array | null;
  /** The prices of a report, in the order of its entries. */
  prices(report: Uint8Array): readonly bigint[];
  /** What a signature of this report commits to, for the guard, and this node's own view of the nonces. */
  commitments(report: Uint8Array): { entries: readonly SignedEntry[]; canonicalNonces: ReadonlyMap<string, bigint> };
  /**
   * Signs each entry by itself. Leaves out what this node's own view contradicts: too far from its observation, a used nonce, too
   * old, in the future. Null when that is all of them.
   * @param maySign - By entry, what the guard allows.
   */
  sign(context: RoundContext, report: Uint8Array, maySign: readonly boolean[]): Promise<Uint8Array | null>;
  /** Which entries a signature covers, without a check of it; none when it has not the form of one. */
  signedEntries(report: Uint8Array, signature: Uint8Array): readonly boolean[];
  /** Whether the signature is that of the signer for every entry it covers, and covers one or more. */
  verify(report: Uint8Array, signature: Uint8Array, signer: number): Promise<boolean>;
  shouldAccept(context: RoundContext, report: AttestedReport): Promise<boolean>;
  /** What is still worth sending, empty for nothing. */
  shouldTransmit(context: RoundContext, report: AttestedReport): Promise<readonly SignedPrice[]>;
};

/** Takes over what is due; returns as soon as the intent is on disk. `key` names it for ever: the same key is taken once. */
export type Transmitter = {
  submit(
    key: string,
    prices: readonly SignedPrice[],
    about: { epoch: number; round: number; digest: Hex },
  ): Promise<void>;
};

export type PhaseName = 'query' | 'observation' | 'report' | 'should_accept' | 'should_transmit';
export type PhaseResult =
  | 'success'
  | 'failure'
  | 'error'
  | 'accept'
  | 'transmit'
  | 'stale'
  | 'deviation'
  | 'nonce_mismatch'
  | 'invalid_pps'
  | 'timeout';

/** Events of the protocol, for metrics, bus events and traces. Never awaited, never throws. */
export type ProtocolEvent =
  | { type: 'started'; epoch: number; leader: number; restored: boolean }
  | {
      type: 'epoch_changed';
      epoch: number;
      leader: number;
      reason: 'progress_timeout' | 'initial_timeout' | 'rmax' | 'resigned' | 'joined';
    }
  | { type: 'round_started'; epoch: number; round: number; leader: number }
  /** Once per round that this node learns the outcome of, from the leader or by an echo. */
  | {
      type: 'round_completed';
      epoch: number;
      round: number;
      leader: number;
      outcome: 'report' | 'skip';
      /** Whose observations the outcome is made of. */
      observers: readonly number[];
      /** Whose signatures stand under the report; none for a skip. */
      signers: readonly number[];
      /** What the report prices with enough signatures; none for a skip. */
      entries: readonly SignedEntry[];
      /** The price of each entry, in their order. */
      prices: readonly bigint[];
      /** What the report was made of, as its signers attest; empty where this node did not see it, and for a skip. */
      observations: readonly AttributedObservation[];
    }
  /** Prices that were due and that the leader gave no chance. */
  | { type: 'left_out'; epoch: number; round: number; leader: number; strategies: readonly string[] }
  /** This node's own part in a round. */
  | { type: 'observation_sent' | 'report_signed'; epoch: number; round: number }
  | { type: 'transmission_scheduled'; epoch: number; round: number; stage: number; delayMs: number }
  | { type: 'transmission_submitted'; epoch: number; round: number; entries: readonly SignedEntry[] }
  | { type: 'phase'; phase: PhaseName; result: PhaseResult; seconds: number; epoch: number; round: number }
  | {
      type: 'observation_dropped';
      epoch: number;
      round: number;
      observer: number;
      reason: 'bad_signature' | 'invalid' | 'late';
    }
  | { type: 'sign_refused'; epoch: number; round: number; reason: GuardRefusal | 'plugin' }
  | { type: 'report_accepted' | 'report_rejected'; epoch: number; round: number }
  /** After the loss of the store: rounds of later epochs than this may be signed. */
  | { type: 'guard_recovered'; epoch: number }
  /** Kept as evidence. */
  | {
      type: 'conflicting_signatures';
      kind: Evidence['kind'];
      oracle: number;
      signer: Address;
      epoch: number;
      round: number;
    }
  | {
      type: 'message';
      from: number;
      kind: string;
      /** `unexpected`: not of this round or phase, or not from its leader. */
      result:
        | 'ok'
        | 'bad_signature'
        | 'wrong_epoch'
        | 'malformed'
        | 'duplicate'
        | 'oversized'
        | 'rate_limited'
        | 'unexpected';
    }
  /** A plugin call that still runs long after its budget. */
  | { type: 'phase_overran'; phase: PhaseName; epoch: number; round: number }
  /** A store, key or plugin failed; the protocol goes on as if the message had been lost. */
  | { type: 'fault'; where: string; error: unknown };

export type Observer = (event: ProtocolEvent) => void;
