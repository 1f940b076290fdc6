import type { RegistryHook } from '@castellan/contracts';
import { isDuplicateKey, pendingRow, type RecordWith } from '@castellan/service-kit';
import type { AuditEvent, HookDocument, MerkleCollections } from '../models/hook-trees.ts';
import { pageOf } from './page.ts';

type Fields = Omit<RegistryHook, 'id' | 'version' | 'created_at' | 'updated_at'>;
type Change = { at: Date; row: AuditEvent };

const LIST = 'hooks';
const placeOf = (name: string, id: string): string => `${name.toLowerCase()} ${id}`;

const hookOf = ({ _id, ...document }: HookDocument): RegistryHook => {
  const { place: _place, deleted_at: _deleted, ...hook } = document;
  return { id: _id, ...hook };
};

export function mongoHooks({ hooks }: Pick<MerkleCollections, 'hooks'>, recordWith: RecordWith) {
  const documentOf = (id: string, fields: Fields, at: Date): HookDocument => {
    const time = at.toISOString();
    const place = placeOf(fields.name, id);
    return { _id: id, ...fields, version: 1, created_at: time, updated_at: time, place, deleted_at: null };
  };
  return {
    async insert(id: string, fields: Fields, { at, row }: Change): Promise<RegistryHook> {
      const document = documentOf(id, fields, at);
      await recordWith([pendingRow(row)], (session) => hooks.insertOne(document, { session }));
      return hookOf(document);
    },
    /** A hook that the configuration names, unless it was there before, deleted since then or not. */
    async seed({ id, ...fields }: Fields & { id: string }, at: Date): Promise<void> {
      try {
        await hooks.insertOne(documentOf(id, fields, at));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async get(id: string): Promise<RegistryHook | null> {
      const found = await hooks.findOne({ _id: id, deleted_at: null });
      return found && hookOf(found);
    },
    async byId(ids: readonly string[]): Promise<Map<string, RegistryHook>> {
      const found = await hooks.find({ _id: { $in: [...ids] }, deleted_at: null }).toArray();
      return new Map(found.map((document) => [document._id, hookOf(document)]));
    },
    async page(of: { chainId?: number | undefined; isActive?: boolean | undefined }, limit: number, cursor?: string) {
      const filter = {
        deleted_at: null,
        ...(of.chainId === undefined ? {} : { 'addresses.chain_id': of.chainId }),
        ...(of.isActive === undefined ? {} : { is_active: of.isActive }),
      };
      const { items, ...rest } = await pageOf<HookDocument>(hooks, LIST, filter, { limit, cursor, newestFirst: false });
      return { hooks: items.map(hookOf), ...rest };
    },
    /** @returns null when the version is not the one there is. */
    async update(id: string, version: number, fields: Fields, { at, row }: Change): Promise<RegistryHook | null> {
      const set = { ...fields, place: placeOf(fields.name, id), version: version + 1, updated_at: at.toISOString() };
      const found = await recordWith([pendingRow(row)], (session) =>
        hooks.findOneAndUpdate(
          { _id: id, version, deleted_at: null },
          { $set: set },
          { session, returnDocument: 'after' },
        ),
      );
      return found && hookOf(found);
    },
    remove(id: string, { at, row }: Change): Promise<boolean> {
      return recordWith([pendingRow(row)], async (session) => {
        const there = { _id: id, deleted_at: null };
        return (await hooks.updateOne(there, { $set: { deleted_at: at } }, { session })).matchedCount > 0;
      });
    },
  };
}
export type HookStore = ReturnType<typeof mongoHooks>;
