import type { Binary, ObjectId } from 'bson';
import { encodeKey } from './key.ts';
import { Class, classOf } from './types.ts';

const WIDE = /[\ud800-\uffff]/;

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  // UTF-16 order differs from MongoDB's UTF-8 order only from U+D800 up.
  if (WIDE.test(left) || WIDE.test(right)) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}

function compareDoubles(left: number, right: number): number {
  if (left < right) return -1;
  if (left > right) return 1;
  if (left === right) return 0;
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}

/** Compares two BSON values in MongoDB's sort order; missing compares as null. Numbers compare by value. */
export function compareValues(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return compareDoubles(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  const leftClass = classOf(left);
  const rightClass = classOf(right);
  if (leftClass !== rightClass) return leftClass - rightClass;
  switch (leftClass) {
    case Class.nil:
    case Class.minKey:
    case Class.maxKey:
      return 0;
    case Class.date:
      return compareDoubles((left as Date).getTime(), (right as Date).getTime());
    case Class.bool:
      return Number(left) - Number(right);
    case Class.objectId:
      return Buffer.compare((left as ObjectId).id, (right as ObjectId).id);
    default:
      return Buffer.compare(encodeKey(left), encodeKey(right));
  }
}

/** True when two values are equal for MongoDB: by value for numbers, by fields in order for documents. */
export const equalValues = (left: unknown, right: unknown): boolean => compareValues(left, right) === 0;

/** A string that is equal for equal values only; for hashing values in a Set or Map. */
export const valueToken = (value: unknown): string => encodeKey(value).toString('latin1');

/** The bytes of a Binary. */
export const binaryBytes = (value: Binary): Uint8Array => value.buffer.subarray(0, value.position);
