import type { NetworkConfig, OracleIdentity, Timing } from '../ports.ts';
import { uniqueQuorum } from './quorum.ts';

export type ConfigCheck = {
  /** Such a configuration is not run. */
  errors: readonly string[];
  warnings: readonly string[];
};

export const maxOracles = 31;
/** Floor of the two Deltas that decide how often a node speaks unasked; a guard against exhaustion. */
const floorMs = 200;
const maxRounds = 254;

/** What a configuration must be before an instance runs on it. @param developmentMode - Lifts the 200 ms floors only. */
export function checkConfig(config: NetworkConfig, { developmentMode = false } = {}): ConfigCheck {
  const n = config.oracles.length;
  const { f, quorum } = config;
  const errors: string[] = [];
  const warnings: string[] = [];
  const must = (holds: boolean, message: string) => holds || errors.push(message);
  const should = (holds: boolean, message: string) => holds || warnings.push(message);

  must(n >= 1 && n <= maxOracles, `oracles: ${n}, expected 1 to ${maxOracles}`);
  must(Number.isInteger(f) && f >= 0 && 3 * f < n, `f: ${f}, expected 0 <= f and 3f < n with n = ${n}`);
  must(quorum >= f + 1 && quorum <= n, `quorum: ${quorum}, expected f + 1 = ${f + 1} to n = ${n}`);
  must(config.seed.length >= 16, `seed: ${config.seed.length} bytes, expected 16 or more`);
  must(/^0x[0-9a-f]{64}$/i.test(config.digest) && !/^0x0+$/.test(config.digest), 'digest: expected 32 bytes, not zero');
  for (const field of ['signer', 'transmitter', 'offchainKey', 'encryptionKey'] as const)
    must(areDistinct(config.oracles, field), `oracles: two of them have the same ${field}`);
  errors.push(...timingErrors(config.timing, n, developmentMode));

  should(f >= Math.floor((n - 1) / 3), `f: ${f}; n = ${n} tolerates ${Math.floor((n - 1) / 3)}`);
  should(quorum >= uniqueQuorum(n, f), `quorum: ${quorum}; the contract alone would take two values for one round`);
  should(Math.max(quorum, uniqueQuorum(n, f)) <= n - f, `quorum: f = ${f} silent oracles stop the network`);
  return { errors, warnings };
}

const areDistinct = (oracles: readonly OracleIdentity[], field: keyof OracleIdentity): boolean =>
  new Set(oracles.map((oracle) => oracle[field].toLowerCase())).size === oracles.length;

function timingErrors(timing: Timing, n: number, developmentMode: boolean): string[] {
  const errors: string[] = [];
  const must = (holds: boolean, message: string) => holds || errors.push(`timing.${message}`);
  const { stages, rMax, ...durations } = timing;
  for (const [name, value] of Object.entries(durations))
    must(Number.isInteger(value) && value >= 0, `${name}: ${value}, expected whole milliseconds`);
  const budgets = timing.maxDurationQuery + timing.maxDurationObservation + timing.maxDurationReport;
  const round = timing.deltaRound + timing.deltaGrace + budgets;
  must(timing.deltaProgress > round, `deltaProgress: ${timing.deltaProgress}, expected above ${round}, a whole round`);
  must(timing.deltaResend <= timing.deltaProgress, 'deltaResend: expected at most deltaProgress');
  must(timing.deltaInitial < timing.deltaProgress, 'deltaInitial: expected below deltaProgress');
  must(timing.deltaInitial > timing.maxDurationQuery, 'deltaInitial: expected above maxDurationQuery');
  const acceptance = timing.maxDurationShouldAccept + timing.maxDurationShouldTransmit;
  must(acceptance < timing.deltaRound, `deltaRound: ${timing.deltaRound}, expected above ${acceptance}, acceptance`);
  if (!developmentMode)
    for (const name of ['deltaProgress', 'deltaResend'] as const)
      must(timing[name] >= floorMs, `${name}: ${timing[name]}, expected ${floorMs} or more`);
  must(Number.isInteger(rMax) && rMax >= 1 && rMax <= maxRounds, `rMax: ${rMax}, expected 1 to ${maxRounds}`);
  const whole = stages.every((size) => Number.isInteger(size) && size >= 0);
  const sum = stages.reduce((total, size) => total + size, 0);
  must(whole && sum === n && (stages[0] ?? 0) >= 1, `stages: ${stages.join(',')}, expected sum ${n}, first 1 or more`);
  return errors;
}
