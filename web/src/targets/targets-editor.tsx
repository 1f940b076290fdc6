import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Field } from '../design/field.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { aimsOf, type Targets } from './aims.ts';
import { draftOf, type Faults, percentText, readDraft, type TargetsDraft, type Typed } from './draft.ts';
import { TargetsEffect } from './targets-effect.tsx';
import { TargetsRefused } from './targets-refused.tsx';
import { useSetTargets, useTargets } from './use-targets.ts';

type Props = { shown: Shown; targets: Targets; onClose: () => void };

/** What is typed over the targets that were read, and how it is set. */
function useTargetsDraft(vault: Shown['vault'], begun: Targets, onSaved: () => void) {
  const [targets, setTargets] = useState(begun);
  const [draft, change] = useState(() => draftOf(begun));
  const [isTried, setTried] = useState(false);
  const now = useTargets(vault).data ?? targets;
  const save = useSetTargets(vault, onSaved);
  const submit = (typed = draft, over = targets) => {
    setTried(true);
    const { isSound, body } = readDraft(typed, over);
    if (isSound) save.mutate({ version: over.version, sources: body });
    else save.reset();
  };
  const goOnFrom = (typed: TargetsDraft) => {
    setTargets(now);
    change(typed);
  };
  return {
    targets,
    draft,
    change,
    isTried,
    now,
    save,
    submit,
    /** A source that is new since has what they set for it. */
    setOver: () => {
      const typed = { ...draftOf(now), ...draft };
      goOnFrom(typed);
      submit(typed, now);
    },
    takeTheirs: () => {
      goOnFrom(draftOf(now));
      save.reset();
    },
  };
}

/** All targets and caps at once, with what they would move before they are kept. */
export function TargetsEditor({ shown, targets: begun, onClose }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that led here is gone.
  useEffect(() => heading.current?.focus(), []);
  const writing = useTargetsDraft(shown.vault, begun, onClose);
  const { targets, draft, save } = writing;
  const { body, faults, left, whole, isSound } = readDraft(draft, targets);
  const after = targets.sources.map((source, index) => ({ ...source, ...body[index] }));
  const isDirty = JSON.stringify(draft) !== JSON.stringify(draftOf(targets));
  return (
    <Card className="flex flex-col gap-4">
      <LeaveGuard isDirty={isDirty && !save.isSuccess} what="these targets" />
      <h3 ref={heading} tabIndex={-1} className="text-14 font-semibold outline-none">
        Set targets and caps
      </h3>
      <p className="max-w-prose text-13 text-muted">
        In percent of all assets. Empty: none is set, and what the source holds stays there. Nothing moves by saving:
        strategies may follow the targets, and only a promise of the mandate refuses what is beyond a cap.
      </p>
      <SourceFields
        targets={targets}
        draft={draft}
        faults={writing.isTried || isDirty ? faults : {}}
        onChange={writing.change}
      />
      <p role="status" className={whole === undefined ? 'text-13 text-muted' : 'text-13 text-danger'}>
        {whole ?? left}
      </p>
      {isSound ? <TargetsEffect vault={shown.vault} aims={aimsOf(shown.vault, after)} /> : null}
      {save.isError ? (
        <TargetsRefused
          error={save.error}
          before={targets}
          now={writing.now}
          onOver={writing.setOver}
          onTheirs={writing.takeTheirs}
        />
      ) : null}
      <span className="flex flex-wrap gap-2">
        <Button look="primary" isDisabled={save.isPending} onPress={() => writing.submit()}>
          Set targets and caps
        </Button>
        <Button isDisabled={save.isPending} onPress={onClose}>
          Leave them as they are
        </Button>
      </span>
    </Card>
  );
}

type FieldsProps = { targets: Targets; draft: TargetsDraft; faults: Faults; onChange: (draft: TargetsDraft) => void };

function SourceFields({ targets: { sources }, draft, faults, onChange }: FieldsProps) {
  return (
    <ul aria-label="Sources" className="flex flex-col gap-3">
      {sources.map((source) => (
        <SourceField
          key={source.source_address}
          source={source}
          typed={draft[source.source_address] ?? { target: '', cap: '' }}
          fault={faults[source.source_address]}
          onChange={(typed) => onChange({ ...draft, [source.source_address]: typed })}
        />
      ))}
    </ul>
  );
}

type FieldProps = {
  source: Targets['sources'][number];
  typed: Typed;
  fault: Faults[string] | undefined;
  onChange: (typed: Typed) => void;
};

function SourceField({ source: { name, mandate_cap_bps: promised }, typed, fault, onChange }: FieldProps) {
  const id = useId();
  return (
    <li className="grid grid-cols-2 items-start gap-x-3 gap-y-1 sm:grid-cols-[minmax(0,16rem)_9rem_9rem]">
      <span id={id} className="col-span-2 min-w-0 break-words text-13 font-medium sm:col-span-1 sm:pt-7">
        {name}
      </span>
      <Field
        label="Target, %"
        aria-labelledby={id}
        inputMode="decimal"
        value={typed.target}
        onChange={(target) => onChange({ ...typed, target })}
        error={fault?.target}
      />
      <Field
        label="Cap, %"
        aria-labelledby={id}
        inputMode="decimal"
        value={typed.cap}
        onChange={(cap) => onChange({ ...typed, cap })}
        error={fault?.cap}
        hint={promised === null ? undefined : `Mandate: ${percentText(promised)} at most`}
      />
    </li>
  );
}
