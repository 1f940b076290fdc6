import type { Address, Hex } from 'viem';
import { keccak256, stringToHex } from 'viem/utils';

/** A file of the Safe transaction builder (format 1.0), without or with its checksum. */
export type BatchFile = {
  version: '1.0';
  chainId: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  meta: {
    name: string;
    description: string;
    txBuilderVersion: string;
    createdFromSafeAddress: string;
    createdFromOwnerAddress: string;
    checksum?: string;
  };
  transactions: Record<string, unknown>[];
};

/** The transaction builder whose format this is; it only shows the number. */
const BUILDER_VERSION = '1.16.5';

/** The builder's own serialization: names of an object first, in order, then its values, each followed by a comma. */
function serialized(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialized).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const names = Object.keys(value).sort();
  const values = names.map((name) => `${serialized((value as Record<string, unknown>)[name])},`);
  return `{${JSON.stringify(names)}${values.join('')}}`;
}

/** What the builder compares on import, to notice that a file was edited: everything but the name. */
export const batchChecksum = (file: BatchFile): Hex =>
  keccak256(stringToHex(serialized({ ...file, meta: { ...file.meta, name: null } })));

export type BatchRequest = {
  chainId: number;
  safe: Address;
  call: { to: Address; data: Hex };
  description: string;
  createdAt: number;
};

/** One call as a file that the transaction builder imports. */
export function batchFile({ chainId, safe, call, description, createdAt }: BatchRequest): BatchFile {
  const file: BatchFile = {
    version: '1.0',
    chainId: String(chainId),
    createdAt,
    meta: {
      name: 'Castellan',
      description,
      txBuilderVersion: BUILDER_VERSION,
      createdFromSafeAddress: safe,
      createdFromOwnerAddress: '',
    },
    transactions: [{ to: call.to, value: '0', data: call.data, contractMethod: null, contractInputsValues: null }],
  };
  return { ...file, meta: { ...file.meta, checksum: batchChecksum(file) } };
}
