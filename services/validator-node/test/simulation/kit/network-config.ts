import type { NetworkConfig, Timing } from '../../../src/ports.ts';
import type { ToyKeys } from './toy-crypto.ts';

/** The `sim` preset. */
export const simTiming = (n: number): Timing => ({
  deltaProgress: 2000,
  deltaResend: 1000,
  deltaInitial: 600,
  deltaRound: 1000,
  deltaGrace: 200,
  deltaStage: 2000,
  rMax: 3,
  stages: Array(n).fill(1),
  maxDurationQuery: 50,
  maxDurationObservation: 300,
  maxDurationReport: 100,
  maxDurationShouldAccept: 50,
  maxDurationShouldTransmit: 50,
});

const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`;
const fill = (byte: number, length: number): `0x${string}` => `0x${byte.toString(16).padStart(2, '0').repeat(length)}`;

export function networkConfig(
  n: number,
  f: number,
  keys: ToyKeys,
  seed: Uint8Array,
  timing = simTiming(n),
): NetworkConfig {
  return {
    digest: fill(0xc0, 32),
    version: 1n,
    chainId: 1,
    quorum: Math.floor((n + f) / 2) + 1,
    f,
    oracles: Array.from({ length: n }, (_, i) => ({
      signer: fill(i + 1, 20),
      transmitter: fill(i + 101, 20),
      offchainKey: hex(keys.publicKeys[i] as Uint8Array),
      encryptionKey: fill(i + 1, 32),
    })),
    timing,
    pricing: { heartbeatSeconds: 60, alphaReportPpb: 0n, strategies: null },
    seed,
  };
}
