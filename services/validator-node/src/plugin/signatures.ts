import { updatePpsDigest } from '@castellan/chain';
import { type Address, bytesToHex, getAddress, type Hex, hexToBigInt, hexToBytes } from 'viem';
import type { SignedBy } from '../keys/signed-by.ts';
import type { AttributedSignature, NetworkConfig, OnchainKeyring, SignedPrice } from '../ports.ts';
import type { ReportEntry } from './report.ts';

/** secp256k1, as 65 bytes: r, s, v. */
export const SIGNATURE_BYTES = 65;

/** The contract refuses the other root of each signature, so that one signature has one form. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

export type Separators = (chainId: number) => Hex | null;

const digestOf = (entry: ReportEntry, separators: Separators): Hex | null => {
  const domainSeparator = separators(entry.chainId);
  return domainSeparator === null ? null : updatePpsDigest({ ...entry, domainSeparator });
};

/** One signature for each entry, in order. @throws when the domain of one of its chains is not known. */
export async function signEntries(
  entries: readonly ReportEntry[],
  separators: Separators,
  keyring: OnchainKeyring,
): Promise<Uint8Array> {
  const digests = entries.map((entry) => {
    const digest = digestOf(entry, separators);
    if (digest === null) throw new Error(`The domain of chain ${entry.chainId} is not known.`);
    return digest;
  });
  const signatures: Uint8Array[] = [];
  for (const digest of digests) signatures.push(hexToBytes(await keyring.sign(digest)));
  return new Uint8Array(Buffer.concat(signatures));
}

const partOf = (signature: Uint8Array, index: number): Hex =>
  bytesToHex(signature.subarray(index * SIGNATURE_BYTES, (index + 1) * SIGNATURE_BYTES));

const hasContractForm = (signature: Hex): boolean =>
  hexToBigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER && ['1b', '1c'].includes(signature.slice(130));

/** Whether these are the signatures of `signer` for every entry, in the one form that the contract takes. */
export async function verifyEntries(
  entries: readonly ReportEntry[],
  signature: Uint8Array,
  signer: Address,
  separators: Separators,
  isSignedBy: SignedBy,
): Promise<boolean> {
  if (signature.length !== entries.length * SIGNATURE_BYTES) return false;
  for (const [index, entry] of entries.entries()) {
    const hash = digestOf(entry, separators);
    const part = partOf(signature, index);
    if (hash === null || !hasContractForm(part)) return false;
    if (!(await isSignedBy(hash, part, signer))) return false;
  }
  return true;
}

/** The entry at `index` with as many signatures as the contract asks for, ascending by signer. */
export function signedPrice(
  entry: ReportEntry,
  index: number,
  signatures: readonly AttributedSignature[],
  { oracles, quorum }: Pick<NetworkConfig, 'oracles' | 'quorum'>,
): SignedPrice {
  const proofs = signatures
    .flatMap(({ signer, signature }) => {
      const address = oracles[signer]?.signer;
      return address === undefined ? [] : [{ address, proof: partOf(signature, index) }];
    })
    .sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
    .slice(0, quorum);
  return {
    ...entry,
    strategy: getAddress(entry.strategy),
    signatures: proofs.map(({ proof }) => proof),
    signers: proofs.map(({ address }) => address),
  };
}
