import { createHash } from 'node:crypto';
import type { Intent, IntentState } from '@castellan/contracts';
import { defineCollection, foundAndTotal, isDuplicateKey, pageOf, placeIn } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import {
  type IntentEvent,
  type IntentProgress,
  isTerminal,
  noProgress,
  payloadOf,
  progressAfter,
  stateAfter,
} from './machine.ts';

export type IntentHistoryEntry = {
  event_id: string;
  message_type: string;
  seq_num: number;
  payload: Record<string, unknown>;
  created_at: string;
};

export type IntentDocument = IntentProgress & {
  /** Follows from the idempotency key. */
  _id: string;
  idempotency_key: string;
  execution_id: string;
  correlation_id: string;
  strategy_id: string;
  chain_id: number;
  /** Lower case. */
  vault: string;
  vault_address: string;
  action: Intent['action'];
  target_address: string;
  state: IntentState;
  source: 'engine' | 'nats' | 'backfill';
  /** Sorts newest first when descending. Unique. */
  place: string;
  created_at: string;
  expires_at: string | null;
  amount: string;
  token_in: string | null;
  token_out: string | null;
  signal: Record<string, unknown>;
  /** Of every signed form of its transaction but the first; absent while there is none. */
  tx_hashes?: string[];
  /** The one of them, or the first, that was mined; absent while there is one form only. */
  mined_hash?: string;
  /** Grows by one with each event; what a change is conditional on. */
  last_event_seq: number;
  events: IntentHistoryEntry[];
  is_active: boolean;
  /** `total_amount_in` with leading zeros: ordered as text it is ordered as a number. */
  amount_in_place: string;
};

export type NewIntent = Pick<
  IntentDocument,
  | 'strategy_id'
  | 'chain_id'
  | 'vault_address'
  | 'action'
  | 'target_address'
  | 'amount'
  | 'token_in'
  | 'token_out'
  | 'signal'
  | 'expires_at'
  | 'source'
> & {
  /** Says which intent this is: the same strategy at the same block is the same intent, in whichever process it is decided and however often. */
  idempotency_key: string;
};

export type IntentQuery = {
  chainId: number;
  vault: string;
  filter: Record<string, unknown>;
};
export type Facet = 'state' | 'action' | 'chain_id' | 'vault_address' | 'strategy_id';

export type IntentStore = {
  /** Keeps a new intent as RECEIVED. @returns it, or the one this key has made before (`created` false). */
  receive(intent: NewIntent, at: Date): Promise<{ intent: IntentDocument; created: boolean }>;
  get(id: string): Promise<IntentDocument | null>;
  /**
   * One event, if it is possible and nobody was faster.
   * @returns the changed intent; null when it has changed since it was read, or the event cannot happen in its state.
   */
  advance(
    intent: Pick<IntentDocument, '_id' | 'last_event_seq'>,
    event: IntentEvent,
    at: Date,
  ): Promise<IntentDocument | null>;
  /** Notes the signed forms of an intent's transaction, one of which may be mined. */
  noteForms(id: string, hashes: readonly string[], mined?: string): Promise<void>;
  /** Intents that are not finished, oldest first: what a keeper goes on with after a crash. */
  active(chainId: number, vault?: string): Promise<IntentDocument[]>;
  /**
   * How many of those that were made for a vault since a moment took a transaction, or of one strategy's took none; without those whose
   * block a reorg replaced, which nobody refused.
   */
  countSince(chainId: number, vault: string, since: Date, which: 'sent' | { unsentOf: string }): Promise<number>;
  /** @returns undefined for a cursor this list did not return. */
  page(
    query: IntentQuery,
    limit: number,
    cursor?: string,
  ): Promise<{ items: IntentDocument[]; total: number; has_more: boolean; next_cursor: string | null } | undefined>;
  facets(query: IntentQuery, facets: readonly Facet[]): Promise<Record<Facet, { value: string; count: number }[]>>;
};

export const intentCollection = defineCollection({
  name: 'intents',
  kept: 'truth',
  about: 'Intents of strategies, with their history.',
  shape: z.custom<IntentDocument>(),
  indexes: [
    { keys: { chain_id: 1, vault: 1, place: -1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, is_active: 1, place: 1 } },
    { keys: { chain_id: 1, is_active: 1, place: 1 } },
    { keys: { idempotency_key: 1 }, unique: true },
  ],
});

/** A uint256 has at most 78 digits. */
export const amountPlace = (amount: string): string => amount.padStart(78, '0');

/** The id a key leads to: the store itself then refuses a second intent of the same key. */
export const intentIdOf = (key: string): string => `int_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;

/** The place of an intent in its list. */
const placeForm = /^\d{4}-\d\d-\d\dT[\d:.]+Z int_[0-9a-f]{32}$/;

function documentOf(intent: NewIntent, at: Date): IntentDocument {
  const _id = intentIdOf(intent.idempotency_key);
  const created_at = at.toISOString();
  return {
    _id,
    ...intent,
    ...noProgress,
    execution_id: `${_id}:1`,
    correlation_id: _id,
    vault: intent.vault_address.toLowerCase(),
    state: 'RECEIVED',
    place: `${created_at} ${_id}`,
    created_at,
    last_event_seq: 1,
    events: [{ event_id: `${_id}:1`, message_type: 'RECEIVE', seq_num: 1, payload: {}, created_at }],
    is_active: true,
    amount_in_place: amountPlace('0'),
  };
}

export function mongoIntents(connection: Connection): IntentStore {
  const intents = intentCollection.open(connection);
  const get = (id: string) => intents.findOne({ _id: id });
  const matching = ({ chainId, vault, filter }: IntentQuery) => ({
    chain_id: chainId,
    vault: vault.toLowerCase(),
    ...filter,
  });
  return {
    get,
    async receive(intent, at) {
      const document = documentOf(intent, at);
      try {
        await intents.insertOne(document);
        return { intent: document, created: true };
      } catch (error) {
        const before = isDuplicateKey(error) ? await get(document._id) : null;
        if (!before) throw error;
        return { intent: before, created: false };
      }
    },
    async noteForms(_id, hashes, mined_hash) {
      await intents.updateOne(
        { _id },
        {
          $addToSet: { tx_hashes: { $each: hashes as string[] } },
          ...(mined_hash !== undefined && { $set: { mined_hash } }),
        },
      );
    },
    async advance({ _id, last_event_seq }, event, at) {
      const before = await intents.findOne({ _id, last_event_seq });
      const state = before && stateAfter(before.state, event.type);
      if (!before || state === undefined || state === null) return null;
      const seq_num = last_event_seq + 1;
      const created_at = at.toISOString();
      const entry = {
        event_id: `${_id}:${seq_num}`,
        message_type: event.type,
        seq_num,
        payload: payloadOf(event),
        created_at,
      };
      const {
        acked_at,
        executing_at,
        completed_at,
        terminal_at,
        error_code,
        error_message,
        transaction,
        fills,
        ...totals
      } = before;
      const { total_amount_in, total_amount_out, gas_used_total } = totals;
      const progress = progressAfter(
        {
          acked_at,
          executing_at,
          completed_at,
          terminal_at,
          error_code,
          error_message,
          transaction,
          fills,
          total_amount_in,
          total_amount_out,
          gas_used_total,
        },
        event,
        created_at,
        before,
      );
      return intents.findOneAndUpdate(
        { _id, last_event_seq },
        {
          $set: {
            ...progress,
            state,
            last_event_seq: seq_num,
            is_active: !isTerminal(state),
            amount_in_place: amountPlace(progress.total_amount_in),
          },
          $push: { events: entry },
        } as never,
        { returnDocument: 'after' },
      );
    },
    active: (chainId, vault) =>
      intents
        .find({ chain_id: chainId, ...(vault === undefined ? {} : { vault: vault.toLowerCase() }), is_active: true })
        .sort({ place: 1 })
        .toArray(),
    countSince: (chainId, vault, since, which) =>
      intents.countDocuments({
        ...{ chain_id: chainId, vault: vault.toLowerCase(), place: { $gte: since.toISOString() } },
        ...(which === 'sent'
          ? { transaction: { $ne: null } }
          : { transaction: null, strategy_id: which.unsentOf, error_code: { $ne: 'SNAPSHOT_STALE' } }),
      }),
    async page(query, limit, cursor) {
      const place = cursor === undefined ? undefined : placeIn(cursor, placeForm)?.[0];
      if (cursor !== undefined && place === undefined) return undefined;
      const all = matching(query);
      const [found, total] = await foundAndTotal(
        { limit, cursor },
        () =>
          intents
            .find(place === undefined ? all : { $and: [all, { place: { $lt: place } }] })
            .sort({ place: -1 })
            .limit(limit + 1)
            .toArray(),
        () => intents.countDocuments(all),
      );
      return { total, ...pageOf(found, limit, ({ place }) => place) };
    },
    async facets(query, facets) {
      const found = await intents
        .find(matching(query))
        .project<Pick<IntentDocument, Facet>>(Object.fromEntries(facets.map((facet) => [facet, 1])))
        .toArray();
      const counted = facets.map((facet) => {
        const counts = new Map<string, number>();
        for (const item of found) counts.set(String(item[facet]), (counts.get(String(item[facet])) ?? 0) + 1);
        const sorted = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
        return [facet, sorted.map(([value, count]) => ({ value, count }))];
      });
      return Object.fromEntries(counted) as Awaited<ReturnType<IntentStore['facets']>>;
    },
  };
}
