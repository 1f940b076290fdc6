import {
  decodeRevert,
  ecdsaPpsOracleAbi,
  isRpcUnavailable,
  ppsDomainSeparator,
  superGovernorAbi,
  updatePpsMessage,
} from '@castellan/chain';
import type { Address, Hex, PublicClient } from 'viem';
import type { NetworkConfig, OnchainKeyring } from '../ports.ts';

/** The outcome of the check: the domain to sign for, or why nothing is signed for this chain. */
export type SigningCheck = { separator: Hex } | { refusal: string };

type Check = {
  client: PublicClient;
  chainId: number;
  governor: Address;
  oracle: Address;
  config: NetworkConfig;
  keyring: OnchainKeyring;
};

/**
 * Whether this chain takes our signatures: its validators are those of the configuration, the oracle's domain is that of
 * this chain and contract, and the oracle itself finds a signature of ours good.
 * @throws when no node of the chain answers.
 */
export async function checkSigning(check: Check): Promise<SigningCheck> {
  const difference = await validatorDifference(check);
  if (difference !== null) return { refusal: difference };
  const separator = await ownSeparator(check);
  if (separator === null) return { refusal: 'The domain of the oracle is not the one of this chain and contract.' };
  return tryOwnSignature(check, separator);
}

async function validatorDifference({ client, governor, config }: Check): Promise<string | null> {
  const [version, validators, , quorum] = await client.readContract({
    address: governor,
    abi: superGovernorAbi,
    functionName: 'getValidatorConfig',
  });
  if (version !== config.version) {
    return `The chain has version ${version} of the validator configuration, and the network runs ${config.version}.`;
  }
  const sorted = (list: readonly string[]) =>
    list
      .map((address) => address.toLowerCase())
      .sort()
      .join();
  if (sorted(validators) !== sorted(config.oracles.map(({ signer }) => signer))) {
    return 'The chain has other validators than the configuration of the network.';
  }
  return quorum === BigInt(config.quorum)
    ? null
    : `The chain asks for ${quorum} signatures, and the configuration of the network for ${config.quorum}.`;
}

/** Computed here from chain and contract, so that an RPC cannot have us sign for another domain. */
async function ownSeparator({ client, chainId, oracle }: Check): Promise<Hex | null> {
  const contract = { address: oracle, abi: ecdsaPpsOracleAbi } as const;
  const [separator, [, name, version]] = await Promise.all([
    client.readContract({ ...contract, functionName: 'domainSeparator' }),
    client.readContract({ ...contract, functionName: 'eip712Domain' }),
  ]);
  const own = ppsDomainSeparator({ name, version, chainId: BigInt(chainId), verifyingContract: oracle });
  return own === separator ? own : null;
}

/** Signs for a strategy that does not exist, at time 0: worthless to anyone who sees it. */
async function tryOwnSignature({ client, oracle, keyring }: Check, domainSeparator: Hex): Promise<SigningCheck> {
  const contract = { address: oracle, abi: ecdsaPpsOracleAbi } as const;
  const strategy = keyring.address;
  const nonce = await client.readContract({ ...contract, functionName: 'noncePerStrategy', args: [strategy] });
  const update = { strategy, pps: 0n, timestamp: 0n };
  const proof = await keyring.signKeccak256(updatePpsMessage({ ...update, nonce, domainSeparator }));
  try {
    await client.readContract({
      ...contract,
      functionName: 'validateProofs',
      // viem picks the overload by the order of the fields.
      args: [{ strategy, proofs: [proof], pps: update.pps, timestamp: update.timestamp }, 1n],
    });
    return { separator: domainSeparator };
  } catch (error) {
    const revert = decodeRevert(error);
    if (isRpcUnavailable(error) || revert === null) throw error;
    return { refusal: `The oracle refuses this node's signature (${revert.name}).` };
  }
}
