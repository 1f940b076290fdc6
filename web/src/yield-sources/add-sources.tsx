import { type FormEvent, useRef, useState } from 'react';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { Catalogue } from './catalogue.tsx';
import { DraftRow } from './draft-row.tsx';
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
type Props = { shown: Shown; listing: Listing; onAdd: (pairs: Pair[]) => void };

const tooMany = `One call takes ${MAX_PAIRS} sources.`;

/** The rows of the form, and what was wrong with them when they were last read. */
function useDrafts() {
  const nextId = useRef(1);
  const [rows, setRows] = useState<Row[]>([{ ...emptyDraft, id: 0 }]);
  const [faults, setFaults] = useState<readonly DraftFault[]>([]);
  const numbered = (draft: Draft): Row => {
    nextId.current += 1;
    return { ...draft, id: nextId.current };
  };
  const change = (next: (before: Row[]) => Row[]) => {
    setFaults([]);
    setRows(next);
  };
  return {
    rows,
    faults,
    setFaults,
    put: (id: number, draft: Partial<Draft>) =>
      change((before) => before.map((row) => (row.id === id ? { ...row, ...draft } : row))),
    remove: (id: number) => change((before) => before.filter((row) => row.id !== id)),
    /** Further rows, in the place of those in which nothing stands. */
    take: (drafts: readonly Draft[]) => {
      const more = drafts.map(numbered);
      change((before) => [...before.filter((row) => !isBlank(row)), ...more]);
    },
    addBlank: () => {
      const blank = numbered(emptyDraft);
      setRows((before) => [...before, blank]);
    },
  };
}

/** Pairs of source and oracle, typed row by row, pasted or from the catalogue; all of them go into one transaction. */
export function AddSources({ shown, listing, onAdd }: Props) {
  const { rows, faults, setFaults, put, remove, take, addBlank } = useDrafts();
  const known = knownOf(listing.yield_sources);
  const ownOracles = new Set(listing.yield_sources.map(({ oracle_address }) => oracle_address.toLowerCase()));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readDrafts(rows, known);
    if ('faults' in read) return setFaults(read.faults);
    setFaults([]);
    onAdd(read.pairs);
  };
  return (
    <section aria-labelledby="add-sources-title" className="flex flex-col gap-4 rounded-card border bg-surface p-4">
      <LeaveGuard isDirty={rows.some((row) => !isBlank(row))} what="the sources to add" />
      <h3 id="add-sources-title" className="text-14 font-semibold">
        Add sources
      </h3>
      <Catalogue shown={shown} known={known} drafts={rows} onAdd={(source) => take([{ source, oracle: '' }])} />
      <form onSubmit={submit} aria-label="Add yield sources" className="flex flex-col gap-3">
        {rows.map((row, index) => (
          <DraftRow
            key={row.id}
            shown={shown}
            known={known}
            row={row}
            number={index + 1}
            fault={faults[index]}
            oracles={listing.oracles}
            ownOracles={ownOracles}
            onChange={(draft) => put(row.id, draft)}
            onRemove={rows.length === 1 ? undefined : () => remove(row.id)}
          />
        ))}
        <span className="flex flex-wrap gap-2">
          <ReasonedButton type="submit" look="primary" reason={rows.length > MAX_PAIRS ? tooMany : null}>
            Prepare to add
          </ReasonedButton>
          <ReasonedButton reason={rows.length >= MAX_PAIRS ? tooMany : null} onPress={addBlank}>
            Another row
          </ReasonedButton>
        </span>
      </form>
      <PasteSources
        known={known}
        onRead={(pairs) => take(pairs.map((pair) => ({ source: pair.source_address, oracle: pair.oracle_address })))}
      />
    </section>
  );
}
