import type { EcdsaSignature } from './remote-key.ts';

/** Tags of ASN.1 that a signature is made of. */
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** One value and what follows it; undefined for another tag, or a length that is wrong or in the long form: 72 bytes need none. */
function take(bytes: Uint8Array, tag: number): { value: Uint8Array; rest: Uint8Array } | undefined {
  const length = bytes[1] ?? 0x80;
  if (bytes[0] !== tag || length >= 0x80 || length > bytes.length - 2) return undefined;
  return { value: bytes.subarray(2, 2 + length), rest: bytes.subarray(2 + length) };
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/**
 * Reads the form in which AWS and Google return signatures of 256-bit curves: `SEQUENCE { INTEGER r, INTEGER s }` (RFC 3279, 2.2.3).
 * @returns undefined for what is not of this form.
 */
export function signatureOfDer(der: Uint8Array): EcdsaSignature | undefined {
  const sequence = take(der, SEQUENCE);
  if (!sequence || sequence.rest.length > 0) return undefined;
  const r = take(sequence.value, INTEGER);
  const s = r && take(r.rest, INTEGER);
  if (!s || s.rest.length > 0) return undefined;
  // 33 bytes hold 256 bits and the zero before them that makes the number positive.
  const numbers = [r.value, s.value];
  const areNumbers = numbers.every((value) => value.length > 0 && value.length <= 33 && (value[0] ?? 0x80) < 0x80);
  return areNumbers ? { r: numberOf(r.value), s: numberOf(s.value) } : undefined;
}
