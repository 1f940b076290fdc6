import {
  foundAndTotal,
  isDuplicateKey,
  pageOf,
  pendingRow,
  placeIn,
  type RecordWith,
  sharedReads,
} from '@castellan/service-kit';
import { lanes as laneNames } from '@castellan/strategy';
import { pendingOf } from '../change-events.ts';
import { orderOf } from '../domain/lane-order.ts';
import type { AuditEvent, ChangeEvent, StrategyDocument } from '../domain/strategy.ts';
import type { EngineDocument, LaneDocument, SimulationDocument, StrategyCollections } from '../models.ts';

export type VaultKey = { chainId: number; vault: string };
export type Engine = Omit<EngineDocument, '_id'>;
export type SimulationPage = {
  items: SimulationDocument[];
  total: number;
  has_more: boolean;
  next_cursor: string | null;
};

export type StrategyStore = {
  /** @returns false when the id is taken. */
  insert(document: StrategyDocument, rows: readonly AuditEvent[]): Promise<boolean>;
  get(id: string): Promise<StrategyDocument | null>;
  ofVault(key: VaultKey): Promise<StrategyDocument[]>;
  /** Those that are not archived, without emergency exits. */
  countKept(key: VaultKey): Promise<number>;
  /** @returns null when it was changed since it was read. */
  change(
    read: Pick<StrategyDocument, '_id' | 'version'>,
    fields: Partial<Omit<StrategyDocument, '_id' | 'version'>>,
    events: readonly ChangeEvent[],
  ): Promise<StrategyDocument | null>;
  /** Running strategies of all vaults, or of one. */
  running(key?: VaultKey): Promise<StrategyDocument[]>;
  /** Every vault of a chain that has strategies. */
  vaultsOf(chainId: number): Promise<string[]>;
  /** The ids of each lane in their order, without archived ones. Emergency exits have no place in it: an armed one comes first. */
  orders(key: VaultKey, documents: readonly StrategyDocument[]): Promise<Record<StrategyDocument['lane'], string[]>>;
  setOrder(key: VaultKey, lane: string, order: string[], row: AuditEvent): Promise<void>;
  engine(key: VaultKey): Promise<Engine>;
  /** @returns null when `read` is not its version any more. */
  setEngine(key: VaultKey, read: number, engine: Omit<Engine, 'version'>, row: AuditEvent): Promise<Engine | null>;
};

/** Nothing runs until a manager starts a strategy, so the switch is off; the limits are what a careful person would do by hand. */
const untouched: Engine = { version: 0, kill_switch: false, max_intents_per_minute: 6, max_active_intents: 4 };

const idOf = ({ chainId, vault }: VaultKey): string => `${chainId}:${vault.toLowerCase()}`;
const ofVault = ({ chainId, vault }: VaultKey) => ({ chain_id: chainId, vault: vault.toLowerCase() });

/** @param recordWith - Stores a change together with its events. */
export function mongoStrategies(
  { strategies, lanes, engines }: StrategyCollections,
  recordWith: RecordWith,
): StrategyStore {
  const readOfVault = sharedReads<StrategyDocument[]>();
  const readOrders = sharedReads<LaneDocument[]>();
  return {
    async insert(document, rows) {
      try {
        await recordWith(rows.map(pendingRow), (session) => strategies.insertOne(document, { session }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    get: (id) => strategies.findOne({ _id: id }),
    ofVault: (key) =>
      readOfVault(idOf(key), () => strategies.find(ofVault(key)).sort({ created_at: 1, _id: 1 }).toArray()),
    countKept: (key) =>
      strategies.countDocuments({ ...ofVault(key), kind: 'USER_DEFINED', state: { $ne: 'ARCHIVED' } }),
    change: ({ _id, version }, fields, events) =>
      recordWith(events.map(pendingOf), (session) =>
        strategies.findOneAndUpdate(
          { _id, version },
          { $set: { ...fields, version: version + 1 } },
          { session, returnDocument: 'after' },
        ),
      ),
    running: (key) =>
      strategies
        .find({ ...(key ? ofVault(key) : {}), state: 'RUNNING' })
        .sort({ _id: 1 })
        .toArray(),
    async vaultsOf(chainId) {
      const found = await strategies.find({ chain_id: chainId }).project<{ vault: string }>({ vault: 1 }).toArray();
      return [...new Set(found.map(({ vault }) => vault))].sort();
    },
    async orders(key, documents) {
      const placed = documents.filter(({ kind, state }) => kind === 'USER_DEFINED' && state !== 'ARCHIVED');
      const laneId = (lane: StrategyDocument['lane']) => `${idOf(key)}:${lane}`;
      const read = () => lanes.find({ _id: { $in: laneNames.map(laneId) } }).toArray();
      const kept = placed.length === 0 ? [] : await readOrders(idOf(key), read);
      const orderIn = (lane: StrategyDocument['lane']) => {
        const there = placed.filter((document) => document.lane === lane);
        return orderOf(
          kept.find(({ _id }) => _id === laneId(lane))?.order ?? [],
          there.map(({ _id, created_at }) => ({ id: _id, createdAt: created_at })),
        );
      };
      return { DEPOSIT: orderIn('DEPOSIT'), WITHDRAWAL: orderIn('WITHDRAWAL'), REBALANCE: orderIn('REBALANCE') };
    },
    async setOrder(key, lane, order, row) {
      const _id = `${idOf(key)}:${lane}`;
      await recordWith([pendingRow(row)], (session) =>
        lanes.updateOne({ _id }, { $set: { order } }, { upsert: true, session }),
      );
    },
    async engine(key) {
      const found = await engines.findOne({ _id: idOf(key) });
      if (!found) return untouched;
      const { _id, ...engine } = found;
      return engine;
    },
    async setEngine(key, read, engine, row) {
      const change = { $set: { ...engine, version: read + 1 } };
      try {
        const after = await recordWith([pendingRow(row)], (session) =>
          engines.findOneAndUpdate({ _id: idOf(key), version: read }, change, {
            upsert: read === 0,
            returnDocument: 'after',
            session,
          }),
        );
        return after && { ...engine, version: after.version };
      } catch (error) {
        // The upsert met a document of another version.
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },
  };
}

export type SimulationStore = {
  /** @returns false when the same request is kept already. */
  insert(document: SimulationDocument, row: AuditEvent): Promise<boolean>;
  get(id: string): Promise<SimulationDocument | null>;
  byHash(key: VaultKey, hash: string): Promise<SimulationDocument | null>;
  remove(id: string, row: AuditEvent): Promise<boolean>;
  /** Newest first. @returns undefined for a cursor this list did not return. */
  page(key: VaultKey, limit: number, cursor?: string): Promise<SimulationPage | undefined>;
};

/** The place of a kept simulation in its list. */
const placeForm = /^\d{4}-\d\d-\d\dT[\d:.]+Z [\w-]+$/;

export function mongoSimulations({ simulations }: StrategyCollections, recordWith: RecordWith): SimulationStore {
  return {
    async insert(document, row) {
      try {
        await recordWith([pendingRow(row)], (session) => simulations.insertOne(document, { session }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    get: (id) => simulations.findOne({ _id: id }),
    byHash: (key, hash) => simulations.findOne({ ...ofVault(key), request_hash: hash }),
    remove: (id, row) =>
      recordWith(
        [pendingRow(row)],
        async (session) => (await simulations.deleteOne({ _id: id }, { session })).deletedCount === 1,
      ),
    async page(key, limit, cursor) {
      const place = cursor === undefined ? undefined : placeIn(cursor, placeForm)?.[0];
      if (cursor !== undefined && place === undefined) return undefined;
      const all = ofVault(key);
      const [found, total] = await foundAndTotal(
        { limit, cursor },
        () =>
          simulations
            .find(place === undefined ? all : { ...all, place: { $lt: place } })
            .sort({ place: -1 })
            .limit(limit + 1)
            .toArray(),
        () => simulations.countDocuments(all),
      );
      return { total, ...pageOf(found, limit, ({ place }) => place) };
    },
  };
}
