import { useState } from 'react';
import { Card } from '../design/card.tsx';
import { ChangedMeanwhile } from '../design/changed-meanwhile.tsx';
import { Failure, Notice } from '../design/states.tsx';
import { formatCounted } from '../format/figures.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { type RowFault, RowsForm } from './rows-form.tsx';
import type { Hook, HookRow } from './types.ts';

/** The version that another one is made on, with its rows; 0 where there is none. */
export type Base = { version: number; rows: HookRow[] };

type Props = {
  shown: Shown;
  hooks: readonly Hook[];
  /** The newest as it is now. */
  newest: Base;
  create: { error: Error | null; isPending: boolean; reset: () => void };
  onCancel: () => void;
  onSave: (rows: HookRow[], note: string, over: number, goesOn: boolean) => void;
};

/** Where the server names the field at fault. */
function faultsOf(error: unknown): RowFault[] {
  const { errors } = (error ?? {}) as { errors?: RowFault[] };
  return Array.isArray(errors) ? errors : [];
}

/** A version that is being made: over the one whose rows it began with, so that nobody else's rows are dropped unseen. */
export function NewVersion({ shown, hooks, newest, create, onCancel, onSave }: Props) {
  const [begun, setBegun] = useState(newest);
  /** How often it was begun anew, with the rows of another. */
  const [round, setRound] = useState(0);
  const faults = faultsOf(create.error);
  const isOutdated = newest.version !== begun.version;
  const decision = {
    isOutdated,
    keepMine: () => setBegun(newest),
    takeTheirs: () => {
      setBegun(newest);
      setRound(round + 1);
    },
  };
  return (
    <Card className="flex flex-col gap-3">
      <h3 className="text-14 font-semibold">New version</h3>
      {create.error === null || isOutdated ? null : faults.length > 0 ? (
        <Notice tone="critical" title="The version was not made">
          What is wrong stands at the rows.
        </Notice>
      ) : (
        <Failure error={create.error} title="The version was not made" />
      )}
      <ChangedMeanwhile of={decision} what="the hook configuration" onDecided={create.reset}>
        {`Version ${newest.version} with ${formatCounted(newest.rows.length, 'row')} is the newest now; yours began with ${begun.version === 0 ? 'none' : `version ${begun.version}`}. On top of theirs, your rows replace all of theirs.`}
      </ChangedMeanwhile>
      <RowsForm
        key={round}
        shown={shown}
        hooks={hooks}
        from={begun.rows}
        faults={faults}
        onEdit={create.reset}
        onCancel={onCancel}
        isSaving={create.isPending}
        isOutdated={isOutdated}
        onSave={(rows, note, goesOn) => onSave(rows, note, begun.version, goesOn)}
      />
    </Card>
  );
}
