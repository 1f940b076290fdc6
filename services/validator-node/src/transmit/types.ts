import type { FeePolicy, Fees, Form, Purpose, SendClass } from '@castellan/transactor';
import type { Address, Hash, Hex, PublicClient, TransactionReceipt } from 'viem';
import type { SignedPrice } from '../ports.ts';

export type StrategyOutcome = {
  strategy: Address;
  status: 'success' | 'failure' | 'superseded';
  reason: string | null;
};

export type About = { epoch: number; round: number; digest: Hex };

/** One signed form and how far it came; the same bytes are sent again. */
export type Attempt = Form & {
  /** When a node took it last; null: none did so far. */
  sentAt: Date | null;
  /** Height of the chain when it was first sent; a bump counts from there. */
  sentBlock: bigint | null;
};

export type CancelReason = 'useless' | 'deadline' | 'stuck' | 'rejected';

/** Where the transaction stands in the chain, while that may still change. */
export type Inclusion = {
  hash: Hash;
  blockNumber: bigint;
  blockHash: Hash;
  purpose: Purpose;
  reverted: boolean;
};

/**
 * queued: waits for a nonce. in_progress: signed and stored, no node took it yet. pending: a node took it. mined: in a block
 * that may go again. The rest is final; lost: another transaction used its nonce.
 */
export type IntentState =
  | 'queued'
  | 'in_progress'
  | 'pending'
  | 'mined'
  | 'confirmed'
  | 'failed'
  | 'superseded'
  | 'lost';

/** One transmission, from its order to its end. `fill`: a self transfer at a nonce that would otherwise block the account. */
export type Intent = {
  key: string;
  kind: 'transmit' | 'fill';
  /** The reverted intent this one tries again. */
  retryOf: string | null;
  about: About;
  prices: readonly SignedPrice[];
  state: IntentState;
  /** Prices that were no longer worth sending when the transaction was made. */
  dropped: readonly StrategyOutcome[];
  /** Refused by simulation so far. */
  refusals: number;
  nonce: number | null;
  call: { to: Address; data: Hex; gas: bigint } | null;
  attempts: readonly Attempt[];
  cancelReason: CancelReason | null;
  /** Why the node refused it, for `cancelReason` rejected. */
  detail: string | null;
  inclusion: Inclusion | null;
  outcomes: readonly StrategyOutcome[];
  /** Events of state changes, stored with the change and kept until they are published. */
  pendingEvents: readonly PendingEvent[];
  createdAt: Date;
  /** Grows with each write: a writer that read an older one is refused. */
  revision: number;
};

export type PendingEvent = {
  /** The same for ever: a reader that counts or publishes by it does so once, however often it comes. */
  id: string;
  type: 'mined' | 'reorged' | 'confirmed' | 'failed' | 'superseded' | 'lost';
  hash: Hash | null;
  blockNumber: bigint | null;
  reason: string | null;
  outcomes: readonly StrategyOutcome[];
};

/**
 * State changes come at least once, in order, each with its `id`; a crash may repeat one. confirmed, failed, superseded and
 * lost end an intent and come once in its life. The others tell of what happens meanwhile and are lost with a crash.
 */
export type TransmitEvent =
  | (PendingEvent & Pick<Intent, 'key' | 'kind' | 'about' | 'prices' | 'nonce'>)
  | { type: 'attempted'; key: string; hash: Hash; nonce: number; fees: Fees; result: SendClass }
  | { type: 'replaced'; key: string; from: Hash; to: Hash; nonce: number; reason: 'bump' | CancelReason }
  | {
      type: 'stuck';
      key: string;
      nonce: number;
      reason: 'fee_limit' | 'connectivity' | 'refused';
      detail: string | null;
    }
  | { type: 'balance_low'; account: Address; balance: bigint; needed: bigint }
  | { type: 'foreign_nonce'; account: Address; expected: number; found: number; where: 'latest' | 'pending' }
  | { type: 'held' | 'standby' };

export type TransmitSettings = {
  chainId: number;
  /** Says what a transaction costs beside its gas; undefined where that is nothing. */
  l1FeeOracle?: Address | undefined;
  fees: FeePolicy;
  /** Blocks without inclusion before the fees are raised. */
  bumpAfterBlocks: number;
  /** Blocks after the first sending before a transaction that pays enough is given up. */
  stuckAfterBlocks: number;
  /** Attempts that must have been made before that. */
  stuckAfterAttempts: number;
  /** Blocks on top of the transaction's own before its outcome is final, or the chain's own word for it. */
  finality: { confirmations: number } | 'finalized';
  /** A price older than this by chain time is not sent: the staleness the contract allows, less a margin. */
  maxAgeSeconds: number;
  gasLimit: bigint;
  maxInFlight: number;
  /** Untouched for so long, a transaction is sent again, as pools forget. */
  resendMs: number;
  pollMs: number;
  /** For so long, a head below one already seen is taken for a node that lags, not for a reorganisation. */
  headLagMs: number;
  leaseMs: number;
};

export const transmitDefaults = {
  bumpAfterBlocks: 3,
  stuckAfterBlocks: 30,
  stuckAfterAttempts: 4,
  gasLimit: 15_000_000n,
  maxInFlight: 16,
  resendMs: 60_000,
  pollMs: 1_000,
  headLagMs: 15_000,
  // A successor waits as long for the keys anyway.
  leaseMs: 15_000,
} as const satisfies Partial<TransmitSettings>;

/** What the contract in use makes of prices. */
export type PriceContract = {
  pack(prices: readonly SignedPrice[]): { to: Address; data: Hex };
  /** Those of the prices that the contract would still take. */
  stillUseful(prices: readonly SignedPrice[]): Promise<readonly SignedPrice[]>;
  /**
   * One outcome per price, from the logs of a transaction that did not revert.
   * @param node - That which has the receipt's block in its chain: another may have a different block of that number.
   */
  judge(
    receipt: TransactionReceipt,
    prices: readonly SignedPrice[],
    node: PublicClient,
  ): readonly StrategyOutcome[] | Promise<readonly StrategyOutcome[]>;
};

export type TransmitStore = {
  /** Takes or renews the right to write for this account. @returns the fencing token, undefined while another has it. */
  hold(): Promise<number | undefined>;
  release(): Promise<void>;
  /** Refuses from now on what a holder before this token still writes. */
  claim(token: number): Promise<void>;
  /** @returns false when the key was taken before. @throws NonceTaken */
  add(intent: Intent): Promise<boolean>;
  find(key: string): Promise<Intent | null>;
  /** With a nonce and not final, by nonce. */
  live(): Promise<Intent[]>;
  /** Oldest first. */
  queued(limit: number): Promise<Intent[]>;
  withPendingEvents(): Promise<Intent[]>;
  highestNonce(): Promise<number | null>;
  /** One atomic step. @throws LeaseLost when the intent or the holder changed; NonceTaken. */
  save(intent: Intent, token: number): Promise<Intent>;
};

/** Another intent of the account has this nonce. */
export class NonceTaken extends Error {
  override readonly name = 'NonceTaken';
}

/** Clients of one RPC each, without retries of their own. */
export type Rpcs = readonly PublicClient[];
