import { useRef, useState } from 'react';
import type { Vault } from '../data/queries.ts';
import type { Allowed } from './tree-change.ts';
import type { Hook, HookRow } from './types.ts';

export type DraftRow = HookRow & { id: number };

/** The rows of a version that is being made. `onEdit` is called with each change. */
export function useRows(from: readonly HookRow[], onEdit: () => void) {
  const nextId = useRef(from.length);
  const [begun] = useState<DraftRow[]>(() => from.map((row, id) => ({ ...row, id })));
  const [rows, setRows] = useState(begun);
  const change = (next: (before: DraftRow[]) => DraftRow[]) => {
    onEdit();
    setRows(next);
  };
  return {
    rows,
    isChanged: rows !== begun,
    add: (more: readonly HookRow[]) => {
      const numbered = more.map((row, index) => ({ ...row, id: nextId.current + index }));
      nextId.current += more.length;
      change((before) => [...before, ...numbered]);
    },
    put: (id: number, part: Partial<HookRow>) =>
      change((before) => before.map((row) => (row.id === id ? { ...row, ...part } : row))),
    remove: (id: number) => change((before) => before.filter((row) => row.id !== id)),
  };
}

/** What rows allow; rows without a hook on this chain, or without a value for each parameter, are not complete. */
export function allowedBy(
  rows: readonly HookRow[],
  hooks: readonly Hook[],
  { chain_id }: Pick<Vault, 'chain_id'>,
): { allowed: Allowed[]; incomplete: number } {
  const allowed = rows.flatMap(({ hook_id, params }) => {
    const hook = hooks.find(({ id }) => id === hook_id);
    const address = hook?.addresses.find((each) => each.chain_id === chain_id)?.address;
    if (hook === undefined || address === undefined) return [];
    const isComplete = hook.inspect_params.every(({ name }) => (params[name] ?? '').trim() !== '');
    return isComplete ? [{ hook_address: address, hook_name: hook.name, params }] : [];
  });
  return { allowed, incomplete: rows.length - allowed.length };
}
