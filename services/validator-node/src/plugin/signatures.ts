import { updatePpsMessage } from '@castellan/chain';
import { type Address, bytesToHex, getAddress, type Hex, hexToBigInt, hexToBytes, keccak256 } from 'viem';
import type { SignedBy } from '../keys/signed-by.ts';
import type { AttributedSignature, NetworkConfig, OnchainKeyring, SignedPrice } from '../ports.ts';
import type { ReportEntry } from './report.ts';

/** secp256k1, as 65 bytes: r, s, v. */
export const SIGNATURE_BYTES = 65;

/** The contract refuses the other root of each signature, so that one signature has one form. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

export type Separators = (chainId: number) => Hex | null;

const messageOf = (entry: ReportEntry, separators: Separators): Hex | null => {
  const domainSeparator = separators(entry.chainId);
  return domainSeparator === null ? null : updatePpsMessage({ ...entry, domainSeparator });
};

/** Stands where an entry is not signed: no signature has r = 0. */
const unsigned = new Uint8Array(SIGNATURE_BYTES);

/**
 * One signature for each entry that is to be signed, in order, and zeros for the others.
 * @throws when the domain of one of the chains is not known.
 */
export async function signEntries(
  entries: readonly ReportEntry[],
  isToBeSigned: readonly boolean[],
  separators: Separators,
  { keyring, yieldToEventLoop }: { keyring: OnchainKeyring; yieldToEventLoop: () => Promise<void> },
): Promise<Uint8Array> {
  const messages = entries.map((entry, index) => {
    if (!isToBeSigned[index]) return null;
    const message = messageOf(entry, separators);
    if (message === null) throw new Error(`The domain of chain ${entry.chainId} is not known.`);
    return message;
  });
  // None waits for the one before it: a key service takes a hundred times as long as a key in memory.
  const signing: Promise<Hex>[] = [];
  for (const message of messages) {
    if (message === null) continue;
    await yieldToEventLoop();
    const signed = keyring.signKeccak256(message);
    // It may fail before the last is asked for; Promise.all reports it.
    signed.catch(() => undefined);
    signing.push(signed);
  }
  const signed = await Promise.all(signing);
  return new Uint8Array(
    Buffer.concat(messages.map((message) => (message === null ? unsigned : hexToBytes(signed.shift() as Hex)))),
  );
}

/** Which of so many entries are signed; undefined for bytes of another length. */
export function signedOf(signature: Uint8Array, entries: number): boolean[] | undefined {
  if (signature.length !== entries * SIGNATURE_BYTES) return undefined;
  return Array.from({ length: entries }, (_, index) => isSigned(signature, index));
}

const isSigned = (signature: Uint8Array, index: number): boolean =>
  signature.subarray(index * SIGNATURE_BYTES, (index + 1) * SIGNATURE_BYTES).some((byte) => byte !== 0);

const partOf = (signature: Uint8Array, index: number): Hex =>
  bytesToHex(signature.subarray(index * SIGNATURE_BYTES, (index + 1) * SIGNATURE_BYTES));

const hasContractForm = (signature: Hex): boolean =>
  hexToBigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER && ['1b', '1c'].includes(signature.slice(130));

/**
 * Whether these are signatures of `signer` for one or more entries, each in the one form that the contract takes, and zeros for the
 * others.
 */
export async function verifyEntries(
  entries: readonly ReportEntry[],
  signature: Uint8Array,
  signer: Address,
  {
    separators,
    isSignedBy,
    yieldToEventLoop,
  }: { separators: Separators; isSignedBy: SignedBy; yieldToEventLoop: () => Promise<void> },
): Promise<boolean> {
  const signed = signedOf(signature, entries.length);
  if (!signed?.includes(true)) return false;
  for (const [index, entry] of entries.entries()) {
    if (!signed[index]) continue;
    const message = messageOf(entry, separators);
    const part = partOf(signature, index);
    if (message === null || !hasContractForm(part)) return false;
    await yieldToEventLoop();
    if (!isSignedBy(keccak256(message), part, signer)) return false;
  }
  return true;
}

/** The entry at `index` with as many of its signatures as the contract asks for, ascending by signer. */
export function signedPrice(
  entry: ReportEntry,
  index: number,
  signatures: readonly AttributedSignature[],
  { oracles, quorum }: Pick<NetworkConfig, 'oracles' | 'quorum'>,
): SignedPrice {
  const proofs = signatures
    .flatMap(({ signer, signature }) => {
      const address = oracles[signer]?.signer;
      return address === undefined || !isSigned(signature, index) ? [] : [{ address, proof: partOf(signature, index) }];
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

/**
 * Entries that some of the signers refused, and so many that the network does not stand behind them.
 * @param needed - Signatures after which it does.
 */
export function withheld(
  entries: readonly ReportEntry[],
  signatures: readonly AttributedSignature[],
  needed: number,
): boolean[] {
  return entries.map((_, index) => {
    const given = signatures.filter(({ signature }) => isSigned(signature, index)).length;
    return given < signatures.length && given < needed;
  });
}
