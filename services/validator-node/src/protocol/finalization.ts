import type { AttributedObservation, NetworkConfig } from '../ports.ts';
import { RateLimit } from '../transport/rate.ts';
import { agreedEntries, verifyFinal } from './attestation.ts';
import type { Conflicts } from './conflicts.ts';
import type { Verdict } from './follower.ts';
import type { Instance } from './instance.ts';
import type { Final, FinalEcho } from './messages.ts';

type InRound = { epoch: number; round: number };

export type Finalization = {
  /** A final that the follower has checked, with the observations that it was made of, where they are known. */
  onFinal(final: Final, observations: readonly AttributedObservation[]): void;
  /** @param lastEpoch - The latest epoch that an honest oracle can be in. */
  onEcho(from: number, echo: FinalEcho, lastEpoch: number): Promise<Verdict>;
  /** Known from before a restart: where the epochs stood, and what is already on its way. */
  resume(epoch: number, known: readonly InRound[]): void;
  size(): number;
};

/** Echoes of one peer that turn out not to be valid. An honest one sends none; each costs a signature check or more. */
const invalidRate = { perSecond: 0.1, burst: 5 };

const minutes = 60_000;
const remembered = { milliseconds: 10 * minutes, least: 10, most: 1000 };

/** Rounds after which a final is too old to be taken. */
export const finalAge = ({ deltaRound }: NetworkConfig['timing']): number =>
  Math.min(remembered.most, Math.max(remembered.least, Math.ceil(remembered.milliseconds / Math.max(deltaRound, 1))));

/** Hands each attested report on once, and broadcasts it once: a bad leader cannot hide it from some. */
export function createFinalization(
  instance: Instance,
  conflicts: Conflicts,
  accept: (final: Final | FinalEcho) => void,
): Finalization {
  const { config, plugin, observer, clock } = instance;
  const invalid = new RateLimit<number>(invalidRate, clock.now);
  const age = finalAge(config.timing);
  const done = new Set<number>();
  let latest = 0;
  const indexOf = ({ epoch, round }: InRound) => config.timing.rMax * epoch + round;

  const remember = (at: InRound) => {
    done.add(indexOf(at));
    latest = Math.max(latest, indexOf(at));
    if (done.size > 2 * age) for (const index of done) if (index <= latest - age) done.delete(index);
  };

  const take = (final: Final | FinalEcho, observations: readonly AttributedObservation[]) => {
    remember(final);
    conflicts.verified(final, final.signatures);
    const { epoch, round, observers, signatures, report } = final;
    const signers = signatures.map(({ signer }) => signer);
    const isAgreed = agreedEntries(instance, report, signatures);
    const entries = plugin.commitments(report).entries.filter((_, index) => isAgreed[index]);
    const prices = plugin.prices(report).filter((_, index) => isAgreed[index]);
    const agreed = { leader: instance.leaderOf(epoch), observers, signers, entries, prices, observations };
    observer({ type: 'round_completed', epoch, round, outcome: 'report', ...agreed });
    instance.broadcast({ ...final, kind: 'final_echo' });
    accept(final);
  };

  const isOld = (at: InRound) => indexOf(at) <= latest - age || done.has(indexOf(at));

  return {
    onFinal: (final, observations) => {
      if (isOld(final)) conflicts.verified(final, final.signatures);
      else take(final, observations);
    },
    onEcho: async (from, echo, lastEpoch) => {
      if (echo.round > config.timing.rMax || echo.epoch > lastEpoch) return 'unexpected';
      if (isOld(echo)) {
        conflicts.heard(from, echo, echo.signatures);
        return 'duplicate';
      }
      if (!invalid.allows(from)) return 'rate_limited';
      if (!(await verifyFinal(instance, echo))) {
        invalid.take(from);
        return 'bad_signature';
      }
      take(echo, []);
      return 'ok';
    },
    resume: (epoch, known) => {
      latest = indexOf({ epoch, round: 0 });
      for (const at of known) remember(at);
    },
    size: () => done.size,
  };
}
