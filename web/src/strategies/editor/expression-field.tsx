import { clsx } from 'clsx';
import { type ComponentProps, useId, useRef } from 'react';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/field.tsx';
import { useInsert } from './insertion.ts';
import type { Fault } from './judge.ts';

type Props = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  faults: readonly Fault[];
  warnings?: readonly Fault[];
  hideLabel?: boolean;
  hint?: string;
  placeholder?: string;
};

/** An expression of the strategy language, with what is wrong marked where it stands. */
export function ExpressionField({ label, value, onChange, faults, warnings = [], ...rest }: Props) {
  const { hideLabel = false, hint, placeholder } = rest;
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const takeNames = useInsert((text) => {
    const field = area.current;
    if (field === null) return false;
    const start = field.selectionStart;
    const end = field.selectionEnd;
    const before = field.value.slice(0, start);
    const gap = before === '' || /[\s(,]$/.test(before) ? '' : ' ';
    onChange(`${before}${gap}${text}${field.value.slice(end)}`);
    const caret = start + gap.length + text.length;
    // Once the new text is in the field.
    requestAnimationFrame(() => {
      field.focus();
      field.setSelectionRange(caret, caret);
    });
    return true;
  });
  const shown = [...faults, ...warnings];
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-13 font-medium'}>
        {label}
      </label>
      <textarea
        ref={area}
        id={id}
        value={value}
        rows={Math.min(6, Math.max(1, value.split('\n').length, Math.ceil(value.length / 60)))}
        placeholder={placeholder}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        aria-invalid={faults.length > 0}
        aria-describedby={`${id}-notes`}
        onFocus={takeNames}
        onChange={({ target }) => onChange(target.value)}
        className="field-sizing-content max-h-60 min-h-9 w-full resize-y rounded-control border border-line-strong bg-raised px-3 py-1.5 font-mono text-13 break-all placeholder:text-muted aria-invalid:border-danger"
      />
      <div id={`${id}-notes`} className="flex flex-col gap-1 text-12">
        {shown.length === 0 && hint !== undefined ? <p className="text-muted">{hint}</p> : null}
        {shown.map((fault, index) => (
          <Note
            key={`${fault.message}${fault.position?.offset ?? ''}`}
            fault={fault}
            text={value}
            isFault={index < faults.length}
            onFix={onChange}
          />
        ))}
      </div>
    </div>
  );
}

type NoteProps = { fault: Fault; text: string; isFault: boolean; onFix: (text: string) => void };

function Note({ fault, text, isFault, onFix }: NoteProps) {
  const { message, position } = fault;
  const place = position === undefined || text === '' ? undefined : markAt(text, position.offset, position.length);
  return (
    <div className="flex flex-col gap-1">
      <p className={isFault ? 'text-danger' : 'text-brass'}>
        {position === undefined || text === '' ? '' : `Line ${position.line}, column ${position.column}: `}
        {message}
      </p>
      {place === undefined || !isFault ? null : (
        <pre className="overflow-x-auto font-mono text-12 whitespace-pre text-muted">
          {place.before}
          <mark className="bg-transparent text-danger underline decoration-wavy decoration-2 underline-offset-4">
            {place.marked}
          </mark>
          {place.after}
        </pre>
      )}
      <UseSuggestion fault={fault} text={text} onFix={onFix} />
    </div>
  );
}

type FixProps = { fault: Fault; text: string; onFix: (text: string) => void };

/** Puts what was probably meant in the place of what is wrong. */
function UseSuggestion({ fault: { position, suggestion }, text, onFix }: FixProps) {
  if (position === undefined || suggestion === undefined || text === '') return null;
  const { from, to } = markAt(text, position.offset, position.length);
  return (
    <span>
      <Button
        className="min-h-6! px-2! font-mono text-12!"
        onPress={() => onFix(`${text.slice(0, from)}${suggestion}${text.slice(to)}`)}
      >
        {`Use ${suggestion}`}
      </Button>
    </span>
  );
}

type NumberProps = Omit<ComponentProps<typeof Field>, 'error' | 'value' | 'onChange'> & {
  value: string;
  onChange: (value: string) => void;
  faults: readonly Fault[];
};

/** One number with its unit; the first thing wrong with it below, with what was probably meant. */
export function NumberField({ faults: [fault], className, ...props }: NumberProps) {
  return (
    <div className={clsx('flex min-w-0 flex-col gap-1', className)}>
      <Field {...props} error={fault?.message} autoComplete="off" />
      {fault === undefined ? null : <UseSuggestion fault={fault} text={props.value} onFix={props.onChange} />}
    </div>
  );
}

/** The line of a place, with the word there apart from what is before and after it. @param length - Where it is known. */
export function markAt(text: string, offset: number, length?: number) {
  const from = Math.min(offset, text.length);
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const stop = text.indexOf('\n', from);
  const end = stop === -1 ? text.length : stop;
  const rest = text.slice(from, end);
  const word = length === undefined ? (/^(?:\w+|\S)/.exec(rest)?.[0] ?? '') : rest.slice(0, length);
  const to = from + word.length;
  return { before: text.slice(start, from), marked: word === '' ? ' ' : word, after: text.slice(to, end), from, to };
}
