import { isDuplicateKey, pendingRow, type RecordWith } from '@castellan/service-kit';
import { rowAndUpdate } from '../audit.ts';
import {
  type ActiveDocument,
  type AuditEvent,
  type ConfigDocument,
  type MerkleCollections,
  type OfVault,
  vaultKey,
} from '../models/hook-trees.ts';
import { pageOf } from './page.ts';

export const placeOfVersion = (version: number): string => String(version).padStart(9, '0');

export function mongoConfigs(
  { configs, active, configTrees }: Pick<MerkleCollections, 'configs' | 'active' | 'configTrees'>,
  recordWith: RecordWith,
) {
  const latest = ({ chain_id, vault }: OfVault) =>
    configs.find({ chain_id, vault }).sort({ version: -1 }).limit(1).toArray();
  return {
    async latestVersion(of: OfVault): Promise<number> {
      const [last] = await latest(of);
      return last?.version ?? 0;
    },
    /** @returns false when the version is there already. */
    async insert(document: ConfigDocument, row: AuditEvent): Promise<boolean> {
      try {
        await recordWith([pendingRow(row)], (session) => configs.insertOne(document, { session }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    get: (id: string): Promise<ConfigDocument | null> => configs.findOne({ _id: id }),
    version: ({ chain_id, vault }: OfVault, version: number): Promise<ConfigDocument | null> =>
      configs.findOne({ chain_id, vault, version }),
    page: ({ chain_id, vault }: OfVault, limit: number, cursor?: string) =>
      pageOf<ConfigDocument>(configs, 'versions', { chain_id, vault }, { limit, cursor, newestFirst: true }),

    active: (of: OfVault): Promise<ActiveDocument | null> => active.findOne({ _id: vaultKey(of) }),
    /**
     * Makes a version active in one step.
     * @param expected - The version that has to be active, null for none; undefined for any.
     * @returns false when another one is active.
     */
    async activate(
      of: OfVault,
      { _id: config_id, version }: Pick<ConfigDocument, '_id' | 'version'>,
      expected: number | null | undefined,
      row: AuditEvent,
    ): Promise<boolean> {
      const _id = vaultKey(of);
      const update = { $set: { config_id, version } };
      try {
        return await recordWith(rowAndUpdate(row, of), async (session) => {
          if (expected === null) {
            await active.insertOne({ _id, config_id, version }, { session });
            return true;
          }
          if (expected === undefined) {
            await active.updateOne({ _id }, update, { upsert: true, session });
            return true;
          }
          return (await active.updateOne({ _id, version: expected }, update, { session })).matchedCount > 0;
        });
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    /** The trees of these versions, by the version's id. */
    async treesOf(ids: readonly string[]): Promise<Map<string, string>> {
      const found = await configTrees.find({ _id: { $in: [...ids] } }).toArray();
      return new Map(found.map(({ _id, tree_id }) => [_id, tree_id]));
    },
    /** @returns false when it is not `before` any more, undefined for none. */
    async setTree(configId: string, tree_id: string, before: string | undefined): Promise<boolean> {
      try {
        if (before !== undefined)
          return (await configTrees.replaceOne({ _id: configId, tree_id: before }, { tree_id })).matchedCount > 0;
        await configTrees.insertOne({ _id: configId, tree_id });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    /** The tree of the active version; null without one. */
    async currentTree(of: OfVault): Promise<string | null> {
      const current = await active.findOne({ _id: vaultKey(of) });
      const found = current && (await configTrees.findOne({ _id: current.config_id }));
      return found?.tree_id ?? null;
    },
  };
}
export type ConfigStore = ReturnType<typeof mongoConfigs>;
