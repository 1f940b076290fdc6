const key = Buffer.from('"traces":[');
const [quote, backslash, open, close] = Buffer.from('"\\[]') as unknown as [number, number, number, number];

/** @returns the place behind the list that begins at `from`; strings inside may hold brackets. */
function endOfList(json: Buffer, from: number): number {
  let depth = 0;
  let isText = false;
  for (let at = from; at < json.length; at += 1) {
    const byte = json[at];
    if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === open) depth += 1;
    else if (byte === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return json.length;
}

/**
 * Anvil's state with an empty list of traces for each transaction. By bytes: parsed, a long history takes hundreds of
 * megabytes.
 * @param json - As anvil writes it, without spaces.
 */
export function withoutTraces(json: Buffer): Buffer {
  const parts: Buffer[] = [];
  let rest = 0;
  for (let at = json.indexOf(key); at >= 0; at = json.indexOf(key, rest)) {
    const list = at + key.length;
    parts.push(json.subarray(rest, list));
    // The closing bracket stays.
    rest = endOfList(json, list - 1) - 1;
  }
  parts.push(json.subarray(rest));
  return Buffer.concat(parts);
}
