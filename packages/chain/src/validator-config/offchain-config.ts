import { type Address, decodeAbiParameters, encodeAbiParameters, type Hex, hexToBytes } from 'viem';

/** Durations in milliseconds; see `timingPresets` for sets that fit together. */
export type RoundTiming = {
  deltaProgress: number;
  deltaResend: number;
  deltaInitial: number;
  deltaRound: number;
  deltaGrace: number;
  deltaStage: number;
  /** Rounds per epoch, 1 to 254. */
  rMax: number;
  /** How many oracles join in each stage of a transmission; the sum is the number of oracles. */
  stages: readonly number[];
  maxDurationQuery: number;
  maxDurationObservation: number;
  maxDurationReport: number;
  maxDurationShouldAccept: number;
  maxDurationShouldTransmit: number;
};

/** A 16-byte secret of the oracles, sealed for each of them; see `dealSharedSecret`. */
export type SealedSecret = {
  /** Ephemeral X25519 point of the dealer. */
  point: Hex;
  /** keccak256 of the secret. */
  hash: Hex;
  /** 16 bytes for each oracle, in their order. */
  encryptions: readonly Hex[];
};

/** What the validators of a network agree on beside what the governor stores; the `offchainConfig` bytes hold it. */
export type OffchainConfig = {
  /** Faulty oracles that the network tolerates. */
  f: number;
  /** What each validator is beside its signing address, in the order of the governor's `validators`. */
  oracles: readonly { transmitter: Address; offchainKey: Hex; encryptionKey: Hex }[];
  timing: RoundTiming;
  pricing: {
    heartbeatSeconds: number;
    alphaReportPpb: bigint;
    /** null: every strategy that the aggregator of a chain knows. */
    strategies: readonly { chainId: number; strategies: readonly Address[] }[] | null;
  };
  /** null: leaders and transmitters are drawn from the configuration's digest, which everybody can predict. */
  sharedSecret: SealedSecret | null;
};

/** The `offchainConfig` bytes are not a configuration that this version understands; the message says why. */
export class OffchainConfigError extends Error {
  override readonly name = 'OffchainConfigError';
}

/** Leads the bytes, as a word of its own, so that a later format is refused by name and never misread. */
export const OFFCHAIN_CONFIG_FORMAT = 1n;

/** Far above what 31 oracles and 300 strategies take; what is larger is not decoded at all. */
const MAX_BYTES = 128 * 1024;

const milliseconds = <N extends string>(name: N) => ({ name, type: 'uint64' }) as const;
const formatParameters = [{ name: 'formatVersion', type: 'uint256' }] as const;
const parameters = [
  ...formatParameters,
  {
    name: 'config',
    type: 'tuple',
    components: [
      { name: 'f', type: 'uint8' },
      {
        name: 'oracles',
        type: 'tuple[]',
        components: [
          { name: 'transmitter', type: 'address' },
          { name: 'offchainKey', type: 'bytes32' },
          { name: 'encryptionKey', type: 'bytes32' },
        ],
      },
      {
        name: 'timing',
        type: 'tuple',
        components: [
          milliseconds('deltaProgress'),
          milliseconds('deltaResend'),
          milliseconds('deltaInitial'),
          milliseconds('deltaRound'),
          milliseconds('deltaGrace'),
          milliseconds('deltaStage'),
          { name: 'rMax', type: 'uint8' },
          { name: 'stages', type: 'uint8[]' },
          milliseconds('maxDurationQuery'),
          milliseconds('maxDurationObservation'),
          milliseconds('maxDurationReport'),
          milliseconds('maxDurationShouldAccept'),
          milliseconds('maxDurationShouldTransmit'),
        ],
      },
      {
        name: 'pricing',
        type: 'tuple',
        components: [
          { name: 'heartbeatSeconds', type: 'uint64' },
          { name: 'alphaReportPpb', type: 'uint64' },
          { name: 'allStrategies', type: 'bool' },
          {
            name: 'strategies',
            type: 'tuple[]',
            components: [
              { name: 'chainId', type: 'uint64' },
              { name: 'strategies', type: 'address[]' },
            ],
          },
        ],
      },
      { name: 'secretPoint', type: 'bytes32' },
      { name: 'secretHash', type: 'bytes32' },
      { name: 'secretEncryptions', type: 'bytes16[]' },
    ],
  },
] as const;

const noWord: Hex = `0x${'00'.repeat(32)}`;

/** The `offchainConfig` bytes: ABI encoding of a format version and one tuple. */
export function encodeOffchainConfig({ f, oracles, timing, pricing, sharedSecret }: OffchainConfig): Hex {
  const { deltaProgress, deltaResend, deltaInitial, deltaRound, deltaGrace, deltaStage, ...rest } = timing;
  return encodeAbiParameters(parameters, [
    OFFCHAIN_CONFIG_FORMAT,
    {
      f,
      oracles,
      timing: {
        deltaProgress: BigInt(deltaProgress),
        deltaResend: BigInt(deltaResend),
        deltaInitial: BigInt(deltaInitial),
        deltaRound: BigInt(deltaRound),
        deltaGrace: BigInt(deltaGrace),
        deltaStage: BigInt(deltaStage),
        rMax: rest.rMax,
        stages: rest.stages,
        maxDurationQuery: BigInt(rest.maxDurationQuery),
        maxDurationObservation: BigInt(rest.maxDurationObservation),
        maxDurationReport: BigInt(rest.maxDurationReport),
        maxDurationShouldAccept: BigInt(rest.maxDurationShouldAccept),
        maxDurationShouldTransmit: BigInt(rest.maxDurationShouldTransmit),
      },
      pricing: {
        heartbeatSeconds: BigInt(pricing.heartbeatSeconds),
        alphaReportPpb: pricing.alphaReportPpb,
        allStrategies: pricing.strategies === null,
        strategies: (pricing.strategies ?? []).map(({ chainId, strategies }) => ({
          chainId: BigInt(chainId),
          strategies,
        })),
      },
      secretPoint: sharedSecret?.point ?? noWord,
      secretHash: sharedSecret?.hash ?? noWord,
      secretEncryptions: sharedSecret?.encryptions ?? [],
    },
  ]);
}

const numberOf = (name: string, value: bigint): number => {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new OffchainConfigError(`${name} ${value} is out of range.`);
  return Number(value);
};

function formatOf(bytes: Uint8Array): bigint {
  try {
    return decodeAbiParameters(formatParameters, bytes.slice(0, 32))[0];
  } catch (cause) {
    throw new OffchainConfigError('The offchainConfig is too short to hold a format version.', { cause });
  }
}

function decodeTuple(bytes: Uint8Array) {
  try {
    return decodeAbiParameters(parameters, bytes)[1];
  } catch (cause) {
    throw new OffchainConfigError('The offchainConfig cannot be decoded.', { cause });
  }
}

/**
 * Reads `offchainConfig` bytes. Only the one encoding that `encodeOffchainConfig` makes is taken, to the last byte.
 * Whether the values make sense together is not judged here.
 * @throws OffchainConfigError and nothing else.
 */
export function decodeOffchainConfig(encoded: Hex): OffchainConfig {
  if (encoded.length > 2 + MAX_BYTES * 2) throw new OffchainConfigError('The offchainConfig is too large.');
  const bytes = hexToBytes(encoded);
  const format = formatOf(bytes);
  if (format !== OFFCHAIN_CONFIG_FORMAT) {
    throw new OffchainConfigError(
      `The offchainConfig has format version ${format}; this node understands ${OFFCHAIN_CONFIG_FORMAT}.`,
    );
  }
  const { f, oracles, timing, pricing, secretPoint, secretHash, secretEncryptions } = decodeTuple(bytes);
  const { rMax, stages, ...durations } = timing;
  const durationsMs = Object.fromEntries(
    Object.entries(durations).map(([name, value]) => [name, numberOf(name, value)]),
  ) as Omit<RoundTiming, 'rMax' | 'stages'>;
  const config: OffchainConfig = {
    f,
    oracles: oracles.map(({ transmitter, offchainKey, encryptionKey }) => ({
      transmitter,
      offchainKey,
      encryptionKey,
    })),
    timing: { ...durationsMs, rMax, stages },
    pricing: {
      heartbeatSeconds: numberOf('heartbeatSeconds', pricing.heartbeatSeconds),
      alphaReportPpb: pricing.alphaReportPpb,
      strategies: pricing.allStrategies
        ? null
        : pricing.strategies.map(({ chainId, strategies }) => ({ chainId: numberOf('chainId', chainId), strategies })),
    },
    sharedSecret:
      secretEncryptions.length === 0 ? null : { point: secretPoint, hash: secretHash, encryptions: secretEncryptions },
  };
  if (!isCanonical(config, encoded)) throw new OffchainConfigError('The offchainConfig is not in its canonical form.');
  return config;
}

/** Values that do not fit their type, which the decoder accepts, cannot be encoded at all. */
function isCanonical(config: OffchainConfig, encoded: Hex): boolean {
  try {
    return encodeOffchainConfig(config) === encoded.toLowerCase();
  } catch {
    return false;
  }
}
