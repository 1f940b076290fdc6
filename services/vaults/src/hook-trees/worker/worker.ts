import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errorCodeOf } from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
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
/** What a killed process left unpaid is looked for so often: rows are paid at once otherwise. */

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
  #wake = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(ports: WorkerPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Looks for work now. */
  kick(): void {
    this.#wake.abort();
  }

  /** What is running is given back, to be begun again by another process. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { pollMs, logger } = this.#ports;
    while (!this.#stopping.signal.aborted) {
      try {
        while (!this.#stopping.signal.aborted && (await this.runNext()));
      } catch (error) {
        logger.error('looking for work on trees failed', { error: error as Error });
      }
      await sleep(pollMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
    }
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
    const { jobs, leaseMs, logger, now } = this.#ports;
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
    let progress = { done: 0, total: 0 };
    const beat = setInterval(() => {
      jobs
        .extend(job, new Date(now() + leaseMs), progress)
        .then((isOurs) => isOurs || lost.abort())
        .catch((error: Error) => logger.warn('a job could not be kept', { job: job._id, error }));
    }, leaseMs / 4);
    const onProgress = (done: number, total: number) => {
      progress = { done, total };
    };
    try {
      const requireHeld = async () => {
        if (!(await jobs.extend(job, new Date(now() + leaseMs), progress))) lost.abort();
        signal.throwIfAborted();
      };
      const work = job.kind === 'generate' ? generateTree : publishTree;
      const tree_id = await work(this.#ports, job, { onProgress, signal, requireHeld });
      await jobs.extend(job, new Date(now() + leaseMs), progress);
      await this.#finish(job, { error: null, tree_id });
    } catch (error) {
      await this.#fail(job, error, lost.signal);
    } finally {
      clearInterval(beat);
    }
  }

  async #fail(job: JobDocument, error: unknown, lost: AbortSignal): Promise<void> {
    const { jobs, logger, now } = this.#ports;
    if (lost.aborted) return;
    if (this.#stopping.signal.aborted) return jobs.release(job, new Date(now()), false);
    if (isPassing(error) && job.attempts < MAX_ATTEMPTS) {
      logger.warn('a job is begun again', { job: job._id, reason: (error as Error).message });
      return jobs.release(job, new Date(now() + PAUSE_MS), true);
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
