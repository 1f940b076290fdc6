import { z } from 'zod';
import { action } from '../action.ts';
import {
  Address,
  ChainId,
  DecodedCall,
  Eip55,
  Hash,
  HexData,
  IsoTime,
  listOf,
  TransactionRequest,
  TxHash,
  UintString,
} from '../primitives.ts';
import { type PreparedKind, preparedArgs, preparedKinds } from './kinds.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** What the chain must find true for the call to pass; `code` is the contract's error, and ours, where it does not. */
export const Precondition = z.object({ code: z.string(), ok: z.boolean(), detail: z.string() });
export type Precondition = z.infer<typeof Precondition>;

/** One thing that is different afterwards; amounts as decimal strings, null for none. */
export const PreparedChange = z.object({ field: z.string(), before: scalar, after: scalar });
export type PreparedChange = z.infer<typeof PreparedChange>;

/** A call of a Safe's owners: what to sign, and a file for its transaction builder. */
export const SafePackage = z.object({
  kind: z.literal('safe'),
  safe_address: Eip55,
  version: z.string(),
  threshold: z.int(),
  owners: z.array(Eip55),
  nonce: z.int(),
  /** EIP-712 hash the owners sign, at `nonce`; a transaction of the Safe before this one makes it void. */
  safe_tx_hash: Hash,
  domain_hash: Hash,
  message_hash: Hash,
  safe_tx: z.record(z.string(), z.unknown()),
  /** The format of the Safe transaction builder, ready to be imported. */
  batch: z.record(z.string(), z.unknown()),
});

/** A call of a timelock: first scheduled, executed once its delay is over. */
export const TimelockPackage = z.object({
  kind: z.literal('timelock'),
  timelock_address: Eip55,
  min_delay_seconds: z.int(),
  operation_id: Hash,
  predecessor: Hash,
  salt: Hash,
  schedule: TransactionRequest,
  execute: TransactionRequest,
});

/** Who has to send the call: a wallet as it is, a Safe or a timelock by its package, another contract by its own means. */
export const Signer = z.object({
  wallet_address: Eip55,
  kind: z.enum(['eoa', 'safe', 'timelock', 'contract']),
  package: z.discriminatedUnion('kind', [SafePackage, TimelockPackage]).nullable(),
});
export type Signer = z.infer<typeof Signer>;

/**
 * A call to sign. `to`, `data` and `value` pass to `eth_sendTransaction` as they are. It changes nothing by itself.
 * `simulation` is an `eth_call` from the caller's wallet on the latest block; `post_condition` is what the chain must say once
 * it is mined, asked of it then.
 */
export const PreparedCall = z.object({
  id: z.string(),
  to: Eip55,
  data: HexData,
  value: UintString,
  chain_id: ChainId,
  description: z.string(),
  decoded: DecodedCall,
  simulation: z.object({ ok: z.boolean(), revert_reason: z.string().nullable() }),
  preconditions: z.array(Precondition),
  changes: z.array(PreparedChange),
  /** Promises of the vault's mandate that the call would break; absent without one. */
  mandate_warnings: z.array(z.object({ promise_id: z.string(), detail: z.string() })).optional(),
  post_condition: z.object({ description: z.string() }),
  expires_at: IsoTime,
  signer: Signer,
});
export type PreparedCall = z.infer<typeof PreparedCall>;

/**
 * `prepared` until its transaction is reported, `expired` when it never was; `broadcast` until a block has it; `mined`; `confirmed`
 * once it is as deep as the chain's confirmations; `verified` or `failed_post_condition` by what the chain says then. `reverted`
 * and `replaced` end it too. A reorg takes it back to `broadcast`.
 */
export const preparedStates = [
  'prepared',
  'broadcast',
  'mined',
  'confirmed',
  'verified',
  'failed_post_condition',
  'reverted',
  'replaced',
  'expired',
] as const;
/** One of `preparedStates`. */
export const PreparedState = z.enum(preparedStates);
export type PreparedState = z.infer<typeof PreparedState>;

/** A prepared call as it is followed. */
export const PreparedResource = PreparedCall.extend({
  kind: z.enum(preparedKinds),
  vault_address: Eip55,
  prepared_by: Eip55,
  prepared_at: IsoTime,
  block_number: z.int(),
  forced: z.boolean(),
  reason: z.string().nullable(),
  status: PreparedState,
  tx_hash: Hash.nullable(),
  revert_reason: z.string().nullable(),
  post_condition: z.object({
    description: z.string(),
    /** null until it is asked. */
    ok: z.boolean().nullable(),
    actual: scalar,
  }),
  history: z.array(
    z.object({
      state: PreparedState,
      t: IsoTime,
      tx_hash: Hash.nullable(),
      block_number: z.int().nullable(),
    }),
  ),
});
export type PreparedResource = z.infer<typeof PreparedResource>;

const request = <K extends PreparedKind>(kind: K) =>
  z.strictObject({
    kind: z.literal(kind),
    chain_id: ChainId,
    vault_address: Address,
    force: z.boolean().default(false),
    args: preparedArgs[kind],
  });

/** One request per kind; a new kind is added here and in {@link preparedArgs}. */
const requests = preparedKinds.map(request) as unknown as [ReturnType<typeof request>, ...ReturnType<typeof request>[]];

/** The calls of a change, in the order in which they are to be signed. */
export const PreparedSteps = z.object({ steps: z.array(PreparedCall).min(1) });

/**
 * Prepares a change: role first, then what the chain would check, then an `eth_call` from the caller's wallet. One step, or
 * several where the change takes more than one transaction. What the chain would refuse is refused by its name unless `force`.
 */
export const PrepareChange = action('v1.vaults.prepare', {
  callers: { user: 'prepare', relayedBy: ['ai'] },
  params: z.discriminatedUnion('kind', requests),
  result: PreparedSteps,
});

/** Calls prepared for a vault, newest first; any manager of it. */
export const ListPrepared = action('v1.vaults.listPrepared', {
  callers: { user: 'read' },
  params: z.strictObject({
    chain_id: ChainId,
    vault_address: Address,
    status: PreparedState.optional(),
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('prepared', PreparedResource),
});

/** One prepared call; who prepared it and any manager of its vault. `recheck` simulates it again, now. */
export const GetPrepared = action('v1.vaults.getPrepared', {
  callers: { user: 'read' },
  params: z.strictObject({ id: z.string().max(100), recheck: z.boolean().default(false) }),
  result: PreparedResource,
});

/** Reports the transaction that carries the call; it must carry exactly this one. */
export const BroadcastPrepared = action('v1.vaults.broadcastPrepared', {
  callers: { user: 'prepare' },
  params: z.strictObject({ id: z.string().max(100), tx_hash: TxHash }),
  result: PreparedResource,
});
