import {
  concat,
  domainSeparator,
  type Hex,
  hashStruct,
  hashTypedData,
  keccak256,
  numberToHex,
  size,
  type TypedDataDomain,
} from 'viem';

type Fields = Record<string, readonly { name: string; type: string }[]>;
export type TypedData = { domain: object; types: Fields; primaryType: string; message: Record<string, unknown> };
/** What a wallet is asked to sign; a text by wallets that know no typed data. */
export type Asked = { typedData: TypedData } | { text: string };

/**
 * What a hardware wallet shows of typed data, from the very data that the wallet is given.
 * @see EIP-712: the digest is keccak256(0x1901 ‖ domain hash ‖ message hash). Some devices show it, others its two parts.
 */
export function digestsOf({ domain, types, primaryType, message }: TypedData): { label: string; value: Hex }[] {
  const named = domain as TypedDataDomain;
  return [
    { label: 'Domain hash', value: domainSeparator({ domain: named }) },
    { label: 'Message hash', value: hashStruct({ data: message, primaryType, types }) },
    { label: 'Digest (EIP-712)', value: hashTypedData({ domain: named, types, primaryType, message }) },
  ];
}

/**
 * What a hardware wallet shows of calldata: the digest of ERC-8213, which begins with the length so that no other bytes have it,
 * or on devices from before it the plain hash.
 * @see ERC-8213: keccak256(uint256(length) ‖ calldata).
 */
export const digestsOfCalldata = (data: Hex): { label: string; value: Hex }[] => [
  {
    label: 'Digest of the calldata (ERC-8213)',
    value: keccak256(concat([numberToHex(size(data), { size: 32 }), data])),
  },
  { label: 'Plain hash of the calldata (keccak-256)', value: keccak256(data) },
];
