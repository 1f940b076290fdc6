import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, IsoTime, listOf } from '../primitives.ts';
import { HookType } from './registry.ts';

const vault = { vault_address: Address, chain_id: ChainId };

/** A body is at most 1 MiB, and an answer one message of the bus. */
export const maxHookRows = 1_000;

/** One call that is to be allowed: a hook of the registry with a value for each of its parameters. */
export const HookRow = z.strictObject({
  hook_id: z.string().min(1).max(100),
  params: z.record(z.string().max(32), z.string().max(100)),
});

/** A row as it is kept: with what was known of the hook when the version was made. */
export const ConfiguredRow = z.object({
  hook_id: z.string(),
  hook_name: z.string(),
  hook_type: HookType,
  hook_address: Eip55,
  params: z.record(z.string(), z.string()),
});

/** One version of a vault's hook configuration. It never changes; `config_hash` is the SHA-256 of its rows. */
export const HookConfigSummary = z.object({
  id: z.string(),
  vault_address: Eip55,
  chain_id: ChainId,
  version: z.int().positive(),
  is_active: z.boolean(),
  note: z.string().nullable(),
  row_count: z.int(),
  config_hash: z.string(),
  /** The tree that was generated of it; null before. */
  tree_id: z.string().nullable(),
  created_by: Eip55,
  created_at: IsoTime,
});
export type HookConfigSummary = z.infer<typeof HookConfigSummary>;
/** A version with its rows, which never change. */
export const HookConfig = HookConfigSummary.extend({ rows: z.array(ConfiguredRow) });
export type HookConfig = z.infer<typeof HookConfig>;

/** Makes the next version; any manager. `base_version` refuses it when another one was made since that one was read. */
export const CreateHookConfig = action('v1.merkle.createConfig', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...vault,
    rows: z.array(HookRow).min(1).max(maxHookRows),
    note: z.string().trim().max(280).optional(),
    base_version: z.int().nonnegative().optional(),
  }),
  result: HookConfig,
});

/** Versions of a vault, newest first; any role on it, as all reads here. */
export const ListHookConfigs = action('v1.merkle.configVersions', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...vault,
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('versions', HookConfigSummary),
});

/** A version by its number. @throws AppError HOOK_CONFIG_NOT_FOUND. */
export const GetHookConfigVersion = action('v1.merkle.configVersion', {
  callers: { user: 'read' },
  params: z.strictObject({ ...vault, version: z.int().positive() }),
  result: HookConfig,
});

/** The version that trees are generated of. @throws AppError HOOK_CONFIG_NOT_FOUND when none is active. */
export const GetActiveHookConfig = action('v1.merkle.activeConfig', {
  callers: { user: 'read' },
  params: z.strictObject(vault),
  result: HookConfig,
});

/** A version by its id. @throws AppError HOOK_CONFIG_NOT_FOUND. */
export const GetHookConfig = action('v1.merkle.config', {
  callers: { user: 'read' },
  params: z.strictObject({ id: z.string().max(100) }),
  result: HookConfig,
});

/**
 * Makes a version the one that trees are generated of; nothing happens on the chain. `active_version` refuses it when another
 * one is active than the caller saw; null for none.
 */
export const ActivateHookConfig = action('v1.merkle.activateConfig', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...vault,
    version: z.int().positive(),
    active_version: z.int().positive().nullable().optional(),
  }),
  result: HookConfigSummary,
});
