import { randomUUID } from 'node:crypto';
import {
  AppError,
  type GrantViewOnly,
  type ParamsOf,
  type ResultOf,
  type RevokeViewOnly,
  type SetDisplayName,
} from '@castellan/contracts';
import { type Call, isDuplicateKey } from '@castellan/service-kit';
import type { Ledger } from '../adapters/ledger.mongo.ts';
import type { AccessCollections, Owed, StoredGrant, StoredName } from '../models/collections.ts';
import { namesOf, personId, vaultUser } from './read-users.ts';
import { needs, requireCaller, requireRole } from './require-role.ts';

export type ChangeDeps = { collections: AccessCollections; ledger: Ledger; now: () => Date };

const zeroAddress = `0x${'0'.repeat(40)}`;

type Vault = { chain_id: number; vault_address: string };

const categoryOf = { view_only_granted: 'role', view_only_revoked: 'role', display_name_changed: 'write' } as const;

const owes = (
  { now }: ChangeDeps,
  call: Call,
  action_type: keyof typeof categoryOf,
  vault: Vault | null,
  details: Record<string, unknown>,
  event: Owed['event'],
): Owed => ({
  id: randomUUID(),
  audit: {
    timestamp: now().toISOString(),
    category: categoryOf[action_type],
    action_type,
    vault_address: vault?.vault_address ?? null,
    chain_id: vault?.chain_id ?? null,
    actor_wallet: requireCaller(call),
    details,
    request_id: call.requestId ?? null,
  },
  event,
});

/** Grants view-only access; again is no change. The audit row and the event follow from the changed document. */
export const grantViewOnly =
  (deps: ChangeDeps) =>
  async (params: ParamsOf<typeof GrantViewOnly>, call: Call): Promise<ResultOf<typeof GrantViewOnly>> => {
    const { chain_id, vault_address, wallet_address, display_name } = params;
    const managers = await requireRole(deps.collections, call, params, needs.primary);
    if (wallet_address === zeroAddress) throw new AppError('ZERO_ADDRESS', 'The zero address cannot be given access.');
    if ([managers.primary, ...managers.secondary].some((manager) => manager.wallet_address === wallet_address)) {
      throw new AppError('ALREADY_MANAGER', 'This wallet already manages the vault, which includes viewing it.');
    }
    const created = await switchGrant(deps, call, { chain_id, vault_address }, wallet_address, true);
    if (display_name !== undefined)
      await writeName(deps, call, { chain_id, vault_address }, wallet_address, display_name);
    const key = grantKey({ chain_id, vault_address }, wallet_address);
    const grant = (await deps.collections.grants.findOne(key)) as StoredGrant;
    const names = await namesOf(deps.collections, chain_id, vault_address, [wallet_address]);
    const granted_by = created ? requireCaller(call) : grant.granted_by;
    const member = {
      wallet: wallet_address,
      role: 'view_only' as const,
      granted_by,
      granted_at: grant.granted_at.toISOString(),
    };
    const id = await personId(deps.collections, wallet_address);
    return {
      created,
      user: vaultUser(member, { chain_id, vault_address }, id, names.get(wallet_address.toLowerCase())),
    };
  };

export const revokeViewOnly =
  (deps: ChangeDeps) =>
  async (params: ParamsOf<typeof RevokeViewOnly>, call: Call): Promise<ResultOf<typeof RevokeViewOnly>> => {
    await requireRole(deps.collections, call, params, needs.primary);
    return { removed: await switchGrant(deps, call, params, params.wallet_address, false) };
  };

const grantKey = ({ chain_id, vault_address }: Vault, wallet: string) => ({
  chain_id,
  vault: vault_address.toLowerCase(),
  wallet: wallet.toLowerCase(),
});

/** Turns a grant on or off in one atomic step, together with what it owes. @returns false when it was so already. */
async function switchGrant(
  deps: ChangeDeps,
  call: Call,
  { chain_id, vault_address }: Vault,
  wallet: string,
  granted: boolean,
): Promise<boolean> {
  const { collections, ledger, now } = deps;
  const key = grantKey({ chain_id, vault_address }, wallet);
  for (;;) {
    const current = await collections.grants.findOne(key);
    if (current?.owed) await ledger.settle('grants', current.owed);
    if ((current?.granted ?? false) === granted) return false;
    const version = (current?.version ?? 0) + 1;
    const data = { chain_id, vault_address, wallet_address: wallet, granted, version };
    const action = granted ? 'view_only_granted' : 'view_only_revoked';
    const owed = owes(
      deps,
      call,
      action,
      { chain_id, vault_address },
      { wallet_address: wallet },
      { name: 'view_only_changed', data },
    );
    const state = {
      granted,
      version,
      owed,
      ...(granted ? { granted_by: requireCaller(call).toLowerCase(), granted_at: now() } : {}),
    };
    if (
      await swap(
        () =>
          collections.grants.updateOne(
            { ...key, version: version - 1, owed: { $exists: false } } as never,
            { $set: state } as never,
          ),
        current ? undefined : () => collections.grants.insertOne({ ...key, ...state } as never),
      )
    ) {
      await ledger.settle('grants', owed);
      return true;
    }
  }
}

/** Changes the document if nobody changed it since it was read, or makes it. @returns false when somebody was faster. */
async function swap(
  change: () => Promise<{ matchedCount: number }>,
  make: (() => Promise<unknown>) | undefined,
): Promise<boolean> {
  if (!make) return (await change()).matchedCount === 1;
  try {
    await make();
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return false;
  }
}

/** One's own name, or, for the primary manager, a label on one vault. */
export const setDisplayName =
  (deps: ChangeDeps) =>
  async (params: ParamsOf<typeof SetDisplayName>, call: Call): Promise<ResultOf<typeof SetDisplayName>> => {
    const { wallet_address, display_name, chain_id, vault_address, version } = params;
    if (chain_id !== undefined && vault_address !== undefined) {
      await requireRole(deps.collections, call, { chain_id, vault_address }, needs.primary);
      const vault = { chain_id, vault_address };
      const written = await writeName(deps, call, vault, wallet_address, display_name, version);
      return { wallet_address, display_name, scope: 'vault', version: written };
    }
    if (requireCaller(call) !== wallet_address) {
      throw new AppError(
        'ROLE_REQUIRED',
        'Only the wallet itself may set its own name; a primary_manager may label it on a vault by naming vault_address and chain_id.',
      );
    }
    const written = await writeName(deps, call, null, wallet_address, display_name, version);
    return { wallet_address, display_name, scope: 'self', version: written };
  };

/** @throws AppError VERSION_CONFLICT with the present name when `replaces` is another version than there is. */
function requireVersion(current: StoredName | null, replaces: number | undefined): void {
  const version = current?.version ?? 0;
  if (replaces === undefined || replaces === version) return;
  throw new AppError(
    'VERSION_CONFLICT',
    'Somebody else has changed this name in the meantime. Check it and save again.',
    {
      data: { current: { display_name: current?.display_name ?? null, version } },
    },
  );
}

/**
 * Writes a name, or leaves it when it is the same.
 * @param replaces - The version it is to replace, 0 for none; undefined replaces whatever is there.
 * @returns its version.
 */
async function writeName(
  deps: ChangeDeps,
  call: Call,
  vault: Vault | null,
  wallet: string,
  display_name: string,
  replaces?: number,
): Promise<number> {
  const { collections, ledger } = deps;
  const key = {
    wallet: wallet.toLowerCase(),
    chain_id: vault?.chain_id ?? null,
    vault: vault?.vault_address.toLowerCase() ?? null,
  };
  for (;;) {
    const current = await collections.names.findOne(key);
    if (current?.owed) await ledger.settle('names', current.owed);
    requireVersion(current, replaces);
    if (current?.display_name === display_name) return current.version;
    const version = (current?.version ?? 0) + 1;
    const data = {
      chain_id: key.chain_id,
      vault_address: vault?.vault_address ?? null,
      wallet_address: wallet,
      display_name,
      version,
    };
    const details = { wallet_address: wallet, from: current?.display_name ?? null, to: display_name };
    const owed = owes(deps, call, 'display_name_changed', vault, details, { name: 'display_name_changed', data });
    const state = { display_name, version, owed };
    if (
      await swap(
        () =>
          collections.names.updateOne(
            { ...key, version: version - 1, owed: { $exists: false } } as never,
            { $set: state } as never,
          ),
        current ? undefined : () => collections.names.insertOne({ ...key, ...state } as never),
      )
    ) {
      await ledger.settle('names', owed);
      return version;
    }
  }
}
