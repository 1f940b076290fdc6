/** What JSON can hold; decoded chain values are turned into it before they travel. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * A decoded ABI value as JSON: bigint becomes a decimal string, addresses stay EIP-55 as viem decodes them, tuples become
 * objects. Integers of up to 48 bits stay numbers.
 */
export function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Positional values under the names their ABI gives them; a nameless one is `arg0`, `arg1`, ... */
export function namedArgs(
  inputs: readonly { name?: string | undefined }[],
  values: readonly unknown[],
): { [key: string]: Json } {
  return Object.fromEntries(inputs.map((input, index) => [input.name || `arg${index}`, toJson(values[index])]));
}
