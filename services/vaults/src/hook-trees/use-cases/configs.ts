import { createHash } from 'node:crypto';
import {
  type ActivateHookConfig,
  AppError,
  type Caller,
  type CreateHookConfig,
  type FieldError,
  type GetActiveHookConfig,
  type GetHookConfig,
  type GetHookConfigVersion,
  type HookConfig,
  type HookConfigSummary,
  type ListHookConfigs,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { forReaders, type MerkleAccess, ofVault, requireRole } from '../access.ts';
import { type ConfigStore, placeOfVersion } from '../adapters/config-store.mongo.ts';
import type { HookStore } from '../adapters/hook-store.mongo.ts';
import { writtenBy } from '../audit.ts';
import { type KeptRow, type References, resolveRows } from '../domain/rows.ts';
import type { AuditEvent, ConfigDocument, OfVault } from '../models/hook-trees.ts';

export type ConfigPorts = MerkleAccess & {
  configs: ConfigStore;
  hooks: HookStore;
  now: () => number;
  newId: () => string;
};

/** Two who make a version at the same time get one each. */
const TRIES = 5;

/** A version's answer travels in one message of the bus, which takes 1 MiB with its envelope. */
const MOST_BYTES = 1_000_000;

/** @throws AppError VALIDATION_FAILED: nobody could read it, once it is stored. */
function requireReadable(config: HookConfig): void {
  const bytes = Buffer.byteLength(JSON.stringify(config));
  if (bytes <= MOST_BYTES) return;
  const message = `take ${bytes} bytes when they are read, with the names of their hooks; at most ${MOST_BYTES} are allowed`;
  refuseFaults('VALIDATION_FAILED', [{ path: 'body.rows', message }]);
}

const missing = (detail: string) => new AppError('HOOK_CONFIG_NOT_FOUND', detail);
const conflict = (detail: string) => new AppError('VERSION_CONFLICT', detail);

const hashOf = (rows: readonly KeptRow[]): string =>
  createHash('sha256')
    .update(JSON.stringify(rows.map(({ hook_address, calldata }) => [hook_address.toLowerCase(), calldata])))
    .digest('hex');

/** What rows may refer to, as of the vault's last reading. */
function referencesOf({ detail }: Snapshot): References {
  const sources = detail.allocation.filter(({ kind }) => kind === 'source');
  return {
    sources: new Set(sources.map(({ source_address }) => source_address.toLowerCase())),
    oracles: new Set(sources.flatMap(({ oracle_address }) => oracle_address?.toLowerCase() ?? [])),
  };
}

function refuseFaults(code: 'VALIDATION_FAILED' | 'HOOK_ROW_REFUSED', errors: readonly FieldError[]): void {
  const [first] = errors;
  if (!first) return;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more of the like` : '';
  throw new AppError(code, `${first.path} ${first.message}${more}.`, { data: { errors: errors.slice(0, 100) } });
}

const summaryOf = (
  document: ConfigDocument,
  { activeId, treeId }: { activeId: string | undefined; treeId: string | undefined },
): HookConfigSummary => ({
  id: document._id,
  vault_address: document.vault_address,
  chain_id: document.chain_id,
  version: document.version,
  is_active: document._id === activeId,
  note: document.note,
  row_count: document.rows.length,
  config_hash: document.config_hash,
  tree_id: treeId ?? null,
  created_by: getAddress(document.created_by),
  created_at: document.created_at.toISOString(),
});

const rowsOf = ({ rows }: ConfigDocument): HookConfig['rows'] =>
  rows.map(({ calldata: _calldata, pinned: _pinned, ...row }) => row);

export const configUseCases = (ports: ConfigPorts) => {
  const { configs } = ports;

  const summaries = async (of: OfVault, documents: readonly ConfigDocument[]): Promise<HookConfigSummary[]> => {
    const [active, trees] = await Promise.all([configs.active(of), configs.treesOf(documents.map(({ _id }) => _id))]);
    return documents.map((document) =>
      summaryOf(document, { activeId: active?.config_id, treeId: trees.get(document._id) }),
    );
  };
  const whole = async (document: ConfigDocument): Promise<HookConfig> => {
    const [summary] = await summaries(document, [document]);
    return { ...(summary as HookConfigSummary), rows: rowsOf(document) };
  };

  const insertNext = async (
    of: OfVault,
    base: number | undefined,
    make: (version: number) => { document: ConfigDocument; row: AuditEvent },
  ): Promise<ConfigDocument> => {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const latest = await configs.latestVersion(of);
      if (base !== undefined && base !== latest)
        throw conflict(`The newest version is ${latest} and not ${base}. Read it and repeat your change on it.`);
      const { document, row } = make(latest + 1);
      if (await configs.insert(document, row)) return document;
    }
    throw conflict('Others make versions at the same time. Repeat it.');
  };

  return {
    create: async (params: ParamsOf<typeof CreateHookConfig>, caller: Caller | undefined): Promise<HookConfig> => {
      const { wallet, snapshot } = await requireRole(ports, params, caller, 'secondary_manager');
      const hooks = await ports.hooks.byId([...new Set(params.rows.map(({ hook_id }) => hook_id))]);
      const references = referencesOf(snapshot);
      const { rows, malformed, refused } = resolveRows(params.rows, { chainId: params.chain_id, hooks, references });
      refuseFaults('VALIDATION_FAILED', malformed);
      refuseFaults('HOOK_ROW_REFUSED', refused);
      const of = { chain_id: params.chain_id, vault: snapshot.vault };
      const at = new Date(ports.now());
      const make = (version: number) => {
        const id = ports.newId();
        const vault_address = snapshot.detail.vault_address;
        const vault = { chain_id: params.chain_id, vault_address };
        const details = { config_id: id, version, row_count: rows.length, note: params.note ?? null };
        const document: ConfigDocument = {
          _id: id,
          ...of,
          vault_address,
          version,
          place: placeOfVersion(version),
          rows,
          config_hash: hashOf(rows),
          note: params.note ?? null,
          created_by: wallet,
          created_at: at,
        };
        return { document, row: writtenBy({ action: 'hook_config_created', actor: wallet, at, vault, details }) };
      };
      const { document: trial } = make(Number.MAX_SAFE_INTEGER);
      requireReadable({ ...summaryOf(trial, { activeId: undefined, treeId: undefined }), rows: rowsOf(trial) });
      const document = await insertNext(of, params.base_version, make);
      return whole(document);
    },

    versions: forReaders(
      ports,
      async (
        { limit, cursor }: ParamsOf<typeof ListHookConfigs>,
        snapshot,
      ): Promise<ResultOf<typeof ListHookConfigs>> => {
        const of = ofVault(snapshot);
        const { items, ...rest } = await configs.page(of, limit, cursor);
        return { versions: await summaries(of, items), ...rest };
      },
    ),

    version: forReaders(
      ports,
      async ({ version }: ParamsOf<typeof GetHookConfigVersion>, snapshot): Promise<HookConfig> => {
        const found = await configs.version(ofVault(snapshot), version);
        if (!found) throw missing(`This vault has no version ${version}.`);
        return whole(found);
      },
    ),

    active: forReaders(ports, async (_vault: ParamsOf<typeof GetActiveHookConfig>, snapshot): Promise<HookConfig> => {
      const active = await configs.active(ofVault(snapshot));
      const found = active && (await configs.get(active.config_id));
      if (!found) throw missing('No hook configuration of this vault is active.');
      return whole(found);
    }),

    get: async ({ id }: ParamsOf<typeof GetHookConfig>, caller: Caller | undefined): Promise<HookConfig> => {
      const found = await configs.get(id);
      if (!found) throw missing('There is no hook configuration of this id.');
      await requireRole(ports, found, caller, 'view_only');
      return whole(found);
    },

    activate: async (
      { version, active_version, ...vault }: ParamsOf<typeof ActivateHookConfig>,
      caller: Caller | undefined,
    ): Promise<HookConfigSummary> => {
      const { wallet, snapshot } = await requireRole(ports, vault, caller, 'secondary_manager');
      const of = { chain_id: vault.chain_id, vault: snapshot.vault };
      const found = await configs.version(of, version);
      if (!found) throw missing(`This vault has no version ${version}.`);
      const at = new Date(ports.now());
      const about = { chain_id: vault.chain_id, vault_address: snapshot.detail.vault_address };
      const details = { config_id: found._id, version };
      const row = writtenBy({ action: 'hook_config_activated', actor: wallet, at, vault: about, details });
      if (!(await configs.activate(of, found, active_version, row)))
        throw conflict('Another version is active than you saw. Read the versions again.');
      const [summary] = await summaries(of, [found]);
      return summary as HookConfigSummary;
    },
  };
};
