import { useId, useState } from 'react';
import { Button } from '../design/button.tsx';
import { formatUtc } from '../format/time.ts';
import { type Limits, type CustomRange as Range, rangeFault, type Span } from './period.ts';

const DAY_MS = 86_400_000;

/** `2026-11-20T14:05` of the browser's field, which is taken as UTC; empty while it is not a whole time. */
const fieldOf = (iso: string): string => iso.slice(0, 16);
const isoOf = (field: string): string => (field === '' ? '' : `${field}:00.000Z`);

/** Where the form begins: the range shown, else the last week of what there is. */
function beginning(span: Span, { created, end }: Limits): { from: string; to: string } {
  if ('from' in span) return { from: fieldOf(span.from), to: fieldOf(span.to ?? end) };
  const from = Math.max(Date.parse(created), Date.parse(end) - 7 * DAY_MS);
  return { from: fieldOf(new Date(from).toISOString()), to: fieldOf(end) };
}

type Props = { id: string; span: Span; limits: Limits; onApply: (range: Range) => void; onClose: () => void };

/** Beginning and end of a range of one's own choice, checked before anything is asked for. */
export function CustomRange({ id, span, limits, onApply, onClose }: Props) {
  const message = useId();
  const [fields, setFields] = useState(() => beginning(span, limits));
  const [isTried, setIsTried] = useState(false);
  const range = { from: isoOf(fields.from), to: isoOf(fields.to) };
  const fault = rangeFault(range, limits);
  const shown = isTried ? fault : undefined;
  const field = (name: 'from' | 'to', label: string) => (
    <label className="flex min-w-0 flex-1 basis-52 flex-col gap-1 text-13 font-medium sm:flex-none">
      {label}
      <input
        type="datetime-local"
        value={fields[name]}
        min={fieldOf(limits.created)}
        max={fieldOf(limits.end)}
        aria-invalid={shown !== undefined}
        aria-describedby={message}
        onChange={({ target }) => setFields({ ...fields, [name]: target.value })}
        className="h-9 w-full rounded-control border border-line-strong bg-raised px-3 text-13"
      />
    </label>
  );
  return (
    <form
      id={id}
      noValidate
      aria-label="Custom range"
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (fault === undefined) onApply(range);
      }}
      className="flex w-full flex-wrap items-end gap-3 rounded-card border bg-surface p-4"
    >
      {field('from', 'From (UTC)')}
      {field('to', 'To (UTC)')}
      <Button look="primary" type="submit">
        Show this range
      </Button>
      <Button look="quiet" onPress={onClose}>
        Cancel
      </Button>
      <p id={message} role={shown === undefined ? undefined : 'alert'} className="w-full text-12">
        {shown === undefined ? (
          <span className="text-muted">
            {`From ${formatUtc(limits.created)}, when the vault began, to ${formatUtc(limits.end)}.`}
          </span>
        ) : (
          <span className="text-danger">{shown}</span>
        )}
      </p>
    </form>
  );
}
