import type { ObjectId } from 'bson';
import { refuse } from '../errors.ts';

const fixedSizes: Record<number, number> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  255: 0,
  127: 0,
};

const broken = (): never => refuse(22, 'The document is not valid BSON');

function endOfText(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(0, at);
  return end < 0 ? broken() : end + 1;
}

/** Where the value of an element ends. */
function endOfValue(bytes: Buffer, type: number, at: number): number {
  const fixed = fixedSizes[type];
  if (fixed !== undefined) return at + fixed;
  if (type === 11) return endOfText(bytes, endOfText(bytes, at));
  if (at + 4 > bytes.length) return broken();
  const length = bytes.readInt32LE(at);
  if (length < 0) return broken();
  switch (type) {
    case 2:
    case 13:
    case 14:
      return at + 4 + length;
    case 5:
      return at + 5 + length;
    case 12:
      return at + 16 + length;
    case 3:
    case 4:
    case 15:
      return at + length;
  }
  return broken();
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * The same document with `_id` as its first field, byte for byte otherwise; one is made when it has none.
 * @throws {StoreError} InvalidBSON.
 */
export function withIdFirst(document: Uint8Array, makeId: () => ObjectId): Buffer {
  const bytes = asBuffer(document);
  if (bytes.length < 5 || bytes.readInt32LE(0) !== bytes.length) broken();
  let at = 4;
  while (at < bytes.length - 1) {
    const start = at;
    const nameEnd = endOfText(bytes, at + 1);
    at = endOfValue(bytes, bytes[start] ?? 0, nameEnd);
    if (at > bytes.length - 1) broken();
    if (nameEnd - start !== 5 || bytes.toString('latin1', start + 1, nameEnd - 1) !== '_id') continue;
    if (start === 4) return bytes;
    const head = bytes.subarray(0, 4);
    return Buffer.concat([head, bytes.subarray(start, at), bytes.subarray(4, start), bytes.subarray(at)]);
  }
  const id = Buffer.concat([Buffer.from('\x07_id\0', 'latin1'), makeId().id]);
  const joined = Buffer.concat([bytes.subarray(0, 4), id, bytes.subarray(4)]);
  joined.writeInt32LE(joined.length, 0);
  return joined;
}

/** The document with only the given top-level fields; cheaper than decoding fields that are not used. */
export function pickFields(document: Uint8Array, names: ReadonlySet<string>): Buffer {
  const bytes = asBuffer(document);
  const parts: Buffer[] = [Buffer.alloc(4)];
  let at = 4;
  while (at < bytes.length - 1) {
    const start = at;
    const nameEnd = endOfText(bytes, at + 1);
    at = endOfValue(bytes, bytes[start] ?? 0, nameEnd);
    if (names.has(bytes.toString('utf8', start + 1, nameEnd - 1))) parts.push(bytes.subarray(start, at));
  }
  parts.push(Buffer.from([0]));
  const picked = Buffer.concat(parts);
  picked.writeInt32LE(picked.length, 0);
  return picked;
}

/** Below this a document is decoded as quickly as its fields are picked. */
const SMALL_BYTES = 512;

/** The document, or where it is large what is needed of it. @param names - Undefined for all fields. */
export const neededOf = (document: Uint8Array, names: ReadonlySet<string> | undefined): Uint8Array =>
  names === undefined || document.length < SMALL_BYTES ? document : pickFields(document, names);

/** A BSON array of documents that are encoded already. */
export function rawArray(documents: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [Buffer.alloc(4)];
  for (const [i, document] of documents.entries()) {
    parts.push(Buffer.from(`\x03${i}\0`, 'latin1'), document);
  }
  parts.push(Buffer.from([0]));
  const array = Buffer.concat(parts);
  array.writeInt32LE(array.length, 0);
  return array;
}
