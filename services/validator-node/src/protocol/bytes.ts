const u32Max = 0xffff_ffff;

/** Concatenates fields of fixed width and length-prefixed byte strings, big-endian. */
export function writer() {
  const parts: Uint8Array[] = [];
  const fixed = (width: number, write: (view: DataView) => void) => {
    const part = new Uint8Array(width);
    write(new DataView(part.buffer));
    parts.push(part);
    return self;
  };
  const self = {
    u8: (value: number) => fixed(1, (view) => view.setUint8(0, value)),
    u32: (value: number) => fixed(4, (view) => view.setUint32(0, value)),
    u64: (value: number) => fixed(8, (view) => view.setBigUint64(0, BigInt(value))),
    raw: (bytes: Uint8Array) => {
      parts.push(bytes);
      return self;
    },
    bytes32: (bytes: Uint8Array) => self.u32(bytes.length).raw(bytes),
    bytes64: (bytes: Uint8Array) => self.u64(bytes.length).raw(bytes),
    done: (): Uint8Array => concat(parts),
  };
  return self;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The one error of every decoder here. */
export class MalformedMessage extends Error {
  override name = 'MalformedMessage';
}

/** Reads what `writer` wrote. Checks each length against what is there and what is allowed before it copies. */
export function reader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (width: number): number => {
    if (width > bytes.length - at) throw new MalformedMessage(`ends before ${width} bytes at ${at}`);
    at += width;
    return at - width;
  };
  const u32 = () => view.getUint32(take(4));
  const raw = (width: number): Uint8Array => {
    const from = take(width);
    return bytes.slice(from, from + width);
  };
  return {
    u8: () => view.getUint8(take(1)),
    u32,
    raw,
    /** @param limit - Longest value that is allowed here. */
    bytes32: (limit: number): Uint8Array => {
      const length = u32();
      if (length > limit) throw new MalformedMessage(`${length} bytes where ${limit} are allowed`);
      return raw(length);
    },
    end: (): void => {
      if (at !== bytes.length) throw new MalformedMessage(`${bytes.length - at} bytes too many`);
    },
  };
}

export const isU32 = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= u32Max;
