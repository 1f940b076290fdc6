/** Castagnoli's polynomial, its bits reversed (RFC 3720, B.4). */
const POLYNOMIAL = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** The sum that Google's APIs add to what must arrive whole; zlib's is of another polynomial. */
export function crc32c(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 0xff] ?? 0);
  return ~sum >>> 0;
}
