import { AppError, errorCodeOf } from '@castellan/contracts';
import { LeaseHold, LeaseLost, type Logger, type NamedLease, type Next, PacedLoop } from '@castellan/service-kit';
import type { JobStore } from '../adapters/job-store.mongo.ts';
import { writtenBy } from '../audit.ts';
import type { JobDocument } from '../models/hook-trees.ts';
import type { GeneratePorts } from './generate.ts';
import { generateTree } from './generate.ts';
import { type PublishPorts, publishTree } from './publish.ts';

export type WorkerPorts = GeneratePorts &
  PublishPorts & {
    jobs: JobStore;
    logger: Logger;
    /** Unique per process. */
    holder: string;
    /** How long a job stays with a process that says nothing of it. */
    leaseMs: number;
    pollMs: number;
  };

/** A job that was begun so often and never ended will not end. */
const MAX_ATTEMPTS = 5;
/** After a failure that may pass. */
const PAUSE_MS = 2_000;

/** Of an error that is not ours the client sees nothing but that there was one. */
function errorOf(error: unknown): NonNullable<JobDocument['error']> {
  const code = errorCodeOf(error);
  if (code === undefined) return { code: 'INTERNAL', detail: 'Something failed on our side.', row: null };
  const { row } = (error as AppError).data ?? {};
  return { code, detail: (error as Error).message, row: typeof row === 'number' ? row : null };
}

const isPassing = (error: unknown): boolean =>
  errorCodeOf(error) === 'RPC_UNAVAILABLE' || errorCodeOf(error) === 'NOT_READY';

/**
 * Runs jobs, one after another. A job belongs to the process whose lease it has; of one that was killed another takes it over
 * once the lease is over. What a job writes is the same whoever writes it.
 */
export class MerkleWorker {
  readonly #ports: WorkerPorts;
  readonly #stopping = new AbortController();
  readonly #loop: PacedLoop;
  /** When a job that was put back may be begun again. */
  #retryAt: number | undefined;

  constructor(ports: WorkerPorts) {
    this.#ports = ports;
    this.#loop = new PacedLoop({
      step: async () => ((await this.runNext()) ? 'more' : this.#restUntilRetry()),
      pauseMs: ports.pollMs,
      onFailure: (error) => ports.logger.error('looking for work on trees failed', { error }),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks for work now. */
  kick(): void {
    this.#loop.wake();
  }

  /** What is running is given back, to be begun again by another process. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#loop.stop();
  }

  #restUntilRetry(): Next {
    const waitMs = (this.#retryAt ?? 0) - this.#ports.now();
    if (waitMs > 0) return { afterMs: Math.min(waitMs, this.#ports.pollMs) };
    this.#retryAt = undefined;
    return 'rest';
  }

  /** Runs the oldest job that nobody runs. @returns false without one. */
  async runNext(): Promise<boolean> {
    const { jobs, chains, holder, leaseMs, now } = this.#ports;
    const chainIds = chains.all().map(({ config }) => config.chainId);
    const job = await jobs.claim(chainIds, holder, new Date(now()), new Date(now() + leaseMs));
    if (!job) return false;
    if (job.attempts > MAX_ATTEMPTS) {
      const detail = `The job was begun ${MAX_ATTEMPTS} times and never ended. Start a new one.`;
      await this.#finish(job, { error: { code: 'INTERNAL', detail, row: null } });
    } else await this.#work(job);
    return true;
  }

  async #work(job: JobDocument): Promise<void> {
    const { logger, now } = this.#ports;
    let progress = { done: 0, total: 0 };
    const onProgress = (done: number, total: number) => {
      progress = { done, total };
    };
    const lease = this.#leaseOf(job, () => progress);
    const hold = new LeaseHold({
      lease,
      stopping: this.#stopping.signal,
      onRenewalFailed: (error) => logger.warn('a job could not be kept', { job: job._id, error }),
      now,
    });
    if ((await hold.take()) === undefined) return;
    await hold.during(async ({ signal, confirm: requireHeld }) => {
      try {
        const work = job.kind === 'generate' ? generateTree : publishTree;
        const tree_id = await work(this.#ports, job, { onProgress, signal, requireHeld });
        await lease.take();
        await this.#finish(job, { error: null, tree_id });
      } catch (error) {
        if (!(signal.reason instanceof LeaseLost)) await this.#fail(job, error);
      }
    });
  }

  /** A job is a lease of its own: nobody else runs it while it is renewed. What is written of it asks for the attempt. */
  #leaseOf(job: JobDocument, progress: () => JobDocument['progress']): Pick<NamedLease, 'name' | 'ttlMs' | 'take'> {
    const { jobs, leaseMs, now } = this.#ports;
    return {
      name: `job:${job._id}`,
      ttlMs: leaseMs,
      take: async () => {
        const isOurs = await jobs.extend(job, new Date(now() + leaseMs), progress());
        return isOurs ? { token: job.attempts } : undefined;
      },
    };
  }

  async #fail(job: JobDocument, error: unknown): Promise<void> {
    const { jobs, logger, now } = this.#ports;
    if (this.#stopping.signal.aborted) return jobs.release(job, new Date(now()), false);
    if (isPassing(error) && job.attempts < MAX_ATTEMPTS) {
      logger.warn('a job is begun again', { job: job._id, reason: (error as Error).message });
      this.#retryAt = now() + PAUSE_MS;
      return jobs.release(job, new Date(this.#retryAt), true);
    }
    if (!(error instanceof AppError)) logger.error('a job failed', { job: job._id, error: error as Error });
    await this.#finish(job, { error: errorOf(error) });
  }

  async #finish(job: JobDocument, outcome: { error: JobDocument['error']; tree_id?: string }): Promise<void> {
    const { jobs, now } = this.#ports;
    const at = new Date(now());
    const row = writtenBy({
      action: job.kind === 'generate' ? 'hooks_tree_generated' : 'hooks_tree_published',
      actor: job.requested_by,
      at,
      vault: job,
      details: { job_id: job._id, tree_id: outcome.tree_id ?? null, error: outcome.error?.code ?? null },
      requestId: job.request_id,
    });
    await jobs.finish(job, at, { ...outcome, row });
  }
}
