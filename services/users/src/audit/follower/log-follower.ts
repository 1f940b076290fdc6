import type { LogEntry } from '@castellan/contracts';
import { ChainFollower, readWholeBlocks, type Step } from '@castellan/log-follower';
import type { CallAction, Logger } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { AuditLog } from '../adapters/audit-log.mongo.ts';
import { categoryOf } from '../domain/chain-events.ts';
import type { AuditCollections } from '../models/collections.ts';
import { recordEntries } from './record-entries.ts';

export type FollowerDeps = {
  collections: Pick<AuditCollections, 'cursors'>;
  auditLog: AuditLog;
  mongo: Connection;
  callAction: CallAction;
  log: Logger;
};

/** A row of the audit log names who did it. */
const needsSender = (entry: LogEntry): boolean => categoryOf(entry) !== undefined;

/** A block without entries means nothing here. */
const SWEEP_MS = 20_000;

/** Turns the log of every chain into audit rows, one writer a chain. */
export class LogFollower extends ChainFollower {
  readonly #deps: FollowerDeps;
  /** Where the last step of this process ended. An older place than the stored one does no harm: rows that are there stay as they are. */
  readonly #places = new Map<number, number>();

  constructor(deps: FollowerDeps) {
    super({ ...deps, purpose: 'audit', sweepMs: SWEEP_MS });
    this.#deps = deps;
  }

  protected override onFailure(chainId: number, error: Error): void {
    this.#deps.log.warn('could not write audit rows of changes on chain, retrying', { chainId, error });
  }

  protected override async readOn(chainId: number): Promise<Step> {
    const { auditLog, callAction, collections } = this.#deps;
    const afterSeq = this.#places.get(chainId) ?? (await this.#cursorOf(chainId));
    this.#places.delete(chainId);
    const read = await readWholeBlocks(callAction, { chainId, afterSeq, needsSender });
    const { entries, open, endsLog } = read;
    const last = entries.at(-1);
    if (last)
      await this.inTracesOf(chainId, read.traces, async () => {
        await recordEntries(auditLog, entries);
        const moved = { $max: { after_seq: last.seq } };
        await collections.cursors.updateOne({ chain_id: chainId }, moved, { upsert: true });
      });
    this.#places.set(chainId, last?.seq ?? afterSeq);
    if (!endsLog) return 'more';
    return open > 0 ? 'closing' : 'rest';
  }

  /** The log is read again from its start when the stored place is malformed: rows that are there stay as they are. */
  async #cursorOf(chainId: number): Promise<number> {
    const { collections, log } = this.#deps;
    const cursor = await collections.cursors.findOne({ chain_id: chainId });
    if (!cursor || Number.isSafeInteger(cursor.after_seq)) return cursor?.after_seq ?? 0;
    log.error('ignored a stored document that is malformed or forged', { collection: 'log_cursors', id: chainId });
    await collections.cursors.deleteOne({ chain_id: chainId });
    return 0;
  }
}
