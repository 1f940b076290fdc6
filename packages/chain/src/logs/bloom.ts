import { type Address, type Hex, hexToBytes, keccak256 } from 'viem';

const BLOOM_BYTES = 256;
/** Bits of addresses are worked out once; thousands of vaults have thousands of addresses. */
const KNOWN_ADDRESSES = 20_000;
const bitsOfAddress = new Map<string, readonly number[]>();

function bitsOf(address: string): readonly number[] {
  const key = address.toLowerCase();
  const known = bitsOfAddress.get(key);
  if (known) return known;
  const hash = hexToBytes(keccak256(key as Address));
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & (BLOOM_BYTES * 8 - 1));
  if (bitsOfAddress.size >= KNOWN_ADDRESSES) bitsOfAddress.clear();
  bitsOfAddress.set(key, bits);
  return bits;
}

/** Whether a filter says that the block has no logs of anybody. */
export const isEmptyBloom = (bloom: Hex): boolean => /^0x0*$/.test(bloom);

/**
 * Whether a block may hold logs of one of some contracts, by the bloom filter of its header: false is certain, true is not.
 * @see Yellow Paper 4.3.1: three bits of 2 048 for each address and topic.
 */
export function bloomMayHold(bloom: Hex, addresses: readonly string[]): boolean {
  const bytes = hexToBytes(bloom);
  if (bytes.length !== BLOOM_BYTES) return true;
  const isSet = (bit: number) => ((bytes[BLOOM_BYTES - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  return addresses.some((address) => bitsOf(address).every(isSet));
}
