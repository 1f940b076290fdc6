import { type Address, concat, encodeAbiParameters, type Hex, keccak256, parseAbiParameters, sliceHex } from 'viem';

/** What the governor's `ValidatorConfigSet` says, and where. */
export type ValidatorConfigFacts = {
  chainId: number;
  governor: Address;
  /** The PPS oracle that checks the signatures. */
  oracle: Address;
  version: bigint;
  validators: readonly Address[];
  publicKeys: readonly Hex[];
  quorum: bigint;
  offchainConfig: Hex;
};

/** First two bytes of every digest: ours, so that it is never the digest of another protocol's configuration. */
export const CONFIG_DIGEST_PREFIX: Hex = '0xca57';

const fields = parseAbiParameters(
  'uint256 chainId, address governor, address oracle, uint256 version, address[] validators, bytes[] publicKeys, uint256 quorum, bytes offchainConfig',
);

/** Names one configuration of one network: the domain separator of all that its validators sign for each other. */
export const validatorConfigDigest = (facts: ValidatorConfigFacts): Hex => {
  const { chainId, governor, oracle, version, validators, publicKeys, quorum, offchainConfig } = facts;
  const hash = keccak256(
    encodeAbiParameters(fields, [
      BigInt(chainId),
      governor,
      oracle,
      version,
      validators,
      publicKeys,
      quorum,
      offchainConfig,
    ]),
  );
  return concat([CONFIG_DIGEST_PREFIX, sliceHex(hash, 2)]);
};
