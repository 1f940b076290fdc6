import {
  type Binary,
  type BSONRegExp,
  type Code,
  type DBRef,
  Decimal128,
  Long,
  type ObjectId,
  type Timestamp,
} from 'bson';
import { addExact, digitsOf, exactOfDouble, negateExact, parseExact } from './decimal.ts';
import { bsonType, Class, classOf, type Doc, toNumber } from './types.ts';

// 40 digits of the remainder separate any two 34-digit decimals with the same nearest double: they differ by at
// least 1e-34 of the value, and the remainder is below 1e-16 of it.
const REMAINDER_DIGITS = 40;
const TAG_BELOW = 0x40;
const TAG_EXACT = 0x80;
const TAG_ABOVE = 0xc0;

/** Appends order-preserving encodings to one growing buffer. */
class KeyWriter {
  buffer = Buffer.allocUnsafe(1024);
  length = 0;

  reserve(size: number): void {
    if (this.length + size <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + size));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.length = this.buffer.writeUInt32BE(value >>> 0, this.length);
  }

  uint64(value: bigint): void {
    this.reserve(8);
    this.length = this.buffer.writeBigUInt64BE(BigInt.asUintN(64, value), this.length);
  }

  /** UTF-8 with 00 escaped as 00 FF and ended by 00 00, so that a prefix sorts first. */
  text(value: string): void {
    this.reserve(value.length * 3 + 2);
    const start = this.length;
    this.length += this.buffer.write(value, start, 'utf8');
    if (value.includes('\0')) this.escapeZeros(start);
    this.byte(0);
    this.byte(0);
  }

  escapeZeros(start: number): void {
    const plain = Buffer.from(this.buffer.subarray(start, this.length));
    this.length = start;
    for (const byte of plain) {
      this.byte(byte);
      if (byte === 0) this.byte(0xff);
    }
  }

  double(value: number): void {
    this.reserve(8);
    const at = this.length;
    this.buffer.writeDoubleBE(value === 0 ? 0 : value, at);
    const negative = (this.buffer[at] ?? 0) & 0x80;
    if (negative) for (let i = at; i < at + 8; i += 1) this.buffer[i] = ~(this.buffer[i] ?? 0) & 0xff;
    else this.buffer[at] = (this.buffer[at] ?? 0) | 0x80;
    this.length += 8;
  }
}

function writeRemainder(out: KeyWriter, value: Long | Decimal128, nearest: number): void {
  const exact = value instanceof Long ? { coefficient: value.toBigInt(), exponent: 0 } : parseExact(value.toString());
  const rest = addExact(exact, negateExact(exactOfDouble(nearest)));
  if (rest.coefficient === 0n) {
    out.byte(TAG_EXACT);
    return;
  }
  const digits = digitsOf(rest.coefficient);
  const magnitude = rest.exponent + digits.length - 1 + 0x8000;
  const body = Buffer.concat([
    Buffer.from([magnitude >> 8, magnitude & 0xff]),
    Buffer.from(digits.slice(0, REMAINDER_DIGITS).replace(/0+$/, ''), 'ascii'),
    Buffer.from([0]),
  ]);
  const below = rest.coefficient < 0n;
  out.byte(below ? TAG_BELOW : TAG_ABOVE);
  out.bytes(below ? body.map((byte) => ~byte & 0xff) : body);
}

/** NaN first, then the nearest double, then what the value has beyond it (wide Longs and Decimal128). */
function writeNumber(out: KeyWriter, value: unknown): void {
  let nearest = toNumber(value);
  if (Number.isNaN(nearest)) {
    out.bytes(new Uint8Array(9));
    return;
  }
  if (!(value instanceof Long) && !(value instanceof Decimal128)) {
    out.double(nearest);
    out.byte(TAG_EXACT);
    return;
  }
  const infinite = value instanceof Decimal128 && value.toString().includes('Infinity');
  if (!infinite && !Number.isFinite(nearest)) nearest = nearest > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
  out.double(nearest);
  if (infinite) out.byte(TAG_EXACT);
  else writeRemainder(out, value, nearest);
}

function writeObject(out: KeyWriter, value: Doc): void {
  const source = bsonType(value) === 'DBRef' ? ((value as unknown as DBRef).toJSON() as unknown as Doc) : value;
  for (const name of Object.keys(source)) {
    out.byte(classOf(source[name]));
    out.text(name);
    writePayload(out, source[name]);
  }
  out.byte(0);
}

function writeArray(out: KeyWriter, values: readonly unknown[]): void {
  for (const value of values) {
    out.byte(classOf(value));
    writePayload(out, value);
  }
  out.byte(0);
}

function writeBinary(out: KeyWriter, value: Binary | Uint8Array): void {
  const bytes = value instanceof Uint8Array ? value : value.buffer.subarray(0, value.position);
  out.uint32(bytes.length);
  out.byte(value instanceof Uint8Array ? 0 : value.sub_type);
  out.bytes(bytes);
}

function writeRegex(out: KeyWriter, value: BSONRegExp | RegExp): void {
  out.text(value instanceof RegExp ? value.source : value.pattern);
  out.text(value instanceof RegExp ? value.flags : value.options);
}

const SIGN_64 = 1n << 63n;

type Write = (out: KeyWriter, value: unknown) => void;

const writers: Record<number, Write> = {
  [Class.number]: writeNumber,
  [Class.string]: (out, value) => out.text(String(value)),
  [Class.object]: (out, value) => writeObject(out, value as Doc),
  [Class.array]: (out, value) => writeArray(out, value as unknown[]),
  [Class.binary]: (out, value) => writeBinary(out, value as Binary | Uint8Array),
  [Class.objectId]: (out, value) => out.bytes((value as ObjectId).id),
  [Class.bool]: (out, value) => out.byte(value === true ? 1 : 0),
  [Class.date]: (out, value) => out.uint64(BigInt((value as Date).getTime() || 0) ^ SIGN_64),
  [Class.timestamp]: (out, value) => out.uint64((value as Timestamp).toBigInt()),
  [Class.regex]: (out, value) => writeRegex(out, value as BSONRegExp | RegExp),
  [Class.code]: (out, value) => out.text(String((value as Code).code)),
};

const writePayload: Write = (out, value) => writers[classOf(value)]?.(out, value);

const shared = new KeyWriter();

/** Stands for the key of an empty array, which sorts before null. */
export const EMPTY_ARRAY_KEY = Symbol('empty array');

/**
 * Encodes a BSON value so that comparing the bytes compares the values in MongoDB's sort order.
 * Encodings are prefix-free, so they can be joined for compound indexes. Equal numbers of different widths
 * have equal encodings.
 */
export function encodeKey(value: unknown): Buffer {
  return encodeKeys([value], [1]);
}

/** One compound key; components whose direction is negative have their bytes inverted. */
export function encodeKeys(values: readonly unknown[], directions: readonly number[]): Buffer {
  shared.length = 0;
  for (let i = 0; i < values.length; i += 1) {
    const start = shared.length;
    if (values[i] === EMPTY_ARRAY_KEY) shared.byte(Class.emptyArray);
    else {
      shared.byte(classOf(values[i]));
      writePayload(shared, values[i]);
    }
    if ((directions[i] ?? 1) < 0) invert(shared.buffer, start, shared.length);
  }
  return Buffer.from(shared.buffer.subarray(0, shared.length));
}

function invert(bytes: Uint8Array, from: number, to: number): void {
  for (let i = from; i < to; i += 1) bytes[i] = ~(bytes[i] ?? 0) & 0xff;
}

/** A copy with every bit inverted, which turns ascending order into descending. */
export function inverted(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  invert(copy, 0, copy.length);
  return copy;
}

/** The smallest byte string above every string that starts with `bytes`. */
export function successor(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  for (let end = copy.length; end > 0; end -= 1) {
    const last = copy[end - 1] ?? 0;
    if (last === 0xff) continue;
    copy[end - 1] = last + 1;
    return copy.subarray(0, end);
  }
  return Buffer.alloc(1024, 0xff);
}
