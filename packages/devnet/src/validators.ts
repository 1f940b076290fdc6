import {
  dealSharedSecret,
  ed25519PublicKey,
  encodeOffchainConfig,
  encryptionSecretOf,
  type OffchainConfig,
  stagesFor,
  timingPresets,
  x25519PublicKey,
} from '@castellan/chain';
import { type Address, concat, type Hex, hexToBytes, keccak256, sliceHex, stringToHex, toHex } from 'viem';
import { account, addressOf, cast, mnemonic } from './accounts.ts';
import { defaultPriceIntervalSeconds } from './pace.ts';

/** All keys of one validator of the devnet. They follow from the public test mnemonic and guard nothing. */
export type DevnetValidator = {
  index: number;
  /** secp256k1, signs prices. */
  signer: { address: Address; publicKey: Hex; privateKey: Hex };
  /** secp256k1, pays for transmissions. */
  transmitter: { address: Address; privateKey: Hex };
  /** Ed25519; the private key is the 32-byte seed. */
  offchain: { publicKey: Hex; privateKey: Hex };
  /** X25519, derived from the seed. */
  encryption: { publicKey: Hex; privateKey: Hex };
};

const derived = (label: string): Hex =>
  keccak256(concat([stringToHex(mnemonic), stringToHex(`castellan devnet ${label}`)]));
const privateKeyOf = (index: number): Hex => toHex(account(index).getHdKey().privateKey as Uint8Array);

/** The devnet's validators, in the order of its configuration. */
export const devnetValidators: readonly DevnetValidator[] = cast.signers.map((signer, index) => {
  const transmitter = cast.transmitters[index] as number;
  const offchainSeed = derived(`validator ${index} offchain`);
  const encryptionSecret = encryptionSecretOf(offchainSeed);
  return {
    index,
    signer: {
      address: addressOf(signer),
      publicKey: account(signer).publicKey as Hex,
      privateKey: privateKeyOf(signer),
    },
    transmitter: { address: addressOf(transmitter), privateKey: privateKeyOf(transmitter) },
    offchain: { publicKey: ed25519PublicKey(offchainSeed), privateKey: offchainSeed },
    encryption: { publicKey: x25519PublicKey(encryptionSecret), privateKey: encryptionSecret },
  };
});

/** Signatures that the devnet's oracle asks for. */
export const devnetQuorum = 3n;

/**
 * A price as often as vaults take one, and rounds short enough to find that moment soon: ten seconds for a price a minute. A
 * price that moved by a thousandth is reported as soon as the vault takes it.
 */
export const offchainConfigFor = (priceIntervalSeconds: number): OffchainConfig => ({
  f: 1,
  oracles: devnetValidators.map(({ transmitter, offchain, encryption }) => ({
    transmitter: transmitter.address,
    offchainKey: offchain.publicKey,
    encryptionKey: encryption.publicKey,
  })),
  timing: {
    ...(priceIntervalSeconds < defaultPriceIntervalSeconds ? timingPresets.quick : timingPresets.dev),
    stages: stagesFor(devnetValidators.length),
  },
  pricing: { heartbeatSeconds: priceIntervalSeconds, alphaReportPpb: 1_000_000n, strategies: null },
  sharedSecret: dealSharedSecret(
    hexToBytes(sliceHex(derived('shared secret'), 0, 16)),
    derived('dealer'),
    devnetValidators.map(({ encryption }) => encryption.publicKey),
  ),
});

/** What the devnet's validators run on unless a start asks for another time between prices. */
export const devnetOffchainConfig: OffchainConfig = offchainConfigFor(defaultPriceIntervalSeconds);

/** The arguments of `setValidatorConfig` beside the version. */
export const validatorConfigFor = (priceIntervalSeconds: number) => ({
  validators: devnetValidators.map(({ signer }) => signer.address),
  validatorPublicKeys: devnetValidators.map(({ signer }) => signer.publicKey),
  quorum: devnetQuorum,
  offchainConfig: encodeOffchainConfig(offchainConfigFor(priceIntervalSeconds)),
});

/** As `devnetOffchainConfig`. */
export const devnetValidatorConfig = validatorConfigFor(defaultPriceIntervalSeconds);
