import type { Vault } from '../data/queries.ts';
import { keyOfAllowed } from './tree-change.ts';
import type { Hook, HookRow } from './types.ts';

/** A source of the vault's list, as rows are made of it. */
export type RowSource = { source_address: string; oracle_address: string; name: string; source_type: string };
export type Move = 'DEPOSIT' | 'WITHDRAWAL';
type RowVault = Pick<Vault, 'asset' | 'strategy_address' | 'chain_id'>;

/** What the vault answers for a parameter of a hook that acts on a source; undefined where it does not say. */
function answerOf(
  vault: RowVault,
  source: RowSource,
  { name, ref_type, solidity_type }: Hook['inspect_params'][number],
): string | undefined {
  if (solidity_type !== 'address') return undefined;
  if (ref_type === 'yield_source') return source.source_address;
  if (ref_type === 'oracle') return source.oracle_address;
  if (ref_type === 'token') return vault.asset.address;
  return name === 'owner' ? vault.strategy_address : undefined;
}

/** The row by which a hook acts on a source; undefined where a parameter of it is not known. */
export function rowFor(vault: RowVault, hook: Hook, source: RowSource): HookRow | undefined {
  const params: Record<string, string> = {};
  for (const param of hook.inspect_params) {
    const value = answerOf(vault, source, param);
    if (value === undefined) return undefined;
    params[param.name] = value;
  }
  return { hook_id: hook.id, params };
}

const actsOnSource = ({ inspect_params }: Hook): boolean =>
  inspect_params.some(({ ref_type }) => ref_type === 'yield_source');

type Made = { vault: RowVault; hooks: readonly Hook[]; rows: readonly HookRow[] };

/** The rows by which a move of a source can be made: by each hook that fits, those that other rows use first. */
function rowsOfMove({ vault, hooks, rows }: Made, move: Move, source: RowSource): HookRow[] {
  const isUsed = ({ id }: Hook) => rows.some(({ hook_id }) => hook_id === id);
  const fitting = hooks.filter((hook) => hook.hook_type === move && actsOnSource(hook));
  const inOrder = [...fitting.filter(isUsed), ...fitting.filter((hook) => !isUsed(hook))];
  return inOrder.flatMap((hook) => rowFor(vault, hook, source) ?? []);
}

const keyOf = ({ hook_id, params }: HookRow): string => keyOfAllowed({ hook_address: hook_id, params });

/** Whether rows have this one, however its addresses are written. */
export const hasRow = (rows: readonly HookRow[], row: HookRow): boolean =>
  rows.some((each) => keyOf(each) === keyOf(row));

/** The row of a move for a source that is there already, whichever hook makes it, or that is to be added; undefined where no hook fits. */
export function rowOfMove(
  of: Made,
  move: Move,
  source: RowSource,
): { readonly row: HookRow; readonly isThere: boolean } | undefined {
  const possible = rowsOfMove(of, move, source);
  const there = possible.find((row) => hasRow(of.rows, row));
  const row = there ?? possible[0];
  return row && { row, isThere: there !== undefined };
}

type Filling = Made & { sources: readonly RowSource[] };

/**
 * The rows that are missing so that each source has its deposit and its redeem. Sources that do not answer as ERC-4626, for which the
 * hooks are not made, are left out.
 * @returns the rows, or why there is nothing to fill.
 */
export function missingRows({ sources, ...of }: Filling): { rows: HookRow[] } | { reason: string } {
  if (sources.length === 0) return { reason: 'The vault has no yield source yet.' };
  const usable = sources.filter(({ source_type }) => source_type === 'erc4626');
  if (usable.length === 0) return { reason: 'No source of the vault answers as an ERC-4626 vault.' };
  const wanted = usable.flatMap((source) =>
    (['DEPOSIT', 'WITHDRAWAL'] as const).flatMap((move) => rowOfMove(of, move, source) ?? []),
  );
  if (wanted.length === 0)
    return { reason: 'The registry has no hook for deposits or redeems whose parameters the vault answers.' };
  const missing = wanted.flatMap(({ row, isThere }) => (isThere ? [] : [row]));
  return missing.length === 0 ? { reason: 'Each of them has its deposit and its redeem here.' } : { rows: missing };
}
