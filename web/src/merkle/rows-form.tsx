import { X } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import type { Vault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { Notice } from '../design/states.tsx';
import { formatCounted } from '../format/figures.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { ChangeCard } from './change-card.tsx';
import { knownAs } from './known-as.ts';
import { RewardRows } from './reward-rows.tsx';
import { SourceRows } from './source-rows.tsx';
import type { Hook, HookRow } from './types.ts';
import { allowedBy, type DraftRow, useRows } from './use-rows.ts';

export type RowFault = { path: string; message: string };
type Props = {
  shown: Shown;
  hooks: readonly Hook[];
  /** Rows to begin with. */
  from: readonly HookRow[];
  faults: readonly RowFault[];
  isSaving: boolean;
  /** Another version was made meanwhile, and it is not decided yet what becomes of these rows. */
  isOutdated: boolean;
  /** What was wrong is judged anew. */
  onEdit: () => void;
  onCancel: () => void;
  /** `goesOn`: it is also activated, and its tree generated. */
  onSave: (rows: HookRow[], note: string, goesOn: boolean) => void;
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
export function RowsForm({ shown, hooks, from, faults, isSaving, isOutdated, onEdit, onCancel, onSave }: Props) {
  const { vault } = shown;
  const { rows, isChanged, add, put, remove } = useRows(from, onEdit);
  const [note, setNote] = useState('');
  const [first] = hooks;
  const save = (goesOn: boolean) =>
    onSave(
      rows.map(({ hook_id, params }) => ({ hook_id, params })),
      note,
      goesOn,
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(false);
  };
  const reason = whyNotMade(rows, isSaving, isOutdated);
  const reasonId = useId();
  // One reason for both buttons.
  const withReason = reason === null ? {} : { isDisabled: true, 'aria-describedby': reasonId };
  if (first === undefined)
    return (
      <Notice tone="info" title="The registry has no hook for this chain">
        A maintainer of the registry has to add one first.
      </Notice>
    );
  return (
    <form onSubmit={submit} aria-label="New hook configuration" className="flex flex-col gap-4">
      <LeaveGuard isDirty={!isSaving && (isChanged || note !== '')} what="this configuration" />
      <SourceRows vault={vault} hooks={hooks} rows={rows} onAdd={add} />
      <RewardRows vault={vault} hooks={hooks} rows={rows} onAdd={add} />
      {rows.length === 0 ? null : (
        <>
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
                  onRemove={() => remove(row.id)}
                />
              </li>
            ))}
          </ul>
          <RowsChange shown={shown} hooks={hooks} rows={rows} />
        </>
      )}
      <Field label="Note" value={note} onChange={setNote} maxLength={280} hint="What this version is for." />
      <span className="flex flex-wrap gap-2">
        <Button look="primary" {...withReason} onPress={() => save(true)}>
          Make, activate and generate its tree
        </Button>
        <Button type="submit" {...withReason}>
          Make the version
        </Button>
        {reason === null ? null : (
          <span id={reasonId} className="self-center text-12 text-muted">
            {reason}
          </span>
        )}
        <Button onPress={() => add([{ hook_id: first.id, params: startOf(vault, first) }])}>Another row</Button>
        <Button look="quiet" className="sm:ml-auto" onPress={onCancel}>
          Discard
        </Button>
      </span>
    </form>
  );
}

function whyNotMade(rows: readonly HookRow[], isSaving: boolean, isOutdated: boolean): string | null {
  if (isSaving) return 'The version is being made.';
  if (isOutdated) return 'Decide first what becomes of your rows.';
  return rows.length === 0 ? 'A version takes at least one row.' : null;
}

/** What the tree of these rows would change. */
function RowsChange({ shown, hooks, rows }: { shown: Shown; hooks: readonly Hook[]; rows: readonly HookRow[] }) {
  const { allowed, incomplete } = allowedBy(rows, hooks, shown.vault);
  const note = incomplete === 0 ? undefined : `${formatCounted(incomplete, 'row')} without all values: not counted.`;
  return <ChangeCard what="These rows" shown={shown} after={allowed} note={note} />;
}

type RowProps = {
  row: DraftRow;
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
