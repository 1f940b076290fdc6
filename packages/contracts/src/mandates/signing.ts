import { hashTypedData, keccak256, recoverAddress, stringToHex } from 'viem/utils';
import type { MandateDocument } from './document.ts';

/** JSON with sorted keys and no space: one text for one document (RFC 8785 for the values that occur in it). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

/** Keccak-256 of the document's canonical JSON, defaults filled in: what is signed. */
export const mandateHash = (document: MandateDocument): string => keccak256(stringToHex(canonicalJson(document)));

type Signed = { chain_id: number; vault_address: string; version: number; document_hash: string };

/** The EIP-712 typed data by which a primary manager puts a version into force, ready for `eth_signTypedData_v4`. */
export const mandateTypedData = ({ chain_id, vault_address, version, document_hash }: Signed) => ({
  domain: { name: 'Castellan mandate', version: '1', chainId: chain_id },
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Mandate: [
      { name: 'vault', type: 'address' },
      { name: 'version', type: 'uint256' },
      { name: 'documentHash', type: 'bytes32' },
    ],
  },
  primaryType: 'Mandate' as const,
  message: { vault: vault_address, version: String(version), documentHash: document_hash },
});

/** The wallet that signed a version; undefined when the signature is of no key. */
export async function mandateSigner(signed: Signed, signature: string): Promise<string | undefined> {
  const { domain, types, primaryType, message } = mandateTypedData(signed);
  const hash = hashTypedData({ domain, types, primaryType, message } as Parameters<typeof hashTypedData>[0]);
  try {
    return await recoverAddress({ hash, signature: signature as `0x${string}` });
  } catch {
    return undefined; // Not 65 bytes, or no point on the curve.
  }
}
