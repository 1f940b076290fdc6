import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, Hash, IsoTime, UintString, VaultRef } from '../primitives.ts';
import { VaultKeeper } from './engine.ts';

const Count = z.int().nonnegative();

/** How far back the keeper's record is read. */
export const KeeperWindow = z.enum(['24h', '7d', '30d', '90d']);
export type KeeperWindow = z.infer<typeof KeeperWindow>;

/** What a transaction of the keeper is for: an intent of a strategy, redemptions to pay, requests to give back. */
export const KeeperRunKind = z.enum(['intent', 'fulfil', 'fulfil_cancels']);
/** `stopped`: a person, or a crash, ended it before it could do anything; it counts neither for nor against. */
export const KeeperRunResult = z.enum(['done', 'failed', 'stopped']);

/** A transaction that the keeper signed, once it is over. Wei and gas by the receipt; null where none was recorded. */
export const KeeperRun = z.object({
  run_id: z.string(),
  kind: KeeperRunKind,
  /** Null for what no intent led to. */
  intent_id: z.string().nullable(),
  strategy_id: z.string().nullable(),
  /** Null for a strategy that is not known any more, and where there is none. */
  strategy_name: z.string().nullable(),
  result: KeeperRunResult,
  code: z.string().nullable(),
  message: z.string().nullable(),
  account: Eip55,
  nonce: Count,
  /** Signed forms; more than one when it was offered more for, or given up. */
  forms: Count,
  begun_block: Count,
  tx_hash: Hash.nullable(),
  block_number: Count.nullable(),
  gas_used: UintString.nullable(),
  gas_price: UintString.nullable(),
  fee: UintString.nullable(),
  ended_at: IsoTime,
});

/** Transactions of one kind over the window. `fee` and `gas_used` are of those with a receipt. */
export const KeeperTotals = z.object({
  kind: KeeperRunKind,
  done: Count,
  failed: Count,
  stopped: Count,
  with_receipt: Count,
  gas_used: UintString,
  fee: UintString,
});

/** Why nothing was sent for a strategy, or for redemptions (`strategy_id` null): within an hour, from the first time to the last. */
export const KeeperRefused = z.object({
  strategy_id: z.string().nullable(),
  strategy_name: z.string().nullable(),
  code: z.string(),
  because: z.string(),
  first_at: IsoTime,
  last_at: IsoTime,
});

/** What the keeper did for a vault, what it refused and why, what waits, and how long its key can pay. Any role on the vault. */
export const GetKeeperRecord = action('v1.vaults.keeperRecord', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...VaultRef.shape,
    window: KeeperWindow.default('7d'),
    limit: z.int().min(1).max(500).default(50),
    cursor: z.string().max(500).optional(),
  }),
  result: z.object({
    keeper: VaultKeeper.nullable(),
    from: IsoTime,
    to: IsoTime,
    /** The first run or refusal on this chain that was recorded; null before any. */
    since: IsoTime.nullable(),
    totals: z.array(KeeperTotals),
    queue: z.object({
      /** The vault's transaction on its way; there is one at most. */
      open: z
        .object({
          kind: KeeperRunKind,
          intent_id: z.string().nullable(),
          nonce: Count,
          tx_hashes: z.array(Hash),
          begun_at: IsoTime.optional(),
        })
        .nullable(),
      /** Intents that are not finished, and requests to redeem that wait. */
      active_intents: Count,
      waiting_requests: Count,
    }),
    /** What the key paid on this chain for all vaults over the window, wei, and how many days its balance lasts at that pace. */
    spending: z
      .object({ transactions: Count, fee: UintString, over_days: z.number(), runway_days: z.number().nullable() })
      .nullable(),
    refusals: z.array(KeeperRefused),
    runs: z.array(KeeperRun),
    total: Count,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
});
