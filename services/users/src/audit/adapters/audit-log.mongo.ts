import type { AuditRow } from '@castellan/contracts';
import { type ClientSession, isDuplicateKey, Overtaken } from '@castellan/service-kit';
import type { mongo } from 'mongoose';
import { type AuditContent, completeRow, type Link, nextRow, type StoredAuditRow } from '../domain/audit-chain.ts';
import { type Head, linkOfVault } from '../domain/vault-chain.ts';
import type { AuditCollections } from '../models/collections.ts';
import { AuditTail } from './audit-tail.ts';

export type VaultKey = { chain_id: number; vault_address: string };

/** The store sends rows as they lie there; to leave out a field it would have to make each anew. */
const rowOf = ({ _id, ...row }: mongo.WithId<StoredAuditRow>): AuditRow => completeRow(row);
/** A comparison finds numbers alone: no row goes behind a malformed one, which somebody else put there. */
const isNumbered = { seq: { $gt: 0 } };

/** The audit log as it is kept: rows are added and read, never changed. */
export class AuditLog {
  readonly #rows: AuditCollections['audit'];
  readonly tail: AuditTail;

  constructor({ audit }: Pick<AuditCollections, 'audit'>) {
    this.#rows = audit;
    this.tail = new AuditTail(audit);
  }

  /**
   * Appends a row; one whose `id` is there already is left as it is. Two at once meet at the unique `seq` and `vault_seq`, and the
   * later one goes behind the earlier.
   * @param session - Of the transaction that the row is part of, which is run again when another row was faster.
   */
  async append(content: AuditContent, session?: ClientSession): Promise<void> {
    const within = session ? { session } : {};
    // What the store would give back otherwise (undefined as null, times in two spellings) would not fit the hash.
    const plain = {
      ...content,
      timestamp: new Date(content.timestamp).toISOString(),
      details: JSON.parse(JSON.stringify(content.details)) as Record<string, unknown>,
    };
    for (;;) {
      if (await this.#rows.findOne({ id: content.id }, within)) return;
      const last = await this.#rows.findOne(isNumbered, { sort: { seq: -1 }, ...within });
      const row = nextRow(plain, last ?? undefined, await this.#lastOfVault(plain, within));
      try {
        await this.#rows.insertOne({ ...row }, within);
        return;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if (session) throw new Overtaken(error);
      }
    }
  }

  async #lastOfVault(
    { chain_id, vault_address }: AuditContent,
    within: { session?: ClientSession },
  ): Promise<Link | undefined> {
    if (chain_id === null || vault_address === null) return undefined;
    const vault = { chain_id, vault_address };
    const last = await this.#rows.findOne({ ...vault, vault_seq: { $gt: 0 } }, { sort: { vault_seq: -1 }, ...within });
    if (last) return linkOfVault(completeRow(last), { count: 0, lastHash: undefined });
    // One after the other: a transaction takes one command at a time.
    const earlier = await this.#rows.findOne({ ...vault, ...isNumbered }, { sort: { seq: -1 }, ...within });
    const count = await this.#rows.countDocuments(vault, within);
    return linkOfVault(undefined, { count, lastHash: earlier?.hash });
  }

  async get(id: string): Promise<AuditRow | undefined> {
    const row = await this.#rows.findOne({ id });
    return row ? rowOf(row) : undefined;
  }

  /** Rows of a query, the latest thing first; of two at one time the one written later. */
  async newestFirst(query: mongo.Filter<StoredAuditRow>, skip: number, limit: number): Promise<AuditRow[]> {
    const sort = { timestamp: -1, seq: -1 } as const;
    const found = this.#rows
      .find({ $and: [query, isNumbered] })
      .sort(sort)
      .skip(skip)
      .limit(limit);
    return (await found.toArray()).map(rowOf);
  }

  /** Rows of a query in the order of the chains; `limit` 0 for all. */
  async oldestFirst(query: mongo.Filter<StoredAuditRow>, limit = 0): Promise<AuditRow[]> {
    return (await this.#rows.find(query).sort({ seq: 1 }).limit(limit).toArray()).map(rowOf);
  }

  count(query: mongo.Filter<StoredAuditRow>): Promise<number> {
    return this.#rows.countDocuments(query);
  }

  /** The vault's last row up to `seq`, and its place among all of them. */
  async headOf(vault: VaultKey, seq?: number): Promise<{ seq: number; head: Head } | undefined> {
    const until = { ...vault, seq: seq === undefined ? isNumbered.seq : { ...isNumbered.seq, $lte: seq } };
    const last = await this.#rows.findOne(until, { sort: { seq: -1 } });
    if (!last) return undefined;
    const vault_seq = last.vault_seq ?? (await this.#rows.countDocuments(until));
    return { seq: last.seq, head: { vault_seq, hash: last.hash } };
  }
}
