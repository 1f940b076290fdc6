import { createHash } from 'node:crypto';

/**
 * What travels between validators, byte for byte (integers big-endian):
 *
 * | bytes | field                                              |
 * | ----- | -------------------------------------------------- |
 * | 1     | version, 1                                         |
 * | 1 + n | network: length, then 1 to 32 bytes of ASCII       |
 * | 32    | configuration digest                               |
 * | 1     | from: index of the sender                          |
 * | 1     | to: index of the receiver, 255 for all             |
 * | 1     | type, 1: a message of the protocol                 |
 * | 16    | session: grows with each start of the sender       |
 * | 8     | counter: grows with each message of the session    |
 * | 4 + n | body: length, then bytes                           |
 * | 64    | Ed25519 by the sender over tag and SHA-256 of the rest |
 *
 * Epoch and round stand in the body, which the protocol encodes; the signature covers them there.
 */
export type Envelope = {
  network: string;
  digest: Uint8Array;
  from: number;
  to: number | 'all';
  session: Session;
  counter: bigint;
  body: Uint8Array;
};

/** `number` orders the sessions of one sender; `nonce` separates two that were started with one number. */
export type Session = { number: bigint; nonce: bigint };

export type SignedEnvelope = { envelope: Envelope; signed: Uint8Array; signature: Uint8Array };

const version = 1;
const protocolType = 1;
const toAll = 255;
const signatureBytes = 64;
const fixedBytes = 1 + 1 + 32 + 1 + 1 + 1 + 16 + 8 + 4;
const longestNetwork = 32;

/** All of an envelope but its body, at most. */
export const envelopeOverhead = fixedBytes + longestNetwork + signatureBytes;

const tag = Buffer.from('castellan/validator/envelope/v1\0');

/** What the sender signs. */
export const signingInput = (unsigned: Uint8Array): Uint8Array =>
  Buffer.concat([tag, createHash('sha256').update(unsigned).digest()]);

/** The envelope without its signature. */
export function encodeEnvelope({ network, digest, from, to, session, counter, body }: Envelope): Uint8Array {
  const name = Buffer.from(network, 'latin1');
  const out = Buffer.alloc(fixedBytes + name.length + body.length);
  let at = 0;
  const byte = (value: number) => {
    at = out.writeUInt8(value, at);
  };
  byte(version);
  byte(name.length);
  at += name.copy(out, at);
  at += Buffer.from(digest).copy(out, at);
  byte(from);
  byte(to === 'all' ? toAll : to);
  byte(protocolType);
  at = out.writeBigUInt64BE(session.number, at);
  at = out.writeBigUInt64BE(session.nonce, at);
  at = out.writeBigUInt64BE(counter, at);
  at = out.writeUInt32BE(body.length, at);
  Buffer.from(body).copy(out, at);
  return out;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('The envelope is cut off.');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }
}

/** @returns undefined for anything but one whole envelope of this version: no byte too few, none too many. */
export function decodeEnvelope(bytes: Uint8Array): SignedEnvelope | undefined {
  try {
    return decoded(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function decoded(bytes: Uint8Array): SignedEnvelope | undefined {
  const reader = new Reader(bytes);
  if (reader.take(1).readUInt8() !== version) return undefined;
  const network = reader.take(reader.take(1).readUInt8()).toString('latin1');
  if (!/^[a-z0-9_-]{1,32}$/.test(network)) return undefined;
  const digest = reader.take(32);
  const from = reader.take(1).readUInt8();
  const to = reader.take(1).readUInt8();
  if (reader.take(1).readUInt8() !== protocolType) return undefined;
  const session = { number: reader.take(8).readBigUInt64BE(), nonce: reader.take(8).readBigUInt64BE() };
  const counter = reader.take(8).readBigUInt64BE();
  const body = reader.take(reader.take(4).readUInt32BE());
  const signature = reader.take(signatureBytes);
  if (!reader.done) return undefined;
  const envelope = { network, digest, from, to: to === toAll ? ('all' as const) : to, session, counter, body };
  return { envelope, signed: bytes.subarray(0, bytes.length - signatureBytes), signature };
}
