import type { AttestedReport, PendingTransmission, SignedPrice } from '../ports.ts';
import type { Instance } from './instance.ts';
import type { Final, FinalEcho } from './messages.ts';
import { stageOf, transmissionOrder } from './order.ts';
import type { Scope } from './scope.ts';

export type Transmission = {
  accept(final: Final | FinalEcho): void;
  /** Takes up what waited when this node went down; what is overdue is looked at again, not dropped. */
  restore(pendings: readonly PendingTransmission[]): Promise<void>;
  size(): number;
};

const minutes = 60_000;
const oldest = 24 * 60 * minutes;
/** More than can wait when all goes well; when nothing can be sent, the newest are worth most. */
const mostPending = 64;
const reapAfter = { least: 10 * minutes, spread: 5 * minutes };

const keyOf = ({ epoch, round }: { epoch: number; round: number }) => `${epoch}:${round}`;

export function createTransmission(instance: Instance, scope: Scope): Transmission {
  const { config, clock, plugin, store, transmitter, observer, random } = instance;
  const { timing, digest } = config;
  const pendings = new Map<string, PendingTransmission>();

  const forget = async (pending: PendingTransmission) => {
    await store.removePending(digest, pending.epoch, pending.round);
    pendings.delete(keyOf(pending));
  };

  const schedule = (pending: PendingTransmission, delayMs: number) => {
    scope.after(delayMs, () => {
      if (pendings.has(keyOf(pending))) transmit(pending);
    });
  };

  const transmit = (pending: PendingTransmission) => {
    const { epoch, round, report } = pending;
    scope.call(
      {
        epoch,
        round,
        phase: 'should_transmit',
        budget: timing.maxDurationShouldTransmit,
        work: (signal) => plugin.shouldTransmit(instance.contextOf(pending, signal), report),
        label: (prices) => (prices.length > 0 ? 'transmit' : 'failure'),
      },
      async (outcome) => {
        try {
          if (outcome.result !== 'success') throw new Error(`should_transmit: ${outcome.result}`);
          await submit(pending, outcome.value);
        } catch (error) {
          observer({ type: 'fault', where: 'transmission', error });
          schedule(pending, retryDelay());
        }
      },
    );
  };

  const retryDelay = () => Math.max(timing.deltaStage, timing.deltaRound) + (random.u32() % 1000);

  /** The record goes only after the transmitter has its own. */
  const submit = async (pending: PendingTransmission, prices: readonly SignedPrice[]) => {
    const { epoch, round } = pending;
    if (prices.length > 0) {
      await transmitter.submit(`${digest}:${epoch}:${round}`, prices, { epoch, round, digest });
      const entries = prices.map(({ chainId, strategy, nonce, timestamp }) => ({
        chainId,
        strategy,
        nonce,
        timestamp,
      }));
      observer({ type: 'transmission_submitted', epoch, round, entries });
    }
    await forget(pending);
  };

  const add = async (final: Final | FinalEcho, report: AttestedReport) => {
    const { epoch, round } = final;
    const stage = stageOf(timing.stages, transmissionOrder(config, epoch, round).indexOf(instance.me));
    if (stage === null) return;
    const now = clock.now();
    const delayMs = stage * timing.deltaStage;
    const pending = { digest, epoch, round, report, dueAt: now + delayMs, acceptedAt: now };
    await store.addPending(pending);
    pendings.set(keyOf(pending), pending);
    await dropOldest();
    observer({ type: 'transmission_scheduled', epoch, round, stage, delayMs });
    schedule(pending, delayMs);
  };

  const dropOldest = async () => {
    const byAge = [...pendings.values()].sort((a, b) => a.acceptedAt - b.acceptedAt);
    for (const pending of byAge.slice(0, Math.max(0, byAge.length - mostPending))) await forget(pending);
  };

  const reap = async () => {
    scope.after(reapAfter.least + (random.u32() % reapAfter.spread), reap);
    for (const pending of [...pendings.values()]) if (clock.now() - pending.acceptedAt > oldest) await forget(pending);
  };

  return {
    accept: (final) => {
      const { epoch, round } = final;
      const signatures = final.signatures.map(({ signer, signature }) => ({ signer, signature }));
      const report = { report: final.report, signatures };
      scope.call(
        {
          epoch,
          round,
          phase: 'should_accept',
          budget: timing.maxDurationShouldAccept,
          work: (signal) => plugin.shouldAccept(instance.contextOf(final, signal), report),
          label: (accepted) => (accepted ? 'accept' : 'failure'),
        },
        async (outcome) => {
          const accepted = outcome.result === 'success' && outcome.value;
          observer({ type: accepted ? 'report_accepted' : 'report_rejected', epoch, round });
          if (accepted) await add(final, report);
        },
      );
    },
    restore: async (records) => {
      for (const pending of records) pendings.set(keyOf(pending), pending);
      await dropOldest();
      await reap();
      // A clock that was set back must not keep a report waiting for longer than its last stage.
      const longest = (timing.stages.length - 1) * timing.deltaStage;
      for (const pending of pendings.values())
        schedule(pending, Math.min(longest, Math.max(0, pending.dueAt - clock.now())));
    },
    size: () => pendings.size,
  };
}
