import { sharedRead } from '@castellan/service-kit';
import type { mongo } from 'mongoose';
import { chainSubject, vaultSubject } from '../../kept-answers.ts';
import type { StoredAuditRow } from '../domain/audit-chain.ts';
import type { AuditCollections } from '../models/collections.ts';

type TailRow = Pick<StoredAuditRow, 'seq' | 'hash' | 'chain_id' | 'vault_address' | 'action_type'>;
type VaultKey = { chain_id: number; vault_address: string };

/** Of one vault: how many rows there are, and their types. */
export type Summary = { readonly total: number; readonly actionTypes: ReadonlySet<string> };
type KeptSummary = { total: number; actionTypes: Set<string> };

const fields = { projection: { _id: 0, seq: 1, hash: 1, chain_id: 1, vault_address: 1, action_type: 1 } } as const;
const rowsAtOnce = 500;

/** What a row is about: its vault, or its chain, or, of neither, what it says. */
function subjectOf({ chain_id, vault_address, action_type }: TailRow): string {
  if (chain_id === null) return action_type;
  return vault_address === null ? chainSubject({ chain_id }) : vaultSubject({ chain_id, vault_address });
}

/**
 * The end of the audit log, read on for each question: what has no row behind the place that is known has not changed. Rows are
 * numbered without gaps and become visible in their order, whichever process writes them, so one small read answers for all vaults.
 * The last known row is read again with those behind it; where it is another one (the store was restored), nothing is known any more.
 */
export class AuditTail {
  readonly #rows: AuditCollections['audit'];
  #last: Pick<TailRow, 'seq' | 'hash'> | undefined;
  /** How often the log turned out to be another one. */
  #restarts = 0;
  /** The last row about each subject, since this process follows the log. */
  readonly #changedAt = new Map<string, number>();
  readonly #summaries = new Map<string, KeptSummary>();
  readonly #readOn = sharedRead(() => this.#catchUp());

  constructor(rows: AuditCollections['audit']) {
    this.#rows = rows;
  }

  /** A text that is another one once a row about any of the subjects is stored. */
  async revisionOf(subjects: readonly string[]): Promise<string> {
    await this.#readOn();
    return `${this.#restarts}:${Math.max(0, ...subjects.map((subject) => this.#changedAt.get(subject) ?? 0))}`;
  }

  /** Counts the rows of a vault once, and afterwards those that are added. */
  async summaryOf(vault: VaultKey): Promise<Summary> {
    const known = this.#summaries.get(vaultSubject(vault));
    return known ?? this.#summarize(vault);
  }

  async #summarize(vault: VaultKey): Promise<Summary> {
    const [restarts, until] = [this.#restarts, this.#last?.seq ?? 0];
    const subject = vaultSubject(vault);
    const query: mongo.Filter<StoredAuditRow> = { ...vault, seq: { $gt: 0, $lte: until } };
    const [total, actionTypes] = await Promise.all([
      this.#rows.countDocuments(query),
      this.#rows.distinct('action_type', query),
    ]);
    const summary = { total, actionTypes: new Set(actionTypes) };
    // Rows that came meanwhile are not counted.
    const isCurrent = restarts === this.#restarts && (this.#changedAt.get(subject) ?? 0) <= until;
    if (isCurrent && !this.#summaries.has(subject)) this.#summaries.set(subject, summary);
    return summary;
  }

  async #catchUp(): Promise<void> {
    const from = this.#last;
    if (from === undefined) {
      const last = await this.#rows.findOne({ seq: { $gt: 0 } }, { sort: { seq: -1 }, ...fields });
      this.#last ??= last ?? { seq: 0, hash: '' };
      return;
    }
    const found = await this.#rows
      .find({ seq: { $gte: Math.max(1, from.seq) } }, fields)
      .sort({ seq: 1 })
      .limit(rowsAtOnce)
      .toArray();
    if (from.seq > 0 && (found[0]?.seq !== from.seq || found[0].hash !== from.hash)) return this.#restart();
    for (const row of found) this.#note(row);
    if (found.length === rowsAtOnce) await this.#catchUp();
  }

  #restart(): Promise<void> {
    this.#restarts += 1;
    this.#last = undefined;
    this.#changedAt.clear();
    this.#summaries.clear();
    return this.#catchUp();
  }

  /** Of two reads at once the rows of both are here, and count once. */
  #note(row: TailRow): void {
    if (row.seq <= (this.#last?.seq ?? 0)) return;
    this.#last = { seq: row.seq, hash: row.hash };
    const subject = subjectOf(row);
    this.#changedAt.set(subject, row.seq);
    const summary = this.#summaries.get(subject);
    if (!summary) return;
    summary.total += 1;
    summary.actionTypes.add(row.action_type);
  }
}
