import { type Address, bytesToHex, getAddress, type Hex, hexToBytes, isAddress, isHex } from 'viem';
import { z } from 'zod';
import type { NetworkConfig } from '../ports.ts';

const HexText = z.custom<Hex>((value) => isHex(value));
const Account = z
  .custom<Address>((value) => typeof value === 'string' && isAddress(value))
  .transform((value) => getAddress(value));
const Decimal = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
const Milliseconds = z.number().nonnegative();

const Timing = z.strictObject({
  deltaProgress: Milliseconds,
  deltaResend: Milliseconds,
  deltaInitial: Milliseconds,
  deltaRound: Milliseconds,
  deltaGrace: Milliseconds,
  deltaStage: Milliseconds,
  rMax: z.int().min(1).max(254),
  stages: z.array(z.int().nonnegative()),
  maxDurationQuery: Milliseconds,
  maxDurationObservation: Milliseconds,
  maxDurationReport: Milliseconds,
  maxDurationShouldAccept: Milliseconds,
  maxDurationShouldTransmit: Milliseconds,
});

/** A network's configuration as it is stored: integers of the chain as decimal text, bytes as hex. */
export const ConfigDocument = z.strictObject({
  _id: z.string(),
  digest: HexText,
  version: Decimal,
  chain_id: z.int().positive(),
  quorum: z.int().positive(),
  f: z.int().nonnegative(),
  oracles: z
    .array(z.strictObject({ signer: Account, transmitter: Account, offchainKey: HexText, encryptionKey: HexText }))
    .min(1)
    .max(31),
  timing: Timing,
  heartbeat_seconds: z.number().nonnegative(),
  alpha_report_ppb: Decimal,
  strategies: z.array(z.strictObject({ chain_id: z.int().positive(), addresses: z.array(Account) })).nullable(),
  seed: HexText,
});

export function toDocument(network: string, config: NetworkConfig): z.input<typeof ConfigDocument> {
  const { pricing } = config;
  return {
    _id: network,
    digest: config.digest,
    version: String(config.version),
    chain_id: config.chainId,
    quorum: config.quorum,
    f: config.f,
    oracles: config.oracles.map((oracle) => ({ ...oracle })),
    timing: { ...config.timing, stages: [...config.timing.stages] },
    heartbeat_seconds: pricing.heartbeatSeconds,
    alpha_report_ppb: String(pricing.alphaReportPpb),
    strategies:
      pricing.strategies &&
      [...pricing.strategies].map(([chain_id, addresses]) => ({ chain_id, addresses: [...addresses] })),
    seed: bytesToHex(config.seed),
  };
}

/** Strategies come back in lower case, as the rules keep them. */
export function fromDocument(document: z.output<typeof ConfigDocument>): NetworkConfig {
  const { strategies } = document;
  return {
    digest: document.digest,
    version: document.version,
    chainId: document.chain_id,
    quorum: document.quorum,
    f: document.f,
    oracles: document.oracles,
    timing: document.timing,
    pricing: {
      heartbeatSeconds: document.heartbeat_seconds,
      alphaReportPpb: document.alpha_report_ppb,
      strategies:
        strategies &&
        new Map(
          strategies.map(({ chain_id, addresses }) => [
            chain_id,
            addresses.map((address) => address.toLowerCase() as Address),
          ]),
        ),
    },
    seed: hexToBytes(document.seed),
  };
}
