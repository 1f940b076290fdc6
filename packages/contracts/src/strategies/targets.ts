import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, IsoTime, VaultRef } from '../primitives.ts';

/** Hundredths of a percent of all assets of the vault. */
const ShareBps = z.int().min(0).max(10_000);
const WHOLE_BPS = 10_000;

/** What managers want of one source; null: they set none. */
const SourceTarget = z.strictObject({
  source_address: Address,
  target_bps: ShareBps.nullable(),
  cap_bps: ShareBps.nullable(),
});

/** Each source once, no target above its cap, all targets together no more than the whole. */
export const SourceTargets = z
  .array(SourceTarget)
  .max(200)
  .superRefine((sources, context) => {
    const seen = new Set<string>();
    const refuse = (at: number, field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [at, field], message });
    sources.forEach(({ source_address, target_bps, cap_bps }, at) => {
      if (seen.has(source_address)) refuse(at, 'source_address', 'is named twice');
      seen.add(source_address);
      if (target_bps !== null && cap_bps !== null && target_bps > cap_bps)
        refuse(at, 'target_bps', 'must not be above cap_bps');
    });
    if (sources.reduce((sum, { target_bps }) => sum + (target_bps ?? 0), 0) > WHOLE_BPS)
      context.addIssue({ code: 'custom', message: 'must have targets of 10000 together at most' });
  });

/** The shares that managers set for the sources of a vault, with what its mandate in force promises. */
export const AllocationTargets = z.object({
  chain_id: ChainId,
  vault_address: Eip55,
  /** Grows with every change; 0: nothing was ever set. */
  version: z.int().nonnegative(),
  /** The block from which on strategies and back-tests see this version. */
  from_block: z.int().nullable(),
  updated_at: IsoTime.nullable(),
  updated_by: Eip55.nullable(),
  idle: z.object({
    /** What the targets of the sources leave; null while one of them has none. */
    target_bps: ShareBps.nullable(),
    /** What the mandate in force promises. */
    mandate_at_least_bps: ShareBps.nullable(),
  }),
  /** Every source of the vault. */
  sources: z.array(
    z.object({
      source_address: Eip55,
      name: z.string(),
      target_bps: ShareBps.nullable(),
      cap_bps: ShareBps.nullable(),
      /** The least `source_share` that the mandate in force promises for it. */
      mandate_cap_bps: ShareBps.nullable(),
      /** The stricter of both caps. */
      cap_in_force_bps: ShareBps.nullable(),
    }),
  ),
});
export type AllocationTargets = z.infer<typeof AllocationTargets>;

/** The targets and caps of a vault. Any role on it. */
export const GetAllocationTargets = action('v1.vaults.allocationTargets', {
  callers: { user: 'read' },
  params: VaultRef,
  result: AllocationTargets,
});

/**
 * Replaces all targets and caps; a source that is not named has none. Managers.
 * @throws AppError VERSION_CONFLICT; VALIDATION_FAILED for what is no source of the vault, and for what the mandate forbids.
 */
export const SetAllocationTargets = action('v1.vaults.setAllocationTargets', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, version: z.int().nonnegative(), sources: SourceTargets }),
  result: AllocationTargets,
});
