import { stagesFor, timingPresets } from '@castellan/chain';
import { expect, test } from '@jest/globals';
import type { NetworkConfig, Timing } from '../ports.ts';
import { checkConfig } from './check-config.ts';
import { leaderSchedule, stageOf, transmissionOrder } from './order.ts';
import { quorumsOf } from './quorum.ts';

const filled = (byte: number, length: number): `0x${string}` =>
  `0x${byte.toString(16).padStart(2, '0').repeat(length)}`;
const aTiming = (changes: Partial<Timing> = {}): Timing => ({
  deltaProgress: 2000,
  deltaResend: 1000,
  deltaInitial: 600,
  deltaRound: 1000,
  deltaGrace: 200,
  deltaStage: 2000,
  rMax: 3,
  stages: [1, 1, 2],
  maxDurationQuery: 50,
  maxDurationObservation: 300,
  maxDurationReport: 100,
  maxDurationShouldAccept: 50,
  maxDurationShouldTransmit: 50,
  ...changes,
});
const aConfig = (changes: Partial<NetworkConfig> = {}, n = 4): NetworkConfig => ({
  digest: filled(7, 32),
  version: 1n,
  chainId: 1,
  quorum: 3,
  f: 1,
  timing: aTiming(),
  oracles: Array.from({ length: n }, (_, i) => ({
    signer: filled(i, 20),
    transmitter: filled(i + 100, 20),
    offchainKey: filled(i, 32),
    encryptionKey: filled(i + 100, 32),
  })),
  pricing: { heartbeatSeconds: 60, alphaReportPpb: 0n, strategies: null },
  seed: new Uint8Array(16),
  ...changes,
});

test.each([
  [1, 0, 1, 1],
  [4, 1, 3, 3],
  [5, 1, 3, 4],
  [7, 2, 5, 5],
  [10, 3, 7, 7],
  [13, 4, 9, 9],
])('default: n %i and f %i ask for %i observations and %i signatures', (n, f, observations, signatures) => {
  const oracles = aConfig({}, n).oracles;
  expect(quorumsOf({ oracles, f, quorum: 1 })).toMatchObject({ observations, signatures, switchEpoch: 2 * f + 1 });
  expect(quorumsOf({ oracles, f, quorum: n }).signatures).toBe(n);
});

test('behavior: every oracle leads once per span, and stages seat all in order', () => {
  const leaderOf = leaderSchedule(aConfig());
  for (let span = 0; span < 50; span += 1)
    expect([0, 1, 2, 3].map((i) => leaderOf(4 * span + i)).sort()).toEqual([0, 1, 2, 3]);
  expect([...transmissionOrder(aConfig(), 9, 2)].sort()).toEqual([0, 1, 2, 3]);
  expect([0, 1, 2, 3, 4].map((place) => stageOf([1, 0, 2], place))).toEqual([0, 2, 2, null, null]);
});

test('default: a sound configuration has neither errors nor warnings', () => {
  expect(checkConfig(aConfig())).toEqual({ errors: [], warnings: [] });
});

test.each(Object.entries(timingPresets))('default: so has one with the timing of the preset %s', (_name, preset) => {
  for (const n of [1, 4, 7, 31]) {
    const f = Math.floor((n - 1) / 3);
    const config = aConfig({ f, quorum: quorumsOf({ oracles: aConfig({}, n).oracles, f, quorum: 1 }).signatures }, n);
    expect(checkConfig({ ...config, timing: { ...preset, stages: stagesFor(n) } })).toEqual({
      errors: [],
      warnings: [],
    });
  }
});

test.each<[string, Partial<NetworkConfig>]>([
  ['f: 2', { f: 2 }],
  ['quorum: 1', { quorum: 1 }],
  ['quorum: 5', { quorum: 5 }],
  ['seed', { seed: new Uint8Array(15) }],
  ['digest', { digest: filled(0, 32) }],
  ['deltaProgress: 1650', { timing: aTiming({ deltaProgress: 1650 }) }],
  ['deltaResend', { timing: aTiming({ deltaResend: 2001 }) }],
  ['deltaResend: 199', { timing: aTiming({ deltaResend: 199 }) }],
  ['deltaInitial', { timing: aTiming({ deltaInitial: 2000 }) }],
  ['deltaRound', { timing: aTiming({ deltaRound: 100 }) }],
  ['rMax: 255', { timing: aTiming({ rMax: 255 }) }],
  ['rMax: 0', { timing: aTiming({ rMax: 0 }) }],
  ['stages', { timing: aTiming({ stages: [1, 1, 1] }) }],
  ['stages', { timing: aTiming({ stages: [0, 4] }) }],
  ['deltaGrace', { timing: aTiming({ deltaGrace: -1 }) }],
])('error: a configuration is refused by name: %s', (name, changes) => {
  const { errors } = checkConfig(aConfig(changes));
  expect(errors.join('\n')).toContain(name);
});

test('error: oracles that share a key, and more oracles than fit, are refused', () => {
  const { oracles } = aConfig();
  const twins = oracles.map((oracle, i) =>
    i === 3 ? { ...oracle, offchainKey: oracles[0]?.offchainKey ?? '0x' } : oracle,
  );
  expect(checkConfig(aConfig({ oracles: twins })).errors).toEqual(['oracles: two of them have the same offchainKey']);
  expect(checkConfig(aConfig({}, 32)).errors).toContain('oracles: 32, expected 1 to 31');
});

test('behavior: what is safe but weak is a warning', () => {
  expect(checkConfig(aConfig({ f: 0, quorum: 3 })).warnings).toHaveLength(1);
  expect(checkConfig(aConfig({ quorum: 2 })).warnings[0]).toContain('two values');
  expect(checkConfig(aConfig({ quorum: 4 })).warnings[0]).toContain('stop the network');
  const quick = aConfig({ timing: aTiming({ deltaResend: 100 }) });
  expect(checkConfig(quick, { developmentMode: true }).errors).toEqual([]);
});
