import type { RegistryHook } from '@castellan/contracts';
import { Address } from '@castellan/contracts';
import { encodePacked, type Hex, size } from 'viem';

/** What of a hook decides which bytes its calls and leaves are made of. */
export type HookLayout = Pick<RegistryHook, 'inspect_params' | 'calldata'>;

const zeroes: Readonly<Record<string, (bytes: number) => unknown>> = {
  address: () => `0x${'00'.repeat(20)}`,
  bool: () => false,
  uint: () => 0n,
  bytes: (bytes) => `0x${'00'.repeat(bytes)}`,
};

const widthOf = (type: string): number => Number(/\d+$/.exec(type)?.[0] ?? 0);
const familyOf = (type: string): string => type.replace(/\d+$/, '');

/**
 * The value of a parameter as it is written in a configuration.
 * @param type - A Solidity type of a fixed size.
 * @returns the value for encoding, with its one spelling; or why the text is none.
 */
export function parseValue(type: string, text: string): { value: unknown; text: string } | { fault: string } {
  switch (familyOf(type)) {
    case 'address': {
      const parsed = Address.safeParse(text);
      return parsed.success
        ? { value: parsed.data, text: parsed.data }
        : { fault: `must be an address: it ${parsed.error.issues[0]?.message}` };
    }
    case 'bool':
      return text === 'true' || text === 'false'
        ? { value: text === 'true', text }
        : { fault: 'must be true or false' };
    case 'uint': {
      const isInteger = /^(0|[1-9]\d{0,77})$/.test(text);
      if (!isInteger || BigInt(text) >= 1n << BigInt(widthOf(type))) return { fault: `must be a decimal ${type}` };
      return { value: BigInt(text), text };
    }
    default: {
      const isHex = /^0x([0-9a-fA-F]{2})*$/.test(text) && size(text as Hex) === widthOf(type);
      return isHex
        ? { value: text.toLowerCase(), text: text.toLowerCase() }
        : { fault: `must be ${type} in hexadecimal` };
    }
  }
}

const fieldValue = (type: string, text: string | undefined): unknown => {
  if (text === undefined) return zeroes[familyOf(type)]?.(widthOf(type));
  const parsed = parseValue(type, text);
  if ('fault' in parsed) throw new Error(`A stored value ${parsed.fault}.`);
  return parsed.value;
};

const pack = (
  fields: readonly { name: string; solidity_type: string }[],
  params: Readonly<Record<string, string>>,
): Hex =>
  encodePacked(
    fields.map(({ solidity_type }) => solidity_type),
    fields.map(({ name, solidity_type }) => fieldValue(solidity_type, params[name])),
  );

/** Calldata to ask the hook with: fields that no parameter pins are zero. Amounts are never part of a leaf. */
export const calldataOf = (hook: HookLayout, params: Readonly<Record<string, string>>): Hex =>
  pack(hook.calldata, params);

/** What the hook must answer: were it anything else, the leaf would pin other things than the row says. */
export const pinnedOf = (hook: HookLayout, params: Readonly<Record<string, string>>): Hex =>
  pack(
    [...hook.inspect_params].sort((a, b) => a.param_order - b.param_order),
    params,
  );
