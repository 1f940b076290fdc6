import {
  AppError,
  type GetScenarioSet,
  type ParamsOf,
  type ResultOf,
  type SetScenarioSet,
  usualShocks,
} from '@castellan/contracts';
import { type Call, isDuplicateKey, type RecordWith } from '@castellan/service-kit';
import type { AccessCollections } from '../../access/models/collections.ts';
import { needs, requireCaller, requireRole } from '../../access/use-cases/require-role.ts';
import type { AuditLog } from '../../audit/adapters/audit-log.mongo.ts';
import type { ScenarioSets, StoredScenarioSet } from '../models/collections.ts';

export type ScenarioDeps = {
  collections: AccessCollections;
  scenarios: ScenarioSets;
  auditLog: Pick<AuditLog, 'append'>;
  outbox: { recordWith: RecordWith };
  checksum: (address: string) => string;
  now: () => Date;
};

type Answer = ResultOf<typeof GetScenarioSet>;
const keyOf = ({ chain_id, vault_address }: { chain_id: number; vault_address: string }) => ({
  chain_id,
  vault: vault_address.toLowerCase(),
});

const unchosen: Answer = { shocks: usualShocks, names: [], version: 0, changed_by: null, changed_at: null };

const plain = (stored: StoredScenarioSet | null, checksum: (address: string) => string): Answer =>
  stored === null
    ? unchosen
    : {
        shocks: stored.shocks,
        names: stored.names.map(({ source_address, ...names }) => ({
          source_address: checksum(source_address),
          ...names,
        })) as Answer['names'],
        version: stored.version,
        changed_by: checksum(stored.changed_by),
        changed_at: stored.changed_at.toISOString(),
      };

export const getScenarioSet =
  (deps: ScenarioDeps) =>
  async (params: ParamsOf<typeof GetScenarioSet>, call: Call): Promise<Answer> => {
    await requireRole(deps.collections, call, params, needs.anyRole);
    return plain(await deps.scenarios.findOne(keyOf(params)), deps.checksum);
  };

/** Takes the place of the set that the caller knows, with its audit row in the same transaction. */
export const setScenarioSet =
  (deps: ScenarioDeps) =>
  async (params: ParamsOf<typeof SetScenarioSet>, call: Call): Promise<Answer> => {
    await requireRole(deps.collections, call, params, needs.manager);
    const { chain_id, vault_address, shocks, names, replaces } = params;
    const key = keyOf(params);
    const version = replaces + 1;
    const now = deps.now();
    const actor_wallet = requireCaller(call);
    const stored: StoredScenarioSet = {
      ...key,
      shocks,
      names,
      version,
      changed_by: actor_wallet.toLowerCase(),
      changed_at: now,
    };
    const row = {
      id: `scenarios:${chain_id}:${key.vault}:${version}`,
      timestamp: now.toISOString(),
      category: 'setting' as const,
      action_type: 'scenarios_changed',
      vault_address,
      chain_id,
      actor_wallet,
      details: { version, shocks, names },
      tx_hash: null,
      request_id: call.requestId ?? null,
    };
    const conflict = async () =>
      new AppError('VERSION_CONFLICT', 'Somebody changed the scenarios in the meantime. Read them and save again.', {
        data: { current: plain(await deps.scenarios.findOne(key), deps.checksum) },
      });
    let isDone: boolean;
    try {
      isDone = await deps.outbox.recordWith([], async (session) => {
        if (replaces === 0) await deps.scenarios.insertOne({ ...stored }, { session });
        else {
          const { matchedCount } = await deps.scenarios.updateOne(
            { ...key, version: replaces },
            { $set: stored },
            { session },
          );
          if (matchedCount === 0) return false;
        }
        await deps.auditLog.append(row, session);
        return true;
      });
    } catch (error) {
      throw isDuplicateKey(error) ? await conflict() : error;
    }
    if (!isDone) throw await conflict();
    return plain(stored, deps.checksum);
  };
