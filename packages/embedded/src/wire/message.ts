import { rawArray } from '../engine/values/raw.ts';
import { type Doc, decodeExact, encode } from '../engine/values/types.ts';

/** Largest message in bytes, as hello announces it. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
// Bits 0 to 15 are required: a receiver must refuse those it does not know.
const REQUIRED_BITS = 0xffff;
const AWAIT_CAPABLE = 8;

/** A request; documents of kind 1 sections stay encoded in `sequences`. */
export type Request = {
  requestId: number;
  body: Doc;
  sequences: Map<string, Buffer[]>;
  /** The client wants no answer. */
  silent: boolean;
  legacy: boolean;
};

/** A message that breaks the protocol; its connection is closed. */
export class ProtocolError extends Error {}

const broken = (reason: string): never => {
  throw new ProtocolError(reason);
};

/** The length of the message at the start of a buffer, or undefined when too few bytes are there. */
export function messageLength(buffer: Buffer): number | undefined {
  if (buffer.length < 4) return undefined;
  const length = buffer.readInt32LE(0);
  if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) return broken(`message length ${length}`);
  return length;
}

/** Parses one whole message. @throws {ProtocolError} when it is malformed. */
export function parseMessage(message: Buffer): Request {
  const opCode = message.readInt32LE(12);
  const requestId = message.readInt32LE(4);
  if (opCode === OP_MSG) return parseOpMsg(message, requestId);
  if (opCode === OP_QUERY) return parseOpQuery(message, requestId);
  return broken(`operation ${opCode} is not supported`);
}

function documentAt(buffer: Buffer, at: number, end: number): Buffer {
  if (at + 5 > end) broken('a document is cut short');
  const length = buffer.readInt32LE(at);
  if (length < 5 || at + length > end || buffer[at + length - 1] !== 0) broken(`document length ${length}`);
  return buffer.subarray(at, at + length);
}

function decode(bytes: Buffer): Doc {
  try {
    return decodeExact(bytes);
  } catch (error) {
    return broken(`a document is not BSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseOpMsg(message: Buffer, requestId: number): Request {
  if (message.length < HEADER_BYTES + 5) broken('OP_MSG is cut short');
  const flags = message.readUInt32LE(HEADER_BYTES);
  if (flags & REQUIRED_BITS & ~(CHECKSUM_PRESENT | MORE_TO_COME)) broken(`unknown required flags ${flags}`);
  const end = flags & CHECKSUM_PRESENT ? message.length - 4 : message.length;
  const sequences = new Map<string, Buffer[]>();
  let body: Doc | undefined;
  let at = HEADER_BYTES + 4;
  while (at < end) {
    const kind = message[at];
    at += 1;
    if (kind === 0) {
      if (body) broken('OP_MSG has two bodies');
      const document = documentAt(message, at, end);
      body = decode(document);
      at += document.length;
    } else if (kind === 1) at = parseSequence(message, at, end, sequences);
    else broken(`section kind ${kind}`);
  }
  if (!body) return broken('OP_MSG has no body');
  for (const name of sequences.keys())
    if (Object.hasOwn(body, name)) broken(`'${name}' is in the body and in a sequence`);
  return { requestId, body, sequences, silent: (flags & MORE_TO_COME) !== 0, legacy: false };
}

function parseSequence(message: Buffer, at: number, end: number, sequences: Map<string, Buffer[]>): number {
  if (at + 4 > end) broken('a sequence is cut short');
  const stop = at + message.readInt32LE(at);
  const nameEnd = message.indexOf(0, at + 4);
  if (stop > end || stop <= at + 4 || nameEnd < 0 || nameEnd >= stop) return broken('a sequence has a wrong size');
  const name = message.toString('utf8', at + 4, nameEnd);
  if (sequences.has(name)) broken(`two sequences are named '${name}'`);
  const documents: Buffer[] = [];
  let next = nameEnd + 1;
  while (next < stop) {
    const document = documentAt(message, next, stop);
    documents.push(document);
    next += document.length;
  }
  sequences.set(name, documents);
  return stop;
}

/** OP_QUERY is only used for a driver's first hello. */
function parseOpQuery(message: Buffer, requestId: number): Request {
  const nameStart = HEADER_BYTES + 4;
  const nameEnd = message.indexOf(0, nameStart);
  if (nameEnd < 0) return broken('OP_QUERY has no collection name');
  const name = message.toString('utf8', nameStart, nameEnd);
  if (!name.endsWith('.$cmd')) return broken(`OP_QUERY on ${name}: only commands are supported`);
  const document = documentAt(message, nameEnd + 9, message.length);
  const body = decode(document);
  return { requestId, body: { ...body, $db: name.slice(0, -5) }, sequences: new Map(), silent: false, legacy: true };
}

/** Encodes the answer to a request. */
export function encodeReply(request: Request, reply: Uint8Array, id: number): Buffer {
  const head = Buffer.alloc(request.legacy ? HEADER_BYTES + 20 : HEADER_BYTES + 5);
  head.writeInt32LE(head.length + reply.length, 0);
  head.writeInt32LE(id, 4);
  head.writeInt32LE(request.requestId, 8);
  head.writeInt32LE(request.legacy ? OP_REPLY : OP_MSG, 12);
  if (request.legacy) {
    head.writeInt32LE(AWAIT_CAPABLE, HEADER_BYTES);
    head.writeInt32LE(1, HEADER_BYTES + 16);
  }
  return Buffer.concat([head, reply]);
}

/** `{ cursor: { <field>: documents, id, ns }, ok: 1 }` around documents that are encoded already. */
export function cursorReply(
  field: 'firstBatch' | 'nextBatch',
  documents: readonly Uint8Array[],
  id: bigint,
  ns: string,
): Buffer {
  const batch = rawArray(documents);
  const tail = Buffer.alloc(12);
  tail.write('\x12id\0', 0, 'latin1');
  tail.writeBigInt64LE(id, 4);
  const name = Buffer.from(ns, 'utf8');
  const ns32 = Buffer.alloc(8);
  ns32.write('\x02ns\0', 0, 'latin1');
  ns32.writeInt32LE(name.length + 1, 4);
  const cursor = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from(`\x04${field}\0`, 'latin1'),
    batch,
    tail,
    ns32,
    name,
    Buffer.from([0, 0]),
  ]);
  cursor.writeInt32LE(cursor.length, 0);
  const okTail = encode({ ok: 1 }).subarray(4);
  const reply = Buffer.concat([Buffer.alloc(4), Buffer.from('\x03cursor\0', 'latin1'), cursor, okTail]);
  reply.writeInt32LE(reply.length, 0);
  return reply;
}
