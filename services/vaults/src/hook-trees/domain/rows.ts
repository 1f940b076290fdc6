import type { FieldError, HookRow, RegistryHook } from '@castellan/contracts';
import type { Address, Hex } from 'viem';
import type { z } from 'zod';
import { calldataOf, parseValue, pinnedOf } from './calldata.ts';

/** A row as it is kept: all that a tree is made of, so that a later change of the registry changes no version. */
export type KeptRow = {
  hook_id: string;
  hook_name: string;
  hook_type: RegistryHook['hook_type'];
  hook_address: Address;
  params: Record<string, string>;
  calldata: Hex;
  /** What the hook must answer to `calldata`. */
  pinned: Hex;
};

/** What the vault has, which parameters may refer to; lower case. */
export type References = { sources: ReadonlySet<string>; oracles: ReadonlySet<string> };

/** Rows, or what is wrong with them: malformed values, and values that are well formed but cannot be used. */
export type Resolved = { rows: KeptRow[]; malformed: FieldError[]; refused: FieldError[] };

type Row = z.output<typeof HookRow>;
type Faults = Pick<Resolved, 'malformed' | 'refused'>;

const referred = {
  yield_source: ({ sources }: References) => ({ known: sources, what: 'a yield source on the list of the vault' }),
  oracle: ({ oracles }: References) => ({ known: oracles, what: "an oracle of the vault's yield sources" }),
} as const;

function paramsOf(row: Row, hook: RegistryHook, path: string, references: References, faults: Faults) {
  const params: Record<string, string> = {};
  const names = new Set(hook.inspect_params.map(({ name }) => name));
  for (const name of Object.keys(row.params))
    if (!names.has(name))
      faults.malformed.push({ path: `${path}.params.${name}`, message: `is not a parameter of ${hook.name}` });
  for (const { name, solidity_type, ref_type } of hook.inspect_params) {
    const at = `${path}.params.${name}`;
    const text = row.params[name];
    const parsed = text === undefined ? { fault: 'is missing' } : parseValue(solidity_type, text);
    if ('fault' in parsed) {
      faults.malformed.push({ path: at, message: parsed.fault });
      continue;
    }
    params[name] = parsed.text;
    if (ref_type !== 'yield_source' && ref_type !== 'oracle') continue;
    const { known, what } = referred[ref_type](references);
    if (!known.has(parsed.text.toLowerCase())) faults.refused.push({ path: at, message: `is not ${what}` });
  }
  return params;
}

/**
 * Reads the rows of a new version against the registry and the vault.
 * @param rows - As they were sent; a fault names its row by its place in them, from 0.
 */
export function resolveRows(
  rows: readonly Row[],
  { chainId, hooks, references }: { chainId: number; hooks: ReadonlyMap<string, RegistryHook>; references: References },
): Resolved {
  const faults: Faults = { malformed: [], refused: [] };
  const kept: KeptRow[] = [];
  for (const [index, row] of rows.entries()) {
    const path = `body.rows.${index}`;
    const hook = hooks.get(row.hook_id);
    const address = hook?.addresses.find(({ chain_id }) => chain_id === chainId)?.address as Address | undefined;
    if (!hook?.is_active || address === undefined) {
      const message = hook === undefined ? 'is no hook of the registry' : 'is no active hook on this chain';
      faults.refused.push({ path: `${path}.hook_id`, message });
      continue;
    }
    const before = faults.malformed.length;
    const params = paramsOf(row, hook, path, references, faults);
    if (faults.malformed.length > before) continue;
    const { id: hook_id, name: hook_name, hook_type } = hook;
    const bytes = { calldata: calldataOf(hook, params), pinned: pinnedOf(hook, params) };
    kept.push({ hook_id, hook_name, hook_type, hook_address: address, params, ...bytes });
  }
  return { rows: kept, ...faults };
}
