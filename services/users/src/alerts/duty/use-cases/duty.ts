import {
  AppError,
  type Duty,
  type GetDuty,
  isWithinBinding,
  type ListDuty,
  type ParamsOf,
  type ResultOf,
  type SetDuty,
} from '@castellan/contracts';
import { type Call, isDuplicateKey } from '@castellan/service-kit';
import type { AccessCollections } from '../../../access/models/collections.ts';
import { getRoles } from '../../../access/use-cases/read-users.ts';
import { needs, requireCaller, requireRole } from '../../../access/use-cases/require-role.ts';
import type { AuditLog } from '../../../audit/adapters/audit-log.mongo.ts';
import { dutyAt, shiftsFrom } from '../domain/rota.ts';
import { type DutyCollections, dutyRotas, type StoredRota } from '../models/collections.ts';

export type DutyDeps = {
  collections: AccessCollections;
  duty: Pick<DutyCollections, 'rotas'>;
  auditLog: AuditLog;
  checksum: (address: string) => string;
  now: () => Date;
};

type Vault = { chain_id: number; vault_address: string };
const keyOf = ({ chain_id, vault_address }: Vault) => ({ chain_id, vault: vault_address.toLowerCase() });

/** The rota of a vault; what was written into the store malformed counts as none. */
export async function rotaOf({ rotas }: Pick<DutyCollections, 'rotas'>, vault: Vault): Promise<StoredRota | undefined> {
  const found = await rotas.findOne(keyOf(vault));
  return found && dutyRotas.shape.safeParse(found).success ? found : undefined;
}

function shownDuty({ checksum, now }: Pick<DutyDeps, 'checksum' | 'now'>, stored: StoredRota | undefined): Duty {
  const rota = stored?.rota ?? null;
  const at = now();
  return {
    rota,
    version: stored?.version ?? 0,
    updated_by: stored ? checksum(stored.updated_by) : null,
    updated_at: stored?.updated_at.toISOString() ?? null,
    ...(rota ? dutyAt(rota, at) : { on_duty: null, next: null }),
    shifts: rota ? shiftsFrom(rota, at) : [],
  };
}

/** Who is on duty, for anybody with a role on the vault. */
export const getDuty =
  (deps: DutyDeps) =>
  async (params: ParamsOf<typeof GetDuty>, call: Call): Promise<Duty> => {
    await requireRole(deps.collections, call, params, needs.anyRole);
    return shownDuty(deps, await rotaOf(deps.duty, params));
  };

/** Who is on duty for each vault where the caller has a role and the token reaches; one read for all of them. */
export const listDuty = (deps: DutyDeps) => {
  const rolesOf = getRoles(deps);
  return async (_params: ParamsOf<typeof ListDuty>, call: Call): Promise<ResultOf<typeof ListDuty>> => {
    const { roles } = await rolesOf({ wallet_address: requireCaller(call) }, call);
    const scope = roles.filter((role) => isWithinBinding(call.caller, role));
    if (scope.length === 0) return { vaults: [] };
    const stored = await deps.duty.rotas.find({ $or: scope.map(keyOf), rota: { $ne: null } }).toArray();
    const now = deps.now();
    const vaults = stored.flatMap((found) => {
      const rota = dutyRotas.shape.safeParse(found).data?.rota;
      const { chain_id, vault } = found;
      return rota ? [{ chain_id, vault_address: deps.checksum(vault), ...dutyAt(rota, now) }] : [];
    });
    return { vaults };
  };
};

/** @returns false when another version is there. */
async function put({ rotas }: Pick<DutyCollections, 'rotas'>, next: StoredRota): Promise<boolean> {
  const { chain_id, vault, version } = next;
  if (version > 1) {
    const { matchedCount } = await rotas.replaceOne({ chain_id, vault, version: version - 1 }, next);
    return matchedCount === 1;
  }
  try {
    await rotas.insertOne({ ...next });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Sets who is on duty, for managers of the vault. */
export const setDuty =
  (deps: DutyDeps) =>
  async ({ version, rota, ...vault }: ParamsOf<typeof SetDuty>, call: Call): Promise<Duty> => {
    await requireRole(deps.collections, call, vault, needs.manager);
    const actor = requireCaller(call);
    const at = deps.now();
    const next: StoredRota = {
      ...keyOf(vault),
      rota,
      version: version + 1,
      updated_by: actor.toLowerCase(),
      updated_at: at,
    };
    if (!(await put(deps.duty, next))) {
      const current = await rotaOf(deps.duty, vault);
      throw new AppError('VERSION_CONFLICT', 'Somebody else has set who is on duty. Check it and save again.', {
        data: { current: { version: current?.version ?? 0 } },
      });
    }
    await deps.auditLog.append({
      id: `duty:${vault.chain_id}:${next.vault}:v${next.version}`,
      timestamp: at.toISOString(),
      category: 'alert',
      action_type: 'duty_rota_set',
      vault_address: vault.vault_address,
      chain_id: vault.chain_id,
      actor_wallet: actor,
      details: { rota, version: next.version },
      tx_hash: null,
      request_id: call.requestId ?? null,
    });
    return shownDuty(deps, next);
  };
