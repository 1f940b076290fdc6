import { bytesToHex, type Hex, hexToBytes } from 'viem';

/** Bytes of a peer, or values of our own, that do not follow the format. Decoders throw this and nothing else. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** Big-endian integers and byte strings of fixed width, one after the other. */
export class ByteWriter {
  readonly #parts: Uint8Array[] = [];

  uint(value: bigint | number, bytes: number): void {
    const number = BigInt(value);
    if (number < 0n || number >> BigInt(bytes * 8) !== 0n) {
      throw new CodecError(`${number} does not fit into ${bytes} bytes`);
    }
    const out = new Uint8Array(bytes);
    for (let at = bytes - 1, rest = number; at >= 0; at -= 1, rest >>= 8n) out[at] = Number(rest & 0xffn);
    this.#parts.push(out);
  }

  hex(value: Hex, bytes: number): void {
    const raw = hexToBytes(value);
    if (raw.length !== bytes) throw new CodecError(`${value} does not have ${bytes} bytes`);
    this.#parts.push(raw);
  }

  result(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  #take(bytes: number): Uint8Array {
    const part = this.#bytes.subarray(this.#at, this.#at + bytes);
    if (part.length !== bytes) throw new CodecError('The bytes end too early');
    this.#at += bytes;
    return part;
  }

  uint(bytes: number): bigint {
    return BigInt(bytesToHex(this.#take(bytes)));
  }

  /** An integer that a JavaScript number holds exactly. */
  number(bytes: number): number {
    const value = this.uint(bytes);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError(`${value} is out of range`);
    return Number(value);
  }

  hex(bytes: number): Hex {
    return bytesToHex(this.#take(bytes));
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new CodecError('Bytes are left over');
  }
}
