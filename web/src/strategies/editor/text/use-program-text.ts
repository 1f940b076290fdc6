import { printProgram, readProgram, type Vocabulary } from '@castellan/strategy';
import { useMemo, useState } from 'react';
import type { Vault } from '../../../data/queries.ts';
import type { Draft } from '../draft.ts';
import { withProgram, writtenOf } from './program-text.ts';

/** A text as it was typed, and the program that it was typed over. */
type Typed = {
  readonly text: string;
  /** The text of the program when this was typed; another one by now says that the program was changed elsewhere. */
  readonly over: string;
  /** It cannot be read, so that it is no part of the program. */
  readonly isPending: boolean;
};

type Given = {
  draft: Draft;
  vocabulary: Vocabulary;
  vault: Pick<Vault, 'allocation'>;
  onChange: (draft: Draft) => void;
};

/**
 * The draft as one text. What can be read changes the draft at once; what cannot is kept beside it, whichever view is shown, until it can
 * be read or is dropped.
 */
export function useProgramText({ draft, vocabulary, vault, onChange }: Given) {
  const print = (each: Draft) => printProgram(writtenOf(each), vocabulary);
  const printed = useMemo(() => printProgram(writtenOf(draft), vocabulary), [draft, vocabulary]);
  const [typed, setTyped] = useState<Typed>();
  /** What undo took back of a text that could not be read. */
  const [taken, setTaken] = useState<Typed>();
  const isPending = typed?.isPending === true;
  const isOverAnother = isPending && typed.over !== printed;
  const text = typed !== undefined && (isPending || typed.over === printed) ? typed.text : printed;
  const read = useMemo(() => readProgram(text, vocabulary), [text, vocabulary]);

  const take = (next: string, found: ReturnType<typeof readProgram>) => {
    if (!found.ok) return;
    const changed = withProgram(draft, found.program, vault);
    const over = print(changed);
    // Spaces and empty lines are the text's alone: they make no step to be taken back.
    if (over !== printed) onChange(changed);
    setTyped({ text: next, over, isPending: false });
  };
  const write = (next: string) => {
    setTaken(undefined);
    const found = readProgram(next, vocabulary);
    if (found.ok && !isOverAnother) take(next, found);
    else setTyped({ text: next, over: isPending ? typed.over : printed, isPending: true });
  };
  const drop = () => setTyped(undefined);
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
          setTaken(typed);
          drop();
        }
      : undefined,
    redo: taken !== undefined && !isPending && taken.over === printed ? () => setTyped(taken) : undefined,
  };
}

export type ProgramTextState = ReturnType<typeof useProgramText>;
