import { printProgram, readProgram, type Vocabulary } from '@castellan/strategy';
import { useMemo, useState } from 'react';
import type { Vault } from '../../../data/queries.ts';
import type { Draft } from '../draft.ts';
import type { PendingText } from '../kept-draft.ts';
import { withProgram, writtenOf } from './program-text.ts';

type Given = {
  draft: Draft;
  vocabulary: Vocabulary;
  vault: Pick<Vault, 'allocation'>;
  onChange: (draft: Draft) => void;
  /** What was typed and cannot be read, which is kept with the draft. */
  pending: PendingText | undefined;
  onPending: (pending: PendingText | undefined) => void;
};

/**
 * The draft as one text. What can be read changes the draft at once; what cannot is kept beside it, whichever view is shown, until it can
 * be read or is dropped.
 */
export function useProgramText({ draft, vocabulary, vault, onChange, pending, onPending }: Given) {
  const print = (each: Draft) => printProgram(writtenOf(each), vocabulary);
  const printed = useMemo(() => printProgram(writtenOf(draft), vocabulary), [draft, vocabulary]);
  /** What was typed and could be read, in its own layout, and the program that it is. */
  const [typed, setTyped] = useState<{ text: string; program: string }>();
  /** What undo took back of a text that could not be read. */
  const [taken, setTaken] = useState<PendingText>();
  const isPending = pending !== undefined;
  const isOverAnother = isPending && pending.over !== printed;
  const text = pending?.text ?? (typed?.program === printed ? typed.text : printed);
  const read = useMemo(() => readProgram(text, vocabulary), [text, vocabulary]);

  const take = (next: string, found: ReturnType<typeof readProgram>) => {
    if (!found.ok) return;
    const changed = withProgram(draft, found.program, vault);
    const program = print(changed);
    // Spaces and empty lines are the text's alone: they make no step to be taken back.
    if (program !== printed) onChange(changed);
    setTyped({ text: next, program });
    onPending(undefined);
  };
  const write = (next: string) => {
    setTaken(undefined);
    const found = readProgram(next, vocabulary);
    if (found.ok && !isOverAnother) take(next, found);
    else onPending({ text: next, over: pending?.over ?? printed });
  };
  const drop = () => {
    setTyped(undefined);
    onPending(undefined);
  };
  return {
    text,
    read,
    /** What is typed is no part of the program yet. */
    isPending,
    /** It is not, and the program was changed elsewhere meanwhile: one of both has to be chosen. */
    isOverAnother,
    write,
    /** The text takes the place of what was changed elsewhere. */
    use: () => take(text, read),
    drop,
    undo: isPending
      ? () => {
          setTaken(pending);
          drop();
        }
      : undefined,
    redo: taken !== undefined && !isPending && taken.over === printed ? () => onPending(taken) : undefined,
  };
}

export type ProgramTextState = ReturnType<typeof useProgramText>;
