import type { VaultState } from '@castellan/chain';
import type { Precondition, PreparedArgs, PreparedChange, PreparedKind } from '@castellan/contracts';
import type { Address, Hex } from 'viem';
import type { Redemption } from '../../../vault/domain/redemption.ts';

/** What a change is about; addresses EIP-55. */
export type ChangeTarget = {
  chainId: number;
  vault: Address;
  strategy: Address;
  aggregator: Address;
  name: string;
};

/** How an oracle answers for a source it would value: `problem` says why it is unfit, null when it is not. */
export type SourceCheck = { source: Address; oracle: Address; problem: string | null };

/** What one wallet has in a vault, and could put in; base units of the asset and of the share. */
export type Position = {
  assets: bigint;
  /** What the vault may take of the assets. */
  allowance: bigint;
  /** Whether the token refuses to raise that allowance before it is zero, as USDT does. */
  needsReset: boolean;
  /** Free ones: those of a request are in the escrow. */
  shares: bigint;
  request: Redemption;
  /** Paid for redeemed shares, and not claimed. */
  claimableAssets: bigint;
  /** Shares of a cancelled request that are given back, and not claimed. */
  claimableShares: bigint;
};

/** One vault at one block, as the checks and descriptions of its changes need it. */
export type ChangeState = {
  vault: VaultState;
  maxSecondaryManagers: number;
  /** Proposed fees have no getter: they come from the log. `effectiveTime` in chain seconds. */
  pendingFees: {
    performanceFeeBps: number;
    managementFeeBps: number;
    recipient: Address;
    effectiveTime: bigint;
  } | null;
  /** The upkeep token at the wallet that asks; null where the chain has no upkeep token. */
  wallet: { balance: bigint; allowance: bigint } | null;
  /** How many leaves the tree with the root that is asked about has; null when none of the vault's trees has it, or none is asked about. */
  hooksTreeLeaves: number | null;
  /** Leaves of the global root that the vault may not use, which no getter returns; null when no leaf is asked about. */
  bannedLeaves: ReadonlySet<string> | null;
  /** What each wallet that the request names waits for; empty for changes that name none. */
  redemptions: readonly Redemption[];
  /** Of the wallet that asks; null unless it asks for a change of its own position. */
  position: Position | null;
  /** One for each pairing the request names, in its order; empty for changes that name none. */
  sourceChecks: readonly SourceCheck[];
};

/** A call in bytes and in words; `args` are JSON under the names of the ABI. */
export type ChangeCall = { to: Address; data: Hex; decoded: { function: string; args: Record<string, unknown> } };

/** What the chain must say after the call. `actual` is what it says, for people. */
export type PostCondition = {
  description: string;
  /** `before` is the state of the block before the call, for a change of a position: it may have changed since it was prepared. */
  holds(state: ChangeState, before?: ChangeState): { ok: boolean; actual: string | number | boolean | null };
};

/** One transaction of a change. */
export type ChangeStep = {
  call: ChangeCall;
  description: string;
  /** In the order in which the contract checks; the first that is not ok is the refusal. */
  preconditions: Precondition[];
  changes: PreparedChange[];
  postCondition: PostCondition;
  /** Codes of preconditions that the steps before this one will have met. Until then an `eth_call` cannot say anything. */
  metBefore?: readonly string[];
};

/** A change as it is asked for. */
export type ChangeRequest<K extends PreparedKind = PreparedKind> = {
  kind: K;
  args: PreparedArgs<K>;
  /** The wallet that will send it, EIP-55. */
  caller: Address;
};

/** What is kept of one step: enough to ask for its post-condition once the transaction is mined. */
export type KeptStep<K extends PreparedKind = PreparedKind> = {
  request: ChangeRequest<K>;
  /** The function it calls: distinguishes the steps of one request. */
  function: string;
  changes: readonly PreparedChange[];
};

/** How one kind of change is prepared. Pure: everything it needs to know is in `state`. */
export type Change<K extends PreparedKind = PreparedKind> = {
  /** Who may ask; the chain decides besides. Anyone: for the position of the own wallet. */
  role: 'primary_manager' | 'manager' | 'anyone';
  /** Whether it takes a recent signature of the wallet. Never for what stops damage. */
  needsStepUp: boolean;
  steps(request: ChangeRequest<K>, target: ChangeTarget, state: ChangeState): ChangeStep[];
  postCondition(kept: KeptStep<K>): PostCondition;
};

/** How each of some kinds of change is prepared. */
export type ChangesOf<K extends PreparedKind> = { readonly [P in K]: Change<P> };

/** A change made ready, before it is kept. */
export type PreparedDraft = {
  request: ChangeRequest;
  target: ChangeTarget;
  /** Place among the steps of one request, from 0. */
  step: number;
  content: ChangeStep;
  simulation: { ok: boolean; revertReason: string | null };
  /** Promises of the mandate that it would break. */
  mandateWarnings: readonly { promise_id: string; detail: string }[];
  forced: boolean;
  reason: string | null;
  block: { number: bigint; hash: string; timestamp: bigint };
};
