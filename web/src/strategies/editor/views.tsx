import { FileCode, Workflow } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { useLocation } from 'react-router';
import { Button } from '../../design/button.tsx';
import { Notice, RowSkeletons } from '../../design/states.tsx';
import { useQueryPart } from '../../period/use-view.ts';
import type { ProgramTextState } from './text/use-program-text.ts';

type Props = {
  canvas: ReactNode;
  text: ReactNode;
  state: ProgramTextState;
  /** What is typed is kept in this browser. */
  isKept: boolean;
};

/** The same program as blocks or as text, above the form when one of them is asked for. */
export function ViewsBeside({ canvas, text, state, isKept }: Props) {
  const put = useQueryPart();
  const as = new URLSearchParams(useLocation().search).get('as');
  const isCanvas = as === 'canvas';
  const isText = as === 'text';
  return (
    <div className="flex min-w-0 flex-col gap-3 min-[1280px]:col-span-2">
      <span className="flex flex-wrap items-center gap-3">
        <Button aria-expanded={isCanvas} onPress={() => put({ as: isCanvas ? null : 'canvas' })}>
          <Workflow size={16} aria-hidden="true" />
          {isCanvas ? 'Hide the canvas' : 'Draw it on a canvas'}
        </Button>
        <Button aria-expanded={isText} onPress={() => put({ as: isText ? null : 'text' })}>
          <FileCode size={16} aria-hidden="true" />
          {isText ? 'Hide the text' : 'Write it as text'}
        </Button>
        <span className="text-12 text-muted">As blocks, or as one text: the same program as in the form below.</span>
      </span>
      {state.isPending && !isText ? (
        <Notice tone="warn" title="The text holds changes that are not part of the program">
          <p>{pendingWords(state, isKept)}</p>
          <span className="flex flex-wrap gap-2 pt-2">
            <Button onPress={() => put({ as: 'text' })}>Go on with the text</Button>
            <Button look="danger" onPress={state.drop}>
              Drop these changes
            </Button>
          </span>
        </Notice>
      ) : null}
      {isCanvas || isText ? <Suspense fallback={<RowSkeletons rows={8} />}>{isCanvas ? canvas : text}</Suspense> : null}
    </div>
  );
}

/** Why the text is no part of the program, and how long it stays. */
function pendingWords({ read }: ProgramTextState, isKept: boolean): string {
  const fault = read.ok ? undefined : read.faults[0];
  const where = fault && `line ${fault.position.line}, column ${fault.position.column}: ${fault.message}`;
  return [
    where === undefined ? 'It is not taken over yet.' : `It could not be read yet (${where}).`,
    isKept
      ? 'It is kept in this browser with your draft, until you drop it or sign out.'
      : 'It is kept while this page is open.',
  ].join(' ');
}
