import { randomUUID } from 'node:crypto';
import {
  AppError,
  DisplayNameChanged,
  type EventData,
  type GrantViewOnly,
  isUnbound,
  NoteViewOnly,
  type ParamsOf,
  type ResultOf,
  type RevokeViewOnly,
  type SetDisplayName,
  ViewOnlyChanged,
} from '@castellan/contracts';
import {
  type Call,
  type ClientSession,
  isDuplicateKey,
  type Logger,
  Overtaken,
  pendingEvent,
  type RecordWith,
} from '@castellan/service-kit';
import type { AccessCollections, AuditEntry, StoredGrant, StoredName } from '../models/collections.ts';
import { namesOf, personIds, vaultUser } from './read-users.ts';
import { needs, requireCaller, requireRole } from './require-role.ts';

export type ChangeDeps = {
  collections: AccessCollections;
  /** The same `id` again is no second row. */
  auditLog: { append(entry: AuditEntry, session: ClientSession): Promise<void> };
  outbox: { recordWith: RecordWith };
  now: () => Date;
  log: Pick<Logger, 'warn'>;
};

const zeroAddress = `0x${'0'.repeat(40)}`;

type Vault = { chain_id: number; vault_address: string };

const categoryOf = { view_only_granted: 'role', view_only_revoked: 'role', display_name_changed: 'write' } as const;

const rowOf = (
  { now }: ChangeDeps,
  call: Call,
  action_type: keyof typeof categoryOf,
  vault: Vault | null,
  details: Record<string, unknown>,
): AuditEntry => ({
  id: randomUUID(),
  timestamp: now().toISOString(),
  category: categoryOf[action_type],
  action_type,
  vault_address: vault?.vault_address ?? null,
  chain_id: vault?.chain_id ?? null,
  actor_wallet: requireCaller(call),
  details,
  tx_hash: null,
  request_id: call.requestId ?? null,
});

/** Grants view-only access; again is no change. The audit row and the event are stored in the same transaction. */
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
    const wallet = wallet_address.toLowerCase();
    const ids = await personIds(deps.collections, [wallet]);
    return {
      created,
      user: vaultUser(member, { chain_id, vault_address }, ids.get(wallet) as string, names.get(wallet)),
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

/** Turns a grant on or off, with its audit row and its event. @returns false when it was so already. */
async function switchGrant(
  deps: ChangeDeps,
  call: Call,
  { chain_id, vault_address }: Vault,
  wallet: string,
  granted: boolean,
): Promise<boolean> {
  const { collections, auditLog, outbox, now } = deps;
  const key = grantKey({ chain_id, vault_address }, wallet);
  const action = granted ? 'view_only_granted' : 'view_only_revoked';
  const row = rowOf(deps, call, action, { chain_id, vault_address }, { wallet_address: wallet });
  const changed = await outbox.recordWith<EventData<typeof ViewOnlyChanged> | null>(
    (data) => [pendingEvent(ViewOnlyChanged, data, { msgId: row.id })],
    async (session) => {
      const current = await collections.grants.findOne(key, { session });
      if ((current?.granted ?? false) === granted) return null;
      const version = (current?.version ?? 0) + 1;
      const by = granted ? { granted_by: requireCaller(call).toLowerCase(), granted_at: now() } : {};
      const state = { granted, version, ...by };
      await swap(
        current
          ? collections.grants.updateOne({ ...key, version: version - 1 }, { $set: state }, { session })
          : collections.grants.insertOne({ ...key, ...state } as StoredGrant, { session }),
      );
      await auditLog.append(row, session);
      return { chain_id, vault_address, wallet_address: wallet, granted, version };
    },
  );
  if (changed) await handOver(deps, call, changed);
  return changed !== null;
}

/** The vaults service answers what a wallet may view: its next answer has the change. If it is away, it has it by the event. */
async function handOver({ log }: ChangeDeps, call: Call, change: EventData<typeof ViewOnlyChanged>): Promise<void> {
  try {
    await call.callAction(NoteViewOnly, change);
  } catch (error) {
    log.warn('could not hand a view-only change to the vaults service, its event follows', { error: error as Error });
  }
}

/** A document that was changed or made since it was read, in a store that let both get so far: the transaction is run again. */
async function swap(write: Promise<object>): Promise<void> {
  try {
    const result = await write;
    if ('matchedCount' in result && result.matchedCount === 0) throw new Overtaken();
  } catch (error) {
    throw isDuplicateKey(error) ? new Overtaken(error) : error;
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
    if (!isUnbound(call.caller))
      throw new AppError(
        'ROLE_REQUIRED',
        'A name counts on every chain, and your token does not. A primary_manager may label the wallet on a vault by naming vault_address and chain_id.',
      );
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
  const { collections, auditLog, outbox } = deps;
  const key = {
    wallet: wallet.toLowerCase(),
    chain_id: vault?.chain_id ?? null,
    vault: vault?.vault_address.toLowerCase() ?? null,
  };
  const id = randomUUID();
  const { version } = await outbox.recordWith<{
    version: number;
    data: EventData<typeof DisplayNameChanged> | null;
  }>(
    ({ data }) => (data ? [pendingEvent(DisplayNameChanged, data, { msgId: id })] : []),
    async (session) => {
      const current = await collections.names.findOne(key, { session });
      requireVersion(current, replaces);
      if (current?.display_name === display_name) return { version: current.version, data: null };
      const version = (current?.version ?? 0) + 1;
      await swap(
        current
          ? collections.names.updateOne(
              { ...key, version: version - 1 },
              { $set: { display_name, version } },
              { session },
            )
          : collections.names.insertOne({ ...key, display_name, version }, { session }),
      );
      const details = { wallet_address: wallet, from: current?.display_name ?? null, to: display_name };
      await auditLog.append({ ...rowOf(deps, call, 'display_name_changed', vault, details), id }, session);
      const vault_address = vault?.vault_address ?? null;
      return {
        version,
        data: { chain_id: key.chain_id, vault_address, wallet_address: wallet, display_name, version },
      };
    },
  );
  return version;
}
