import {
  decodeOffchainConfig,
  type OffchainConfig,
  OffchainConfigError,
  openSharedSecret,
  type RoundTiming,
  type ValidatorConfigFacts,
  validatorConfigDigest,
} from '@castellan/chain';
import { type Address, getAddress, hexToBytes } from 'viem';
import type { NetworkConfig, OracleIdentity } from '../ports.ts';

/** A configuration that must not be run; the message says what is wrong with it, for the one who published it. */
export class NetworkConfigError extends Error {
  override readonly name = 'NetworkConfigError';
}

/** A configuration that can be run, what is risky about it, and what is still sealed. */
export type CheckedConfig = {
  config: NetworkConfig;
  sealed: OffchainConfig['sharedSecret'];
  warnings: string[];
};

const MAX_ORACLES = 31;
/** Below these, faulty peers could exhaust a node with timeouts alone. */
const LEAST_TIMEOUT_MS = 200;
const MAX_ROUNDS = 254;

/** Signatures after which two reports for one round cannot both have enough, as honest oracles sign only one. */
export const uniqueQuorum = (n: number, f: number): number => Math.floor((n + f) / 2) + 1;

/**
 * What the network runs from what the chain says. The seed is the digest until the shared secret is opened.
 * @throws NetworkConfigError with one clear message.
 */
export function networkConfig(facts: ValidatorConfigFacts): CheckedConfig {
  const offchain = decode(facts);
  const oracles = identities(facts, offchain);
  const { f, timing, pricing } = offchain;
  const n = oracles.length;
  requireQuorums(n, f, facts.quorum);
  requireTiming(timing, n);
  if (pricing.heartbeatSeconds === 0) refuse('The heartbeat is zero.');
  const encryptions = offchain.sharedSecret?.encryptions.length ?? n;
  if (encryptions !== n) refuse(`The shared secret is sealed for ${encryptions} oracles, and there are ${n}.`);
  const digest = validatorConfigDigest(facts);
  const strategies = pricing.strategies?.map(
    ({ chainId, strategies: list }) => [chainId, list.map((strategy) => strategy.toLowerCase() as Address)] as const,
  );
  const config: NetworkConfig = {
    digest,
    version: facts.version,
    chainId: facts.chainId,
    quorum: Number(facts.quorum),
    f,
    oracles,
    timing,
    pricing: { ...pricing, strategies: strategies ? new Map(strategies) : null },
    seed: hexToBytes(digest),
  };
  return { config, sealed: offchain.sharedSecret, warnings: warningsOf(n, f, facts.quorum, offchain) };
}

function refuse(message: string): never {
  throw new NetworkConfigError(message);
}

function decode({ offchainConfig }: ValidatorConfigFacts): OffchainConfig {
  try {
    return decodeOffchainConfig(offchainConfig);
  } catch (error) {
    if (error instanceof OffchainConfigError) throw new NetworkConfigError(error.message, { cause: error });
    throw error;
  }
}

function identities({ validators }: ValidatorConfigFacts, { oracles }: OffchainConfig): OracleIdentity[] {
  if (validators.length === 0 || validators.length > MAX_ORACLES) {
    refuse(`The configuration has ${validators.length} validators; between 1 and ${MAX_ORACLES} are possible.`);
  }
  if (oracles.length !== validators.length) {
    refuse(`The configuration has ${validators.length} validators, and its offchainConfig ${oracles.length} oracles.`);
  }
  const all = oracles.map((oracle, index) => ({
    ...oracle,
    signer: getAddress(validators[index] as Address),
    transmitter: getAddress(oracle.transmitter),
  }));
  const fields = ['signer', 'transmitter', 'offchainKey', 'encryptionKey'] as const;
  for (const field of fields) {
    const values = all.map((oracle) => oracle[field].toLowerCase());
    const twice = values.findIndex((value, index) => values.indexOf(value) !== index);
    if (twice >= 0) refuse(`The ${field} ${all[twice]?.[field]} belongs to two oracles.`);
  }
  return all;
}

function requireQuorums(n: number, f: number, quorum: bigint): void {
  if (3 * f >= n) refuse(`${n} oracles cannot stand ${f} faulty ones: more than ${3 * f} are needed.`);
  if (quorum < BigInt(f + 1)) {
    refuse(
      `A quorum of ${quorum} is unsafe: ${f} faulty oracles and nobody else could make a price; ${f + 1} is the least.`,
    );
  }
  if (quorum > BigInt(n)) refuse(`A quorum of ${quorum} cannot be reached by ${n} oracles.`);
}

function requireTiming(timing: RoundTiming, n: number): void {
  const { deltaProgress, deltaResend, deltaInitial, deltaRound, deltaGrace, rMax, stages } = timing;
  for (const [name, value] of Object.entries({ deltaProgress, deltaResend, deltaInitial })) {
    if (value < LEAST_TIMEOUT_MS) refuse(`${name} is ${value} ms; ${LEAST_TIMEOUT_MS} ms is the least.`);
  }
  const { maxDurationQuery, maxDurationObservation, maxDurationReport } = timing;
  const round = deltaRound + deltaGrace + maxDurationQuery + maxDurationObservation + maxDurationReport;
  if (deltaProgress <= round) {
    refuse(
      `deltaProgress is ${deltaProgress} ms, and a round takes up to ${round} ms: every round would end its epoch.`,
    );
  }
  if (deltaResend > deltaProgress) refuse('deltaResend is longer than deltaProgress.');
  if (deltaInitial >= deltaProgress) refuse('deltaInitial is not shorter than deltaProgress.');
  if (timing.maxDurationShouldAccept + timing.maxDurationShouldTransmit >= deltaRound) {
    refuse('Accepting and transmitting may take longer than a round.');
  }
  if (rMax < 1 || rMax > MAX_ROUNDS) refuse(`rMax is ${rMax}; it lies between 1 and ${MAX_ROUNDS}.`);
  const sum = stages.reduce((total, count) => total + count, 0);
  if (sum !== n || (stages[0] ?? 0) < 1) {
    refuse(`The stages ${stages.join(', ')} must add up to ${n} oracles, with one or more in the first.`);
  }
}

function warningsOf(n: number, f: number, quorum: bigint, { sharedSecret }: OffchainConfig): string[] {
  const warnings: string[] = [];
  const unique = uniqueQuorum(n, f);
  if (quorum < BigInt(unique)) {
    warnings.push(
      `The contract takes ${quorum} signatures; below ${unique} it could be given two prices for one round.`,
    );
  }
  if (quorum > BigInt(n - f)) {
    warnings.push(
      `The contract asks for ${quorum} signatures; with ${f} oracles down only ${n - f} sign, and prices stop.`,
    );
  }
  if (f < Math.floor((n - 1) / 3)) warnings.push(`${n} oracles could stand more than ${f} faulty ones.`);
  if (sharedSecret === null)
    warnings.push('Without a shared secret everybody can predict who leads and transmits next.');
  return warnings;
}

/** What a node is by its own keys. */
export type OwnIdentity = OracleIdentity;

/**
 * This node's place in the configuration; null when its signer is not there.
 * @throws NetworkConfigError naming the field that differs: with another key the node would speak and never be heard.
 */
export function ownIndex({ oracles }: NetworkConfig, own: OwnIdentity): number | null {
  const index = oracles.findIndex(({ signer }) => signer.toLowerCase() === own.signer.toLowerCase());
  const listed = oracles[index];
  if (listed === undefined) return null;
  for (const field of ['transmitter', 'offchainKey', 'encryptionKey'] as const) {
    if (listed[field].toLowerCase() !== own[field].toLowerCase()) {
      refuse(
        `The configuration lists this node with another ${field}: ${listed[field]}, and the node has ${own[field]}.`,
      );
    }
  }
  return index;
}

/** The configuration with the seed that only its oracles know. @throws NetworkConfigError when the secret is not the agreed one. */
export async function withSharedSecret(
  { config, sealed }: CheckedConfig,
  index: number,
  dh: (point: Uint8Array) => Promise<Uint8Array>,
): Promise<NetworkConfig> {
  if (sealed === null) return config;
  try {
    return { ...config, seed: await openSharedSecret(sealed, index, dh) };
  } catch (error) {
    throw new NetworkConfigError((error as Error).message, { cause: error });
  }
}
