import {
  AppError,
  type DraftMandate,
  type EnforceMandate,
  type GetMandate,
  type ListMandateVersions,
  MandateEnforced,
  type MandateVersion,
  mandateHash,
  mandateSigner,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import {
  type Call,
  foundAndTotal,
  invalidCursor,
  isDuplicateKey,
  pageOf,
  pendingEvent,
  placeIn,
  type RecordWith,
  sharedByParams,
} from '@castellan/service-kit';
import type { AccessCollections } from '../../access/models/collections.ts';
import {
  callerRole,
  forRole,
  managersOf,
  needs,
  requireCaller,
  requireRole,
} from '../../access/use-cases/require-role.ts';
import type { AuditLog } from '../../audit/adapters/audit-log.mongo.ts';
import type { MandateCollections, StoredVersion } from '../models/collections.ts';
import { keyOf, plainVersion, type Vault, versionInForce } from '../stored.ts';

export type MandateDeps = {
  collections: AccessCollections;
  mandates: MandateCollections;
  auditLog: Pick<AuditLog, 'append'>;
  outbox: { recordWith: RecordWith };
  checksum: (address: string) => string;
  now: () => Date;
};

/** What a caller may read: everything with a role on the vault, else the mandate in force once that says so. */
export function readableBy({ collections, mandates }: Pick<MandateDeps, 'collections' | 'mandates'>) {
  const readInForce = sharedByParams((vault: ReturnType<typeof keyOf>) => versionInForce(mandates, vault));
  return async (vault: Vault, call: Call): Promise<{ hasRole: boolean; inForce: StoredVersion | null }> => {
    const managers = await managersOf(call, vault);
    const hasRole = (await callerRole(collections, call, managers)) !== null;
    const inForce = await readInForce(keyOf(vault));
    return { hasRole, inForce: hasRole || inForce?.document.public === true ? inForce : null };
  };
}

export const getMandate = (deps: MandateDeps) => {
  const readable = readableBy(deps);
  const readDraft = sharedByParams(({ current, ...key }: ReturnType<typeof keyOf> & { current: number }) =>
    deps.mandates.versions.findOne({ ...key, version: { $gt: current } }, { sort: { version: -1 } }),
  );
  return async (params: ParamsOf<typeof GetMandate>, call: Call): Promise<ResultOf<typeof GetMandate>> => {
    const { hasRole, inForce } = await readable(params, call);
    const current = inForce?.version ?? 0;
    const plain = (stored: StoredVersion | null) => stored && plainVersion(stored, current, deps.checksum);
    const draft = hasRole ? await readDraft({ ...keyOf(params), current }) : null;
    return { in_force: plain(inForce), draft: plain(draft) };
  };
};

export const listMandateVersions = (deps: MandateDeps) =>
  forRole(
    deps.collections,
    needs.anyRole,
    async (params: ParamsOf<typeof ListMandateVersions>): Promise<ResultOf<typeof ListMandateVersions>> => {
      const { limit, cursor } = params;
      const place = cursor === undefined ? undefined : placeIn(cursor, /^([1-9][0-9]{0,8})$/);
      if (cursor !== undefined && !place) throw invalidCursor();
      const key = keyOf(params);
      const before = place ? { version: { $lt: Number(place[1]) } } : {};
      const [[found, total], inForce] = await Promise.all([
        foundAndTotal(
          { limit, cursor },
          () =>
            deps.mandates.versions
              .find({ ...key, ...before })
              .sort({ version: -1 })
              .limit(limit + 1)
              .toArray(),
          () => deps.mandates.versions.countDocuments(key),
        ),
        versionInForce(deps.mandates, keyOf(params)),
      ]);
      const { items, ...page } = pageOf(found, limit, ({ version }) => String(version));
      const versions = items.map((stored) => plainVersion(stored, inForce?.version ?? 0, deps.checksum));
      return { versions, total, ...page };
    },
  );

type Written = { action_type: string; id: string; details: Record<string, unknown> };

const rowOf = ({ now }: MandateDeps, call: Call, { chain_id, vault_address }: Vault, written: Written) => ({
  ...written,
  timestamp: now().toISOString(),
  category: 'setting' as const,
  vault_address,
  chain_id,
  actor_wallet: requireCaller(call),
  tx_hash: null,
  request_id: call.requestId ?? null,
});

/** Adds a version behind the others; nothing of those that are there changes. */
export const draftMandate =
  (deps: MandateDeps) =>
  async (params: ParamsOf<typeof DraftMandate>, call: Call): Promise<MandateVersion> => {
    const { document, replaces } = params;
    await requireRole(deps.collections, call, params, needs.manager);
    const { versions } = deps.mandates;
    const key = keyOf(params);
    const newest = await versions.findOne(key, { sort: { version: -1 } });
    const current = (await versionInForce(deps.mandates, keyOf(params)))?.version ?? 0;
    const conflict = () =>
      new AppError('VERSION_CONFLICT', 'Another version was added in the meantime. Read it and save again.', {
        data: { current: newest && plainVersion(newest, current, deps.checksum) },
      });
    if ((newest?.version ?? 0) !== replaces) throw conflict();
    const stored: StoredVersion = {
      ...key,
      version: replaces + 1,
      document,
      document_hash: mandateHash(document),
      created_by: requireCaller(call).toLowerCase(),
      created_at: deps.now(),
      signed_by: null,
      signature: null,
      in_force_from: null,
    };
    const row = rowOf(deps, call, params, {
      id: `mandate:${key.chain_id}:${key.vault}:${stored.version}:drafted`,
      action_type: 'mandate_drafted',
      details: { version: stored.version, document_hash: stored.document_hash, title: document.title },
    });
    try {
      await deps.outbox.recordWith([], async (session) => {
        await versions.insertOne({ ...stored }, { session });
        await deps.auditLog.append(row, session);
        return true;
      });
    } catch (error) {
      throw isDuplicateKey(error) ? conflict() : error;
    }
    return plainVersion(stored, current, deps.checksum);
  };

async function requireDraft({ mandates }: MandateDeps, vault: Vault, version: number): Promise<StoredVersion> {
  const stored = await mandates.versions.findOne({ ...keyOf(vault), version });
  if (!stored) throw new AppError('MANDATE_NOT_FOUND', `The vault has no version ${version} of a mandate.`);
  const inForce = await versionInForce(mandates, keyOf(vault));
  if (stored.in_force_from === null && version > (inForce?.version ?? 0)) return stored;
  throw new AppError('MANDATE_ENFORCED', 'This version or a later one was put into force. Draft a new version.');
}

/** The signature decides, not the token: who holds a token of the primary manager still needs the wallet. */
export const enforceMandate =
  (deps: MandateDeps) =>
  async (params: ParamsOf<typeof EnforceMandate>, call: Call): Promise<MandateVersion> => {
    const { chain_id, vault_address, version, signature } = params;
    const { primary } = await requireRole(deps.collections, call, params, needs.primary);
    const stored = await requireDraft(deps, params, version);
    const signed = { chain_id, vault_address, version, document_hash: stored.document_hash };
    const signer = await mandateSigner(signed, signature);
    if (signer?.toLowerCase() !== primary.wallet_address.toLowerCase())
      throw new AppError(
        'MANDATE_SIGNATURE_INVALID',
        'The signature is not one of the primary manager over this version.',
      );
    const change = { signed_by: signer.toLowerCase(), signature, in_force_from: deps.now() };
    const row = rowOf(deps, call, params, {
      id: `mandate:${chain_id}:${vault_address.toLowerCase()}:${version}:enforced`,
      action_type: 'mandate_enforced',
      details: { version, document_hash: stored.document_hash, title: stored.document.title },
    });
    const { document } = stored;
    const event = pendingEvent(MandateEnforced, { chain_id, vault_address, version, document }, { msgId: row.id });
    const isDone = await deps.outbox.recordWith([event], async (session) => {
      const draft = { ...keyOf(params), version, in_force_from: null };
      const { matchedCount } = await deps.mandates.versions.updateOne(draft, { $set: change }, { session });
      if (matchedCount === 0) return false;
      await deps.auditLog.append(row, session);
      return true;
    });
    if (!isDone) throw new AppError('MANDATE_ENFORCED', 'This version was put into force in the meantime.');
    return plainVersion({ ...stored, ...change }, version, deps.checksum);
  };
