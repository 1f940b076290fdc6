import { type Address, concat, encodePacked, type Hex, hashDomain, keccak256, toBytes } from 'viem';

/** Type hash of `UpdatePPS(address strategy,uint256 pps,uint256 timestamp,uint256 strategyNonce)`. */
export const UPDATE_PPS_TYPEHASH = keccak256(
  toBytes('UpdatePPS(address strategy,uint256 pps,uint256 timestamp,uint256 strategyNonce)'),
);

/** EIP-712 domain of a PPS oracle; read it with `eip712Domain()`, never assume name or version. */
export type PpsOracleDomain = { name: string; version: string; chainId: bigint; verifyingContract: Address };

/** What the validators sign: raw PPS, the chain time it was observed at (seconds), and the strategy's current nonce. */
export type PpsUpdate = { strategy: Address; pps: bigint; timestamp: bigint; nonce: bigint };

/** EIP-712 domain separator of a PPS oracle; equals the contract's `domainSeparator()`. */
export const ppsDomainSeparator = (domain: PpsOracleDomain): Hex =>
  hashDomain({
    domain,
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
    },
  });

/**
 * Struct hash over 148 packed bytes. The address takes 20 bytes, not 32 as EIP-712 asks, so wallets and `signTypedData`
 * make a digest that the contract rejects.
 */
export const updatePpsStructHash = ({ strategy, pps, timestamp, nonce }: PpsUpdate): Hex =>
  keccak256(
    encodePacked(
      ['bytes32', 'address', 'uint256', 'uint256', 'uint256'],
      [UPDATE_PPS_TYPEHASH, strategy, pps, timestamp, nonce],
    ),
  );

/**
 * The 66 bytes whose hash a validator signs with its raw key: no message prefix; 65-byte signature, v 27 or 28, low s.
 * @param update - The update and where it is valid: the oracle's domain, or its separator as read from the chain.
 */
export function updatePpsMessage(update: PpsUpdate & ({ domainSeparator: Hex } | { domain: PpsOracleDomain })): Hex {
  const separator = 'domainSeparator' in update ? update.domainSeparator : ppsDomainSeparator(update.domain);
  return concat(['0x1901', separator, updatePpsStructHash(update)]);
}

/** The 32 bytes that a validator signs: the hash of `updatePpsMessage`. */
export const updatePpsDigest = (update: Parameters<typeof updatePpsMessage>[0]): Hex =>
  keccak256(updatePpsMessage(update));
