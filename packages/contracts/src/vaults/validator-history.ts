import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, Hash, IsoTime, listOf, UintString } from '../primitives.ts';
import { AgreedPrice, ValidatorRound } from './validators.ts';
import { Transmission } from './vaults.ts';

const Index = z.int().nonnegative();
const Count = z.int().nonnegative();

/** How long a look back is, and with it how wide each part of it is: 1 h, 6 h, 1 d, 1 d. */
export const validatorWindows = ['24h', '7d', '30d', '90d'] as const;
/** One of `validatorWindows`. */
export const ValidatorWindow = z.enum(validatorWindows);
export type ValidatorWindow = z.infer<typeof ValidatorWindow>;

/** Of values that were measured: how many, their mean and the largest; null where nothing was recorded. */
export const Measured = z
  .object({
    /** How many were measured. */
    n: Count,
    /** In the unit of the field that holds it. */
    mean: z.number(),
    /** In the unit of the field that holds it. */
    max: z.number(),
  })
  .nullable();

/** Who a node is: by its signer, which stays when its place in the configuration changes. */
const identity = {
  index: Index,
  node_id: z.string().nullable(),
  signer_address: Eip55.nullable(),
  transmitter_address: Eip55.nullable(),
};

/** Transactions with prices on one chain that ended. `fee` is wei, of those with a known receipt (`with_receipt`). */
export const SentOnChain = z.object({
  chain_id: ChainId,
  transactions: Count,
  stored: Count,
  failed: Count,
  not_needed: Count,
  with_receipt: Count,
  gas_used: UintString,
  fee: UintString,
});

/** Wei of a node's transmitter on one chain. */
export const TransmitterBalance = z.object({ signer_address: Eip55, chain_id: ChainId, balance: UintString });

/** What rounds of one stretch of time came to, for the nodes and vaults that were asked for. */
export const ValidatorBucket = z.object({
  t: IsoTime,
  /** Rounds that ended, and those of them with prices. */
  rounds: Count,
  reports: Count,
  /** Rounds that began and never ended; null for one vault, as such a round does not say what it would have priced. */
  lost: Count.nullable(),
  /** Observations that the nodes made of those that they could have made. */
  observed: Count,
  possible: Count,
  /** Observations that came too late to be used; null where they were not recorded by vault. */
  late: Count.nullable(),
  /** From the leader's beginning of a round to the first node that knew its end, milliseconds by their own clocks. */
  round_ms: Measured,
  /** How much later than the first node a node knew the end of a round, milliseconds by their own clocks. */
  lag_ms: Measured,
  /** Largest less smallest observed price of a round, in parts per billion of the agreed one. */
  spread_ppb: Measured,
  prices: Count,
  /** For one vault, the transactions that carried a price of it, each in full; null where they were not recorded by node and vault. */
  sent: z.array(SentOnChain).nullable(),
  /** What the accounts of the nodes had after their last transaction; nothing of one that sent none or whose balance was not recorded. */
  balances: z.array(TransmitterBalance),
});

/** One node over the window. */
export const ValidatorRecord = z.object({
  ...identity,
  /** Rounds that it was a member of, those it observed, and those with prices that it signed. */
  rounds: Count,
  observed: Count,
  missed: Count,
  reports: Count,
  signed: Count,
  led: Count,
  /** Observations that the leader dropped: too late, and for another reason; null where they were not recorded by vault. */
  late: Count.nullable(),
  dropped: Count.nullable(),
  lag_ms: Measured,
  /** How far what it observed was from the agreed price, in parts per billion of that. */
  deviation_ppb: Measured,
  /** For one vault, the transactions that carried a price of it, each in full; null where they were not recorded by vault. */
  sent: z
    .array(
      SentOnChain.extend({
        /** Wei of the transmitter now; null when no node of the chain answered. */
        balance: UintString.nullable(),
        /** Days that the balance lasts at the pace of the window, for all vaults; null when nothing was paid, or it is not known. */
        runway_days: z.number().nullable(),
      }),
    )
    .nullable(),
});

/** One vault over the window. */
export const VaultPricing = z.object({
  chain_id: ChainId,
  strategy_address: Eip55,
  vault_address: Eip55.nullable(),
  name: z.string().nullable(),
  /** Rounds that agreed on a price of it. */
  prices: Count,
  /** Nodes that observed and that signed, of each. */
  observers: Measured,
  signers: Measured,
  spread_ppb: Measured,
  /** Transmissions by what became of them. */
  stored: Count,
  refused: Count,
  not_needed: Count,
  /** From the time of the report to the report that the chain stored it, milliseconds. */
  delay_ms: Measured,
  /** The longest time between two stored prices, and how many of them were longer than the rules of the network and vault allow. */
  longest_gap_seconds: z.int().nonnegative().nullable(),
  late: Count,
  /** The transactions that carried a price of it, each in full, though it may have carried those of other vaults. */
  sent: z.array(SentOnChain),
});

/** A round that ended, with the configuration that it belongs to. */
export const RecordedRound = ValidatorRound.extend({ config_digest: Hash });

/** The oracle network over time. A node is named by its signer. */
export const GetValidatorHistory = action('v1.vaults.validatorHistory', {
  callers: { services: ['gateway'] },
  params: z.strictObject({
    window: ValidatorWindow.default('24h'),
    signer: Address.optional(),
    chain_id: ChainId.optional(),
    vault_address: Address.optional(),
  }),
  result: z.object({
    from: IsoTime,
    to: IsoTime,
    bucket_seconds: z.int().positive(),
    /** The first hour that was recorded; null before the first round. What is before it is not recorded. */
    since: IsoTime.nullable(),
    buckets: z.array(ValidatorBucket),
    nodes: z.array(ValidatorRecord),
    vaults: z.array(VaultPricing),
    /** The newest rounds that match, newest first. */
    rounds: z.array(RecordedRound),
    rounds_kept_days: z.int().positive(),
    as_of: IsoTime,
  }),
});

/** What a list of rounds is narrowed to: with prices, without, never ended, or incomplete: never ended, or a node is missing or was late. */
export const roundFilters = ['report', 'skip', 'lost', 'incomplete'] as const;
/** One of `roundFilters`. */
export const RoundFilter = z.enum(roundFilters);
export type RoundFilter = z.infer<typeof RoundFilter>;

/** A round of the list: one that ended, or one that began and never did (`lost`), of which only its beginning is known. */
export const ListedRound = RecordedRound.extend({
  leader: Index.nullable(),
  outcome: z.enum(['report', 'skip', 'lost']),
  /** Oracles whose observation came too late to be used. */
  late: z.array(Index),
  /** By the clock of the leader; null where that was not recorded. */
  started_at: IsoTime.nullable(),
  finished_at: IsoTime.nullable(),
});

/**
 * Rounds that are kept, newest first: of the configurations that a node was a member of, with `incomplete` those that it missed.
 * A round that never ended does not say what it would have priced: with a vault there is none.
 */
export const ListValidatorRounds = action('v1.vaults.validatorRounds', {
  callers: { services: ['gateway'] },
  params: z.strictObject({
    signer: Address.optional(),
    chain_id: ChainId.optional(),
    vault_address: Address.optional(),
    filter: RoundFilter.optional(),
    limit: z.int().min(1).max(500).default(50),
    cursor: z.string().optional(),
  }),
  result: listOf('rounds', ListedRound).extend({ kept_days: z.int().positive(), as_of: IsoTime }),
});

/** A transaction with prices of a round, as its sender reported it, and its receipt as the chain has it. Wei. */
export const RoundTransaction = z.object({
  chain_id: ChainId,
  node_id: z.string(),
  node_index: Index.nullable(),
  transmitter_address: Eip55,
  tx_hash: Hash.nullable(),
  state: z.enum(['sent', 'mined', 'stored', 'failed', 'not_needed']),
  reason: z.string().nullable(),
  sent_at: IsoTime.nullable(),
  mined_at: IsoTime.nullable(),
  ended_at: IsoTime.nullable(),
  block_number: z.int().nullable(),
  gas_used: UintString.nullable(),
  gas_price: UintString.nullable(),
  fee: UintString.nullable(),
  /** What the transmitter had after its block; null where that was not recorded. */
  balance_after: UintString.nullable(),
});

/** One round: who observed what, who signed, what was sent and what it cost. @throws AppError ROUND_NOT_FOUND. */
export const GetValidatorRound = action('v1.vaults.validatorRound', {
  callers: { services: ['gateway'] },
  params: z.strictObject({ config_digest: Hash, epoch: Index, round: Index }),
  result: RecordedRound.extend({
    /** By the clock of the leader; null where that was not recorded. */
    started_at: IsoTime.nullable(),
    nodes: z.array(z.object({ ...identity, reported_at: IsoTime.nullable() })),
    dropped: z.array(z.object({ observer: Index, reason: z.string() })),
    prices: z.array(
      AgreedPrice.extend({
        vault_address: Eip55.nullable(),
        vault_name: z.string().nullable(),
        asset_symbol: z.string().nullable(),
        asset_decimals: z.int().nullable(),
        /** Null where fewer than two observed values were recorded. */
        spread_ppb: z.number().nullable(),
      }),
    ),
    transactions: z.array(RoundTransaction),
    transmissions: z.array(Transmission),
    kept_days: z.int().positive(),
    as_of: IsoTime,
  }),
});
