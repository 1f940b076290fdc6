import { createHash, randomBytes } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { AppError } from '@castellan/contracts';
import { type Identity, toAppError } from '@castellan/service-kit';
import type { TokenVerifier } from '@castellan/tokens';
import { envelopeForAi } from '../envelopes.ts';

/** What a client sends to enter a namespace: engine.io's message (4) of socket.io's CONNECT (0). */
const connectPacket = '40';
const largestConnect = 16_384;
const longestToken = 8_192;
/** Namespaces that one connection may enter, again and again: each costs a verification. */
const mostConnects = 20;

type Ports = { verifier: TokenVerifier; identity: Identity };

/** What the chat gets in the place of the token: an envelope, or why there is none. */
async function exchanged(auth: unknown, { verifier, identity }: Ports): Promise<Record<string, unknown>> {
  try {
    const { token } = (auth ?? {}) as { token?: unknown };
    if (token === undefined || token === null)
      throw new AppError('TOKEN_MISSING', 'Send the token in the handshake: auth: { token }.');
    if (typeof token !== 'string' || token.length > longestToken)
      throw new AppError('TOKEN_INVALID', 'The token of the handshake is not a bearer token.');
    const { caller } = await verifier.verify(token, createHash('sha256').update(token).digest('base64url'));
    return { envelope: await envelopeForAi(identity, caller) };
  } catch (error) {
    const { code, message } = toAppError(error);
    return { refusal: { code, detail: message } };
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A CONNECT packet with the envelope in the place of what the client sent with it. */
export async function exchangedPacket(packet: string, ports: Ports): Promise<string> {
  const [, namespace = '', auth = ''] = /^40(\/[^,]*,)?(.*)$/s.exec(packet) ?? [];
  return `${connectPacket}${namespace}${JSON.stringify(await exchanged(parsed(auth), ports))}`;
}

/** The head of a frame (RFC 6455 5.2): where its payload begins and how long it is; undefined while bytes are missing. */
function headOf(bytes: Buffer) {
  if (bytes.length < 2) return undefined;
  const first = bytes.readUInt8(0);
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + lengthBytes + 4;
  if (bytes.length < start) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  return {
    isWhole: (first & 0x80) !== 0,
    isPlain: (first & 0x70) === 0 && (second & 0x80) !== 0,
    opcode: first & 0x0f,
    mask: bytes.subarray(start - 4, start),
    start,
    length,
  };
}
type Head = NonNullable<ReturnType<typeof headOf>>;

const unmasked = (payload: Buffer, mask: Buffer): Buffer =>
  Buffer.from(payload.map((byte, n) => byte ^ (mask[n % 4] ?? 0)));

/** A text frame as a client sends it. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const mask = randomBytes(4);
  const length = Buffer.alloc(payload.length < 126 ? 2 : 4);
  length.writeUInt8(0x81, 0);
  if (payload.length < 126) length.writeUInt8(0x80 | payload.length, 1);
  else {
    length.writeUInt8(0x80 | 126, 1);
    length.writeUInt16BE(payload.length, 2);
  }
  return Buffer.concat([length, mask, unmasked(payload, mask)]);
}

/**
 * What a client of the chat sends, on its way to the AI service: the token of each CONNECT packet is exchanged for an envelope,
 * all else passes byte by byte. Compression is not negotiated, and messages in parts end the connection: a token could pass
 * unseen in either.
 */
export class ChatHandshake extends Transform {
  readonly #ports: Ports;
  #pending: Buffer = Buffer.alloc(0);
  /** Bytes left of the frame that passes. */
  #passing = 0;
  #connects = 0;

  constructor(ports: Ports) {
    super();
    this.#ports = ports;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#read().then(() => done(), done);
  }

  async #read(): Promise<void> {
    for (;;) {
      const passing = Math.min(this.#passing, this.#pending.length);
      if (passing > 0) this.#pass(passing);
      if (this.#passing > 0) return;
      const head = headOf(this.#pending);
      if (!head || this.#pending.length < head.start + Math.min(head.length, 2)) return;
      if (!head.isPlain || head.opcode === 0 || (head.opcode < 8 && !head.isWhole))
        throw new Error('The chat takes whole, uncompressed messages.');
      if (!this.#isConnect(head)) this.#passing = head.start + head.length;
      else if (!(await this.#exchange(head))) return;
    }
  }

  #pass(count: number): void {
    this.push(this.#pending.subarray(0, count));
    this.#pending = this.#pending.subarray(count);
    this.#passing -= count;
  }

  #isConnect({ opcode, start, length, mask }: Head): boolean {
    if (opcode !== 1 || length < connectPacket.length) return false;
    return unmasked(this.#pending.subarray(start, start + 2), mask).toString() === connectPacket;
  }

  /** @returns false while the packet is not all there. */
  async #exchange({ start, length, mask }: Head): Promise<boolean> {
    if (length > largestConnect) throw new Error('The handshake of the chat is too large.');
    if (this.#pending.length < start + length) return false;
    this.#connects += 1;
    if (this.#connects > mostConnects) throw new Error('The chat was entered too often on one connection.');
    const packet = unmasked(this.#pending.subarray(start, start + length), mask).toString('utf8');
    this.#pending = this.#pending.subarray(start + length);
    this.push(textFrame(await exchangedPacket(packet, this.#ports)));
    return true;
  }
}
