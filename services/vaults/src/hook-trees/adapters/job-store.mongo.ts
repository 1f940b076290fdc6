import type { MerkleJob } from '@castellan/contracts';
import { isDuplicateKey, type RecordWith } from '@castellan/service-kit';
import { rowAndUpdate } from '../audit.ts';
import type { AuditEvent, JobDocument, MerkleCollections, OfVault } from '../models/hook-trees.ts';
import { pageOf } from './page.ts';

export const slotOf = (kind: MerkleJob['kind'], { chain_id, vault }: OfVault): string => `${kind}:${chain_id}:${vault}`;

type Outcome = Pick<JobDocument, 'error'> & { tree_id?: string; row: AuditEvent };

export function mongoJobs({ jobs }: Pick<MerkleCollections, 'jobs'>, recordWith: RecordWith) {
  /** Only the process that holds the job changes it. */
  const held = ({ _id, holder, attempts }: Pick<JobDocument, '_id' | 'holder' | 'attempts'>) => ({
    _id,
    holder,
    attempts,
    status: 'running' as const,
  });
  return {
    /** @returns false while such a job of the vault runs. */
    async insert(document: JobDocument): Promise<boolean> {
      try {
        await jobs.insertOne(document);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    get: (id: string): Promise<JobDocument | null> => jobs.findOne({ _id: id }),
    running: (slot: string): Promise<JobDocument | null> => jobs.findOne({ slot }),
    page: ({ chain_id, vault }: OfVault, kind: MerkleJob['kind'] | undefined, limit: number, cursor?: string) =>
      pageOf<JobDocument>(
        jobs,
        'jobs',
        { chain_id, vault, ...(kind === undefined ? {} : { kind }) },
        { limit, cursor, newestFirst: true },
      ),
    /** Takes a job that nobody runs, or that its runner has released; in one step. */
    claim: (chainIds: readonly number[], holder: string, at: Date, leaseUntil: Date): Promise<JobDocument | null> =>
      jobs.findOneAndUpdate(
        { status: { $in: ['pending', 'running'] }, lease_until: { $lte: at }, chain_id: { $in: [...chainIds] } },
        { $set: { status: 'running', holder, lease_until: leaseUntil, started_at: at }, $inc: { attempts: 1 } },
        { sort: { place: 1 }, returnDocument: 'after' },
      ),
    /** @returns false when another process has it now. */
    async extend(job: JobDocument, leaseUntil: Date, progress: JobDocument['progress']): Promise<boolean> {
      const { matchedCount } = await jobs.updateOne(held(job), { $set: { lease_until: leaseUntil, progress } });
      return matchedCount > 0;
    },
    /** Gives it back to be begun again from this moment on. */
    async release(job: JobDocument, from: Date, isCounted: boolean): Promise<void> {
      const back = isCounted ? {} : { $inc: { attempts: -1 } };
      await jobs.updateOne(held(job), { $set: { status: 'pending', holder: '', lease_until: from }, ...back });
    },
    async finish(job: JobDocument, at: Date, { row, ...outcome }: Outcome): Promise<boolean> {
      const status = outcome.error === null ? ('completed' as const) : ('failed' as const);
      const change = { $set: { ...outcome, status, slot: job._id, finished_at: at } };
      return recordWith(
        rowAndUpdate(row, job),
        async (session) => (await jobs.updateOne(held(job), change, { session })).matchedCount > 0,
      );
    },
  };
}
export type JobStore = ReturnType<typeof mongoJobs>;
