import { feedSeverities, PostBody, PostTitle } from '@castellan/contracts';
import { type FormEvent, useId, useState } from 'react';
import type { Vault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { askBefore } from '../design/leaving.ts';
import { Failure, Notice } from '../design/states.tsx';
import { type Item, severityWords } from './feed-labels.ts';
import { type Draft, useSavePost } from './use-post.ts';

type Props = { item?: Item; vault: Vault; onClose: () => void };
type Faults = { title?: string; body?: string };

const severities = feedSeverities.map((value) => ({ value, label: severityWords[value].word }));

/** A post as it will be sent, or what is wrong with it. */
function readDraft({ title, body, severity }: Draft): { draft: Draft } | { faults: Faults } {
  const asTitle = PostTitle.safeParse(title);
  const asBody = PostBody.safeParse(body);
  if (asTitle.success && asBody.success) return { draft: { title: asTitle.data, body: asBody.data, severity } };
  return {
    faults: {
      ...(asTitle.success ? {} : { title: `The title ${asTitle.error.issues[0]?.message ?? 'is not valid'}.` }),
      ...(asBody.success ? {} : { body: `The text ${asBody.error.issues[0]?.message ?? 'is not valid'}.` }),
    },
  };
}

/** Writes a post, or edits one. */
export function PostDialog({ item, vault, onClose }: Props) {
  const [begun] = useState<Draft>({
    title: item?.title ?? '',
    body: item?.body ?? '',
    severity: item?.severity ?? 'info',
  });
  const [typed, setTyped] = useState(begun);
  const [faults, setFaults] = useState<Faults>({});
  const { save, conflict } = useSavePost(vault, item, onClose);
  const set = (change: Partial<Draft>) => setTyped({ ...typed, ...change });
  const submit = (version: number | undefined) => {
    const read = readDraft(typed);
    setFaults('faults' in read ? read.faults : {});
    if ('draft' in read) save.mutate({ draft: read.draft, version });
  };
  const isTyped = typed.title !== begun.title || typed.body !== begun.body || typed.severity !== begun.severity;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit(item?.version);
  };
  return (
    <Dialog
      title={item === undefined ? 'Write a post' : 'Edit the post'}
      isOpen
      onClose={() => askBefore(onClose)}
      // A press beside the dialog must not take what was typed.
      isDismissable={false}
    >
      <LeaveGuard isDirty={isTyped} what="the post" />
      <form onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <Field
          label="Title"
          value={typed.title}
          onChange={(title) => set({ title })}
          error={faults.title}
          hint="One line, 140 characters at most."
          autoComplete="off"
          autoFocus
        />
        <BodyField value={typed.body} onChange={(body) => set({ body })} error={faults.body} />
        <Choice
          label="Severity"
          value={typed.severity}
          options={severities}
          onChange={(severity) => set({ severity })}
          className="w-full sm:w-40"
        />
        {save.isError && conflict === undefined ? <Failure error={save.error} title="The post was not saved" /> : null}
        {conflict === undefined ? (
          <span className="flex flex-wrap justify-end gap-2">
            <Button onPress={() => askBefore(onClose)}>Cancel</Button>
            <Button type="submit" look="primary" isDisabled={save.isPending}>
              {save.isPending ? 'Saving' : item === undefined ? 'Publish' : 'Save'}
            </Button>
          </span>
        ) : (
          <ConflictNotice
            conflict={conflict}
            isSaving={save.isPending}
            onSave={() => submit(conflict.version)}
            onKeep={onClose}
          />
        )}
      </form>
    </Dialog>
  );
}

type BodyProps = { value: string; onChange: (value: string) => void; error: string | undefined };

function BodyField({ value, onChange, error }: BodyProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-13 font-medium">
        Text
      </label>
      <textarea
        id={id}
        value={value}
        rows={8}
        onChange={({ target }) => onChange(target.value)}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-hint`}
        className="w-full resize-y rounded-control border border-line-strong bg-raised px-3 py-2 text-14 aria-invalid:border-danger"
      />
      <p id={`${id}-hint`} className={error === undefined ? 'text-12 text-muted' : 'text-12 text-danger'}>
        {error ?? 'Plain text; line breaks stay. 4,000 characters at most. It is public where the vault is.'}
      </p>
    </div>
  );
}

type ConflictProps = { conflict: Item; isSaving: boolean; onSave: () => void; onKeep: () => void };

/** Somebody was faster: both texts are seen, and nothing is overwritten without saying so. */
function ConflictNotice({ conflict: { title, body }, isSaving, onSave, onKeep }: ConflictProps) {
  return (
    <Notice tone="warn" title="Someone else changed the post meanwhile">
      <p>What you typed is still here and was not saved. The post is now:</p>
      <blockquote className="mt-2 max-h-40 overflow-y-auto border-l-2 pl-3 text-text">
        <p dir="auto" className="font-medium break-words">
          {title}
        </p>
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {body}
        </p>
      </blockquote>
      <span className="flex flex-wrap justify-end gap-2 pt-3">
        <Button isDisabled={isSaving} onPress={onKeep}>
          Keep theirs
        </Button>
        <Button look="primary" isDisabled={isSaving} onPress={onSave}>
          {isSaving ? 'Saving' : 'Save mine anyway'}
        </Button>
      </span>
    </Notice>
  );
}
