import { X } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import type { Vault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { Notice } from '../design/states.tsx';
import { sameAddress } from '../format/address.ts';
import type { Hook, HookRow } from './types.ts';

type Draft = HookRow & { id: number };
export type RowFault = { path: string; message: string };
type Props = {
  vault: Vault;
  hooks: readonly Hook[];
  /** Rows to begin with. */
  from: readonly HookRow[];
  faults: readonly RowFault[];
  isSaving: boolean;
  /** What was wrong is judged anew. */
  onEdit: () => void;
  onCancel: () => void;
  onSave: (rows: HookRow[], note: string) => void;
};

const words = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('_', ' ');

/** What the vault itself offers for a parameter. */
function suggestionsOf(vault: Vault, { name, ref_type }: Hook['inspect_params'][number]): string[] {
  const sources = vault.allocation.filter(({ kind }) => kind === 'source');
  if (ref_type === 'yield_source') return sources.map(({ source_address }) => source_address);
  if (ref_type === 'oracle') return [...new Set(sources.flatMap(({ oracle_address }) => oracle_address ?? []))];
  if (ref_type === 'token') return [vault.asset.address];
  return name === 'owner' ? [vault.strategy_address] : [];
}

/** Whose address it is, where the vault knows it. */
export function knownAs(vault: Vault, address: string): string | undefined {
  if (sameAddress(address, vault.asset.address)) return vault.asset.symbol;
  if (sameAddress(address, vault.strategy_address)) return 'The strategy of this vault';
  const source = vault.allocation.find(
    ({ kind, ...at }) => kind === 'source' && sameAddress(at.source_address, address),
  );
  if (source !== undefined) return source.name;
  return vault.allocation.some(({ oracle_address }) => sameAddress(oracle_address, address))
    ? 'An oracle of this vault'
    : undefined;
}

/** Where there is one answer it stands there already. */
const startOf = (vault: Vault, hook: Hook): Record<string, string> =>
  Object.fromEntries(
    hook.inspect_params.map((param) => {
      const offered = suggestionsOf(vault, param);
      return [param.name, offered.length === 1 ? String(offered[0]) : ''];
    }),
  );

const faultOf = (faults: readonly RowFault[], row: number, field: string): string | undefined =>
  faults.find(({ path }) => path === `body.rows.${row}.${field}`)?.message;

/** Rows of a new version: each a hook with a value for each of its parameters. */
export function RowsForm({ vault, hooks, from, faults, isSaving, onEdit, onCancel, onSave }: Props) {
  const nextId = useRef(from.length);
  const [begun] = useState<Draft[]>(() => from.map((row, id) => ({ ...row, id })));
  const [rows, setRows] = useState(begun);
  const [note, setNote] = useState('');
  const [first] = hooks;
  const add = () => {
    if (first === undefined) return;
    const id = nextId.current;
    nextId.current += 1;
    change((before) => [...before, { id, hook_id: first.id, params: startOf(vault, first) }]);
  };
  const change = (next: (before: Draft[]) => Draft[]) => {
    onEdit();
    setRows(next);
  };
  const put = (id: number, part: Partial<HookRow>) =>
    change((before) => before.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(
      rows.map(({ hook_id, params }) => ({ hook_id, params })),
      note,
    );
  };
  if (first === undefined)
    return (
      <Notice tone="info" title="The registry has no hook for this chain">
        A maintainer of the registry has to add one first.
      </Notice>
    );
  return (
    <form onSubmit={submit} aria-label="New hook configuration" className="flex flex-col gap-4">
      <LeaveGuard isDirty={!isSaving && (rows !== begun || note !== '')} what="this configuration" />
      <ul className="flex flex-col divide-y">
        {rows.map((row, index) => (
          <li key={row.id} className="py-3 first:pt-0">
            <RowFields
              row={row}
              number={index}
              vault={vault}
              hooks={hooks}
              faults={faults}
              onChange={(part) => put(row.id, part)}
              onRemove={() => change((before) => before.filter(({ id }) => id !== row.id))}
            />
          </li>
        ))}
      </ul>
      <Field label="Note" value={note} onChange={setNote} maxLength={280} hint="What this version is for." />
      <span className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isDisabled={rows.length === 0 || isSaving}>
          Make the version
        </Button>
        <Button onPress={add}>Another row</Button>
        <Button look="quiet" className="sm:ml-auto" onPress={onCancel}>
          Discard
        </Button>
      </span>
    </form>
  );
}

type RowProps = {
  row: Draft;
  number: number;
  vault: Vault;
  hooks: readonly Hook[];
  faults: readonly RowFault[];
  onChange: (part: Partial<HookRow>) => void;
  onRemove: () => void;
};

function RowFields({ row, number, vault, hooks, faults, onChange, onRemove }: RowProps) {
  const hook = hooks.find(({ id }) => id === row.hook_id);
  const options = [
    ...(hook === undefined ? [{ value: row.hook_id, label: 'A hook that is no longer offered' }] : []),
    ...hooks.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const choose = (hook_id: string) => {
    const chosen = hooks.find(({ id }) => id === hook_id);
    if (chosen) onChange({ hook_id, params: startOf(vault, chosen) });
  };
  const refused = faultOf(faults, number, 'hook_id');
  return (
    <div className="relative flex flex-wrap items-start gap-3">
      <div className="flex flex-1 basis-56 flex-col gap-1">
        <Choice label={`Hook ${number + 1}`} value={row.hook_id} options={options} onChange={choose} />
        {refused === undefined ? null : <p role="alert" className="text-12 text-danger">{`It ${refused}.`}</p>}
      </div>
      {(hook?.inspect_params ?? []).map((param) => (
        <Field
          key={param.name}
          label={`${words(param.name)} ${number + 1}`}
          value={row.params[param.name] ?? ''}
          onChange={(value) => onChange({ params: { ...row.params, [param.name]: value } })}
          error={faultOf(faults, number, `params.${param.name}`)}
          suggestions={suggestionsOf(vault, param)}
          hint={knownAs(vault, row.params[param.name] ?? '')}
          mono
          placeholder={param.solidity_type}
          autoComplete="off"
          className="flex-1 basis-72"
        />
      ))}
      <Button
        look="quiet"
        aria-label={`Remove row ${number + 1}`}
        onPress={onRemove}
        className="max-sm:absolute max-sm:-top-2 max-sm:right-0 max-sm:min-h-7! sm:mt-6"
      >
        <X size={16} aria-hidden="true" />
      </Button>
    </div>
  );
}
