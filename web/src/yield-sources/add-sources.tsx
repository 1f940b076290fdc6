import { X } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import {
  type Draft,
  type DraftFault,
  emptyDraft,
  isBlank,
  knownOf,
  MAX_PAIRS,
  type Pair,
  readDrafts,
} from './pairs.ts';
import { PasteSources } from './paste-sources.tsx';
import type { Listing } from './types.ts';

type Row = Draft & { id: number };
type Props = { listing: Listing; onAdd: (pairs: Pair[]) => void };

/** Pairs of source and oracle, typed row by row or pasted; all of them go into one transaction. */
export function AddSources({ listing, onAdd }: Props) {
  const nextId = useRef(1);
  const [rows, setRows] = useState<Row[]>([{ ...emptyDraft, id: 0 }]);
  const [faults, setFaults] = useState<readonly DraftFault[]>([]);
  const known = knownOf(listing.yield_sources);
  const numbered = (draft: Draft): Row => {
    nextId.current += 1;
    return { ...draft, id: nextId.current };
  };
  const change = (next: Row[]) => {
    setFaults([]);
    setRows(next);
  };
  const paste = (pairs: readonly Pair[]) =>
    change([
      ...rows.filter((row) => !isBlank(row)),
      ...pairs.map((pair) => numbered({ source: pair.source_address, oracle: pair.oracle_address })),
    ]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readDrafts(rows, known);
    if ('faults' in read) return setFaults(read.faults);
    setFaults([]);
    onAdd(read.pairs);
  };
  const isTooLong = rows.length > MAX_PAIRS;
  return (
    <section aria-labelledby="add-sources-title" className="flex flex-col gap-4 rounded-card border bg-surface p-4">
      <h3 id="add-sources-title" className="text-14 font-semibold">
        Add sources
      </h3>
      <form onSubmit={submit} aria-label="Add yield sources" className="flex flex-col gap-3">
        {rows.map((row, index) => (
          <DraftRow
            key={row.id}
            row={row}
            number={index + 1}
            fault={faults[index]}
            oracles={listing.oracles}
            onChange={(draft) => change(rows.map((each) => (each.id === row.id ? { ...each, ...draft } : each)))}
            onRemove={rows.length === 1 ? undefined : () => change(rows.filter(({ id }) => id !== row.id))}
          />
        ))}
        {isTooLong ? (
          <p role="alert" className="text-13 text-danger">{`One call takes ${MAX_PAIRS} sources.`}</p>
        ) : null}
        <span className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" isDisabled={isTooLong}>
            Prepare to add
          </Button>
          <Button isDisabled={rows.length >= MAX_PAIRS} onPress={() => setRows([...rows, numbered(emptyDraft)])}>
            Another row
          </Button>
        </span>
      </form>
      <PasteSources known={known} onRead={paste} />
    </section>
  );
}

type RowProps = {
  row: Row;
  number: number;
  fault: DraftFault | undefined;
  oracles: Listing['oracles'];
  onChange: (draft: Partial<Draft>) => void;
  onRemove: (() => void) | undefined;
};

function DraftRow({ row, number, fault, oracles, onChange, onRemove }: RowProps) {
  const common = { mono: true, placeholder: '0x', autoComplete: 'off', className: 'flex-1 basis-72' } as const;
  return (
    <div className="flex flex-wrap items-start gap-3">
      <Field
        {...common}
        label={`Source ${number}`}
        value={row.source}
        onChange={(source) => onChange({ source })}
        error={fault?.source}
      />
      <Field
        {...common}
        label={`Oracle ${number}`}
        value={row.oracle}
        onChange={(oracle) => onChange({ oracle })}
        error={fault?.oracle}
        suggestions={oracles.map(({ oracle_address }) => oracle_address)}
      />
      {onRemove === undefined ? null : (
        <Button look="quiet" aria-label={`Take row ${number} out`} onPress={onRemove} className="sm:mt-6">
          <X size={16} aria-hidden="true" />
        </Button>
      )}
    </div>
  );
}
