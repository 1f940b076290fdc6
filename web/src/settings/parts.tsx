import { type FormEvent, type ReactNode, useId } from 'react';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { formatDuration, formatUtc } from '../format/time.ts';
import { Term } from '../glossary/term.tsx';
import { useRemaining } from '../live/chain-clock.ts';

/** A section of the page, reached by its anchor. */
export function Section({
  id,
  title,
  text,
  children,
}: {
  id: string;
  title: string;
  text: string;
  children: ReactNode;
}) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="flex scroll-mt-40 flex-col gap-3">
      <div>
        <h3 id={`${id}-title`} tabIndex={-1} className="text-16 font-semibold outline-none">
          {title}
        </h3>
        <p className="text-13 text-muted">{text}</p>
      </div>
      <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">{children}</div>
    </section>
  );
}

export function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card className="flex flex-col gap-3">
      <h4 className="text-14 font-semibold">{title}</h4>
      {children}
    </Card>
  );
}

/** Facts in words and figures, one line each. */
export function Facts({ rows }: { rows: readonly { name: string; value: ReactNode; title?: string }[] }) {
  return (
    <dl className="flex flex-col">
      {rows.map(({ name, value, title }) => (
        <div
          key={name}
          className="flex flex-wrap items-baseline justify-between gap-x-4 border-b py-1.5 last:border-b-0"
        >
          <dt className="text-13 text-muted">
            <Term>{name}</Term>
          </dt>
          <dd title={title} className="min-w-0 text-right text-14 font-medium break-words">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type FormProps = {
  /** Its anchor, where something leads to it. */
  anchor?: string;
  label: string;
  submit: string;
  onSubmit: () => void;
  children: ReactNode;
  /** Why nothing can be prepared now. What was typed stays meanwhile. */
  closed?: string | undefined;
  /** For a form that is opened by a button: takes it off the page. */
  onCancel?: (() => void) | undefined;
};

/** A form that prepares a call: nothing is sent before its review is signed. */
export function PrepareForm({ anchor, label, submit, onSubmit, children, closed, onCancel }: FormProps) {
  const id = useId();
  return (
    <form
      id={anchor}
      aria-label={label}
      aria-describedby={id}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (closed === undefined) onSubmit();
      }}
      className="flex flex-col gap-3 border-t pt-3"
    >
      {children}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="primary" isDisabled={closed !== undefined}>
          {submit}
        </Button>
        {onCancel === undefined ? null : (
          <Button look="quiet" onPress={onCancel}>
            Cancel
          </Button>
        )}
        <span id={id} className="text-12 text-muted">
          {closed ?? 'You review the call before your wallet signs it.'}
        </span>
      </div>
    </form>
  );
}

type PendingProps = {
  what: string;
  effectiveAt: string;
  canExecute: boolean;
  chainTime: string;
  /** Absent for who may not. */
  onExecute?: (() => void) | undefined;
  onCancel?: (() => void) | undefined;
};

/** A proposed change that waits: what it brings, when it may be executed, and the buttons for who may. */
export function Pending({ what, effectiveAt, canExecute, chainTime, onExecute, onCancel }: PendingProps) {
  const left = useRemaining(Math.max(0, (Date.parse(effectiveAt) - Date.parse(chainTime)) / 1_000), chainTime);
  return (
    <div className="flex flex-col gap-2 rounded-control border border-brass p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Pill tone={canExecute ? 'info' : 'warn'}>{canExecute ? 'Can be executed' : 'Waiting'}</Pill>
        <span className="text-12 text-muted" title={formatUtc(effectiveAt)}>
          {canExecute || left === 0
            ? `Since ${formatUtc(effectiveAt)}`
            : `In ${formatDuration(left)}, ${formatUtc(effectiveAt)}`}
        </span>
      </div>
      <p className="text-13 break-words">{what}</p>
      {onExecute === undefined && onCancel === undefined ? null : (
        <div className="flex flex-wrap gap-2">
          {onExecute === undefined ? null : (
            <Button look="primary" isDisabled={!canExecute} onPress={onExecute}>
              Execute
            </Button>
          )}
          {onCancel === undefined ? null : <Button onPress={onCancel}>Cancel the proposal</Button>}
        </div>
      )}
    </div>
  );
}
