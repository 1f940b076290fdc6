import type { Cancel, PhaseName, PhaseResult } from '../ports.ts';
import type { Instance } from './instance.ts';

export type Outcome<T> = { result: 'success'; value: T } | { result: 'error'; error: unknown } | { result: 'timeout' };

export type Call<T> = {
  phase: PhaseName;
  epoch: number;
  round: number;
  /** Milliseconds after which the signal aborts and the result is ignored. */
  budget: number;
  work: (signal: AbortSignal) => Promise<T>;
  /** How a success is counted. */
  label?: (value: T) => PhaseResult;
};

/** Timers and plugin calls of one epoch, or of the whole instance: they end with it, and what comes late is ignored. */
export type Scope = {
  after(milliseconds: number, job: () => void | Promise<void>): Cancel;
  /** Runs beside the mailbox; `done` runs in it. */
  call<T>(call: Call<T>, done: (outcome: Outcome<T>) => void | Promise<void>): void;
  close(): void;
};

/** Ignored results are missed by nobody, but a call that goes on for long keeps resources busy. */
const overrunMs = 100;

type Host = Pick<Instance, 'clock' | 'mailbox' | 'observer'>;

export function createScope({ clock, mailbox, observer }: Host): Scope {
  let closed = false;
  const ends = new Set<() => void>();

  const after: Scope['after'] = (milliseconds, job) => {
    let cancelled = false;
    const cancelTimer = clock.after(milliseconds, () => {
      ends.delete(cancel);
      mailbox.post(() => (cancelled ? undefined : job()));
    });
    const cancel = () => {
      cancelled = true;
      ends.delete(cancel);
      cancelTimer();
    };
    ends.add(cancel);
    return cancel;
  };

  const call = <T>(
    { phase, epoch, round, budget, work, label }: Call<T>,
    done: (outcome: Outcome<T>) => void | Promise<void>,
  ): void => {
    const controller = new AbortController();
    const started = clock.now();
    let settled = false;
    const settle = (outcome: Outcome<T>) => {
      if (settled) return;
      settled = true;
      stopBudget();
      ends.delete(end);
      if (closed) return;
      const result = outcome.result === 'success' && label ? label(outcome.value) : outcome.result;
      observer({ type: 'phase', phase, result, seconds: (clock.now() - started) / 1000, epoch, round });
      if (outcome.result === 'error') observer({ type: 'fault', where: phase, error: outcome.error });
      mailbox.post(() => (closed ? undefined : done(outcome)));
    };
    let running = true;
    const stopBudget = clock.after(budget, () => {
      controller.abort();
      settle({ result: 'timeout' });
      clock.after(overrunMs, () => {
        if (running && !closed) observer({ type: 'phase_overran', phase, epoch, round });
      });
    });
    const end = () => {
      controller.abort();
      stopBudget();
    };
    ends.add(end);
    // The call itself must not throw past the promise.
    const run = async () => work(controller.signal);
    run().then(
      (value) => {
        running = false;
        settle({ result: 'success', value });
      },
      (error: unknown) => {
        running = false;
        settle({ result: 'error', error });
      },
    );
  };

  return {
    after: (milliseconds, job) => (closed ? () => undefined : after(milliseconds, job)),
    call: (what, done) => (closed ? undefined : call(what, done)),
    close: () => {
      closed = true;
      for (const end of [...ends]) end();
      ends.clear();
    },
  };
}
