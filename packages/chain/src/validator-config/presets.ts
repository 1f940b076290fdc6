import type { RoundTiming } from './offchain-config.ts';

const seconds = (count: number): number => Math.round(count * 1_000);
const minutes = (count: number): number => count * 60_000;

/** Without stages: how many join in each depends on the number of oracles, see `stagesFor`. */
export type TimingPreset = Omit<RoundTiming, 'stages'>;

/**
 * Timings that fit together. `sim`: a simulated network. `dev`: a local chain with blocks of two seconds, to be watched. `quick`:
 * the same chain under tests that wait for prices; each process may still be away for a second or two on a busy machine.
 * `prod-30m`: a round each half hour. Progress lies just above a round and its budgets, so that a leader that falls silent
 * costs little more than one round, and the initial timeout bounds what a silent leader costs.
 */
export const timingPresets = {
  sim: {
    deltaProgress: seconds(2),
    deltaResend: seconds(1),
    deltaInitial: seconds(0.6),
    deltaRound: seconds(1),
    deltaGrace: seconds(0.2),
    deltaStage: seconds(2),
    rMax: 3,
    maxDurationQuery: seconds(0.05),
    maxDurationObservation: seconds(0.3),
    maxDurationReport: seconds(0.05),
    maxDurationShouldAccept: seconds(0.05),
    maxDurationShouldTransmit: seconds(0.05),
  },
  dev: {
    deltaProgress: seconds(30),
    deltaResend: seconds(5),
    deltaInitial: seconds(6),
    deltaRound: seconds(10),
    deltaGrace: seconds(1),
    deltaStage: seconds(10),
    rMax: 20,
    maxDurationQuery: seconds(0.5),
    maxDurationObservation: seconds(5),
    maxDurationReport: seconds(2),
    maxDurationShouldAccept: seconds(2),
    maxDurationShouldTransmit: seconds(3),
  },
  quick: {
    deltaProgress: seconds(9),
    deltaResend: seconds(2),
    deltaInitial: seconds(2),
    deltaRound: seconds(4),
    deltaGrace: seconds(0.4),
    deltaStage: seconds(4),
    rMax: 20,
    maxDurationQuery: seconds(0.3),
    maxDurationObservation: seconds(2.5),
    maxDurationReport: seconds(1),
    maxDurationShouldAccept: seconds(1.2),
    maxDurationShouldTransmit: seconds(2),
  },
  'prod-30m': {
    deltaProgress: minutes(33),
    deltaResend: seconds(30),
    deltaInitial: seconds(60),
    deltaRound: minutes(30),
    deltaGrace: seconds(10),
    deltaStage: seconds(90),
    rMax: 12,
    maxDurationQuery: seconds(1),
    maxDurationObservation: seconds(30),
    maxDurationReport: seconds(5),
    maxDurationShouldAccept: seconds(10),
    maxDurationShouldTransmit: seconds(20),
  },
} as const satisfies Record<string, TimingPreset>;

/** One oracle transmits first, one more after a stage, and all others after the next. */
export const stagesFor = (oracles: number): number[] =>
  oracles < 3 ? Array.from({ length: oracles }, () => 1) : [1, 1, oracles - 2];
