import type { Position } from '@castellan/strategy';
import { Copy } from 'lucide-react';
import { useId, useRef } from 'react';
import { Button } from '../../../design/button.tsx';
import { Notice } from '../../../design/states.tsx';
import { toast } from '../../../design/toast.tsx';
import type { Definition } from '../draft.ts';
import { Steps } from '../draft-bar.tsx';
import { useInsert } from '../insertion.ts';
import type { Fault } from '../judge.ts';
import { placed } from './program-text.ts';
import type { ProgramTextState } from './use-program-text.ts';

type Props = {
  state: ProgramTextState;
  /** What the program of the form is, and what is wrong with it. */
  definition: Definition;
  faults: readonly Fault[];
  warnings: readonly Fault[];
  undo: (() => void) | undefined;
  redo: (() => void) | undefined;
  isFixed: boolean;
};

type Placed = { message: string; suggestion?: string; position: Position };

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ tone: 'info', title: 'The text was copied', key: 'program-text' });
  } catch {
    toast({ tone: 'warn', title: 'The browser did not allow copying. Copy the text by hand.', key: 'program-text' });
  }
}

/** The draft as one text: the same program as in the form. */
export function TextView({ state, definition, faults, warnings, undo, redo, isFixed }: Props) {
  const { text, read, isOverAnother } = state;
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const wrong: readonly Placed[] = read.ok ? placed(faults, read.places, definition) : read.faults;
  const odd: readonly Placed[] = read.ok ? placed(warnings, read.places, definition) : [];
  const goTo = ({ offset, length = 0 }: Position) => {
    area.current?.setSelectionRange(offset, offset + length);
    area.current?.focus();
  };
  const put = ({ offset, length = 0 }: Position, part: string) =>
    state.write(`${text.slice(0, offset)}${part}${text.slice(offset + length)}`);
  return (
    <section aria-label="Text of the strategy" className="flex min-w-0 flex-col rounded-card border bg-surface">
      <div className="flex flex-wrap items-center gap-2 border-b p-2">
        <label htmlFor={id} className="px-1 text-13 font-medium">
          Program
        </label>
        <Button look="quiet" onPress={() => void copy(text)}>
          <Copy size={14} aria-hidden="true" />
          Copy the text
        </Button>
        {isFixed ? null : (
          <span className="ml-auto">
            <Steps undo={undo} redo={redo} />
          </span>
        )}
      </div>
      {isOverAnother ? <Choose state={state} /> : null}
      <Area state={state} area={area} id={id} isWrong={wrong.length > 0} isFixed={isFixed} />
      <div id={`${id}-notes`} className="flex flex-col gap-2 border-t px-3 py-2 text-12">
        <p role="status" className={state.isPending ? 'text-brass' : 'text-muted'}>
          {state.isPending
            ? 'Not part of the program yet: the form shows it as it was before.'
            : 'The same program as in the form. What belongs to a line is indented below it; ? stands for what is not written yet.'}
        </p>
        <Notes title="What is wrong" look="text-danger" items={wrong} onGo={goTo} onPut={isFixed ? undefined : put} />
        <Notes
          title="What is asked about"
          look="text-brass"
          items={odd}
          onGo={goTo}
          onPut={isFixed ? undefined : put}
        />
      </div>
    </section>
  );
}

type AreaProps = {
  state: ProgramTextState;
  area: React.RefObject<HTMLTextAreaElement | null>;
  id: string;
  isWrong: boolean;
  isFixed: boolean;
};

/** As high as its text, so that the numbers of its lines stand beside them. */
function Area({ state: { text, write }, area, id, isWrong, isFixed }: AreaProps) {
  const lines = text.split('\n').length;
  const takeNames = useInsert((part) => {
    const field = area.current;
    if (field === null || isFixed) return false;
    const start = field.selectionStart;
    const before = field.value.slice(0, start);
    const gap = before === '' || /[\s(,]$/.test(before) ? '' : ' ';
    write(`${before}${gap}${part}${field.value.slice(field.selectionEnd)}`);
    const caret = start + gap.length + part.length;
    // Once the new text is in the field.
    requestAnimationFrame(() => {
      field.focus();
      field.setSelectionRange(caret, caret);
    });
    return true;
  });
  return (
    <div className="flex min-w-0 p-2 font-mono text-13 leading-6">
      <pre
        aria-hidden="true"
        className="shrink-0 border-y border-y-transparent px-2 py-2 text-right text-muted select-none"
      >
        {Array.from({ length: lines }, (_, index) => index + 1).join('\n')}
      </pre>
      <textarea
        ref={area}
        id={id}
        value={text}
        rows={lines}
        wrap="off"
        readOnly={isFixed}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        aria-invalid={isWrong}
        aria-describedby={`${id}-notes`}
        onFocus={takeNames}
        onChange={({ target }) => write(target.value)}
        className="min-w-0 flex-1 resize-none overflow-x-auto overflow-y-hidden rounded-control border border-line-strong bg-raised px-3 py-2 leading-6 whitespace-pre aria-invalid:border-danger"
      />
    </div>
  );
}

type NotesProps = {
  title: string;
  look: string;
  items: readonly Placed[];
  onGo: (position: Position) => void;
  onPut: ((position: Position, part: string) => void) | undefined;
};

function Notes({ title, look, items, onGo, onPut }: NotesProps) {
  if (items.length === 0) return null;
  return (
    <ul aria-label={title} className="flex flex-col gap-1">
      {items.map(({ message, suggestion, position }) => (
        <li key={`${position.offset} ${message}`} className="flex flex-wrap items-baseline gap-x-2">
          <Button look="quiet" className="min-h-6! px-1! text-12! underline" onPress={() => onGo(position)}>
            {`Line ${position.line}, column ${position.column}`}
          </Button>
          <span className={look}>{message}</span>
          {suggestion === undefined || position.length === undefined || onPut === undefined ? null : (
            <Button className="min-h-6! px-2! font-mono text-12!" onPress={() => onPut(position, suggestion)}>
              {`Use ${suggestion}`}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A text that could not be read while the program was changed elsewhere: neither is lost without being asked. */
function Choose({ state: { use: useText, drop, read } }: { state: ProgramTextState }) {
  return (
    <Notice tone="warn" title="The program was changed beside this text">
      <p>This text was begun over an earlier program. Choose which of both counts.</p>
      <span className="flex flex-wrap gap-2 pt-2">
        <Button isDisabled={!read.ok} onPress={useText}>
          Use this text
        </Button>
        <Button look="danger" onPress={drop}>
          Drop it and show the program
        </Button>
      </span>
    </Notice>
  );
}
