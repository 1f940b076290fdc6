import { z } from 'zod';
import { Address, TxHash, UintString } from '../primitives.ts';
import type { DepositorKind } from './depositor-kinds.ts';

const MAX_UINT256 = 2n ** 256n - 1n;

const nothing = z.strictObject({});
const source = z.strictObject({ source_address: Address });
const pairing = z.strictObject({ source_address: Address, oracle_address: Address });
/** A hooks root: the zero root stands for none on the chain, and cannot be proposed. */
const HooksRoot = TxHash.refine((root) => !/^0x0+$/.test(root), { message: 'must not be the zero root' });
/** Wallets whose requests are resolved; each at most once. */
const controllers = z.strictObject({ controllers: z.array(Address).min(1).max(50) });
const hookLeaves = z.strictObject({ leaves: z.array(TxHash).min(1).max(100) });
/** Base units of a token. */
const amount = UintString.max(78).refine((value) => !/^[0-9]{1,78}$/.test(value) || BigInt(value) <= MAX_UINT256, {
  message: 'must fit 256 bits',
});
/** Zero changes nothing: nobody reads the chain for it. */
const someAmount = amount.refine((value) => value !== '0', { message: 'must be above zero' });
/** The chain decides what a fee may be; this only keeps figures in the width of the contract's own. */
const feeBps = z.int().min(0).max(65_535);
const seconds = z.int().min(0).max(315_360_000);

/** Why a vault is paused or released: one to 280 visible characters, kept in the audit log. */
export const Reason = z
  .string()
  .max(1_000, 'must be 1 to 280 characters')
  .transform((value) => value.normalize('NFC').trim())
  .refine((value) => value.length > 0 && [...value].length <= 280, { message: 'must be 1 to 280 characters' })
  .refine((value) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(value), {
    message: 'must not hold control, invisible or text-direction characters',
  });

/** What a wallet may do with its own position; owner, controller and receiver are the wallet that asks. */
const depositorArgs = {
  /** Base units of the asset. */
  deposit: z.strictObject({ assets: someAmount }),
  /** Base units of the share. */
  request_redemption: z.strictObject({ shares: someAmount }),
  cancel_redemption: nothing,
  /** Everything that was paid for redeemed shares and not fetched yet. */
  claim_redemption: nothing,
  claim_cancelled_shares: nothing,
} as const satisfies Record<DepositorKind, z.ZodType>;

/** What the managers of a vault may do. */
const managerArgs = {
  add_secondary_manager: z.strictObject({ manager_address: Address }),
  remove_secondary_manager: z.strictObject({ manager_address: Address }),
  cancel_primary_change: nothing,
  /** They are in force after a second call, `execute_fees`, a week later. A proposal cannot be cancelled, only replaced. */
  propose_fees: z.strictObject({
    /** Of gains above the high-water mark, in hundredths of a percent. */
    performance_fee_bps: feeBps,
    /** The entry fee, taken of each deposit, in hundredths of a percent; not a yearly fee. */
    management_fee_bps: feeBps,
    recipient: Address,
  }),
  execute_fees: nothing,
  skim_fees: nothing,
  /** null switches the guard off. */
  set_deviation_threshold: z.strictObject({ deviation_threshold_bps: z.int().min(0).max(1_000_000).nullable() }),
  propose_expiration: z.strictObject({ expiration_seconds: seconds }),
  execute_expiration: nothing,
  cancel_expiration: nothing,
  propose_min_update_interval: z.strictObject({ min_update_interval_seconds: seconds }),
  execute_min_update_interval: nothing,
  cancel_min_update_interval: nothing,
  /**
   * Base units of the upkeep token. `allowance`: what an approval, where one is needed, lets the aggregator take in all, so that later
   * deposits up to it need none; without it, or with less than the amount, exactly the amount.
   */
  deposit_upkeep: z.strictObject({ amount, allowance: amount.optional() }),
  propose_upkeep_withdrawal: nothing,
  execute_upkeep_withdrawal: nothing,
  pause: z.strictObject({ reason: Reason }),
  unpause: z.strictObject({ reason: Reason }),
  add_yield_sources: z.strictObject({ sources: z.array(pairing).min(1).max(50) }),
  update_yield_source_oracles: z.strictObject({ sources: z.array(pairing).min(1).max(50) }),
  remove_yield_sources: z.strictObject({ sources: z.array(source).min(1).max(50) }),
  propose_hooks_root: z.strictObject({ root: HooksRoot }),
  execute_hooks_root: nothing,
  ban_hook_leaves: hookLeaves,
  allow_hook_leaves: hookLeaves,
  /** Pays all that these wallets asked for, at the price of the chain. */
  fulfil_redemptions: controllers,
  /** Gives the shares back to wallets that cancelled. */
  fulfil_cancellations: controllers,
} as const;

/**
 * Every change that can be prepared, with what the caller says of it. Who may ask for which, what the chain checks and what it
 * calls is the business of the service that prepares them.
 */
export const preparedArgs = { ...managerArgs, ...depositorArgs } as const;

/** A change that managers make of a vault. */
export type ManagerKind = keyof typeof managerArgs;
/** The changes that managers make of a vault. */
export const managerKinds = Object.keys(managerArgs) as [ManagerKind, ...ManagerKind[]];

/** A change that can be prepared. */
export type PreparedKind = keyof typeof preparedArgs;
/** The keys of `preparedArgs`. */
export const preparedKinds = Object.keys(preparedArgs) as [PreparedKind, ...PreparedKind[]];
/** The arguments of a change, after parsing. */
export type PreparedArgs<K extends PreparedKind = PreparedKind> = z.output<(typeof preparedArgs)[K]>;
