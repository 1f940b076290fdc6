import type { Explanation, Vocabulary } from '@castellan/strategy';
import { clsx } from 'clsx';
import { Plus } from 'lucide-react';
import { type ReactNode, useId, useMemo, useRef, useState } from 'react';
import { useMedia } from '../../../design/use-media.ts';
import { lifeSize } from '../../canvas/pan-zoom.ts';
import { usePanZoom } from '../../canvas/use-pan-zoom.ts';
import { ZoomTools } from '../../canvas/zoom-tools.tsx';
import type { PartProps } from '../action-fields.tsx';
import { condition, type DraftNode } from '../draft.ts';
import { Steps } from '../draft-bar.tsx';
import { keysHint } from './block-keys.ts';
import { BlockMenu } from './block-menu.tsx';
import { CanvasContext, type CanvasTools, useCanvas } from './canvas-context.ts';
import { readBlock } from './clipboard.ts';
import { newGroup } from './edits.ts';
import { ProgramTree } from './program-tree.tsx';
import { resultsOf } from './tree.ts';
import { type At, useBlocks, useClipboard } from './use-blocks.ts';
import { useDrag } from './use-drag.ts';

type Props = {
  part: PartProps;
  /** What a text that is pasted may hold. */
  vocabulary: Vocabulary;
  undo: (() => void) | undefined;
  redo: (() => void) | undefined;
  isFixed: boolean;
  /** How the rule judges the vault now. */
  explained: Explanation | undefined;
};

/** The draft as blocks: the same program as in the form, and laid out anew from it each time. */
export function ProgramCanvas({ part, vocabulary, undo, redo, isFixed, explained }: Props) {
  const blocks = useBlocks({ part, read: (text) => readBlock(text, vocabulary), undo, redo, isFixed });
  useClipboard(blocks);
  const dragging = useDrag(blocks.rule, blocks.drop);
  const results = useMemo(() => resultsOf(explained), [explained]);
  const [menu, setMenu] = useState<{ at: At; element: Element }>();
  const isNarrow = useMedia('(max-width: 799px)');
  const openMenu: CanvasTools['openMenu'] = (at, element) => {
    blocks.choose(at);
    setMenu({ at, element });
  };
  const { drag } = dragging;
  const Plane = isNarrow ? List : Window;
  const keysId = useId();
  return (
    <CanvasContext value={{ part, blocks, dragging, results, isNarrow, openMenu }}>
      <section aria-label="Canvas of the strategy" className="flex min-w-0 flex-col rounded-card border bg-surface">
        {isFixed ? null : (
          <div className="flex flex-wrap items-center gap-2 border-b p-2">
            <NewBlocks />
            <span className="ml-auto">
              <Steps undo={undo} redo={redo} />
            </span>
          </div>
        )}
        <Plane>
          <div
            role="tree"
            aria-label="Blocks of the strategy"
            aria-describedby={keysId}
            className={isNarrow ? 'p-3' : 'w-max p-6'}
          >
            <ProgramTree />
          </div>
        </Plane>
        <p id={keysId} className="border-t px-3 py-2 text-12 text-muted">
          {isFixed
            ? 'Arrow keys move between blocks.'
            : isNarrow
              ? 'Drag a block by its handle onto a group, or use its menu.'
              : keysHint()}
        </p>
        {menu === undefined ? null : <BlockMenu {...menu} blocks={blocks} onClose={() => setMenu(undefined)} />}
        {drag === undefined ? null : (
          <span
            aria-hidden="true"
            style={{ transform: `translate(${drag.x + 12}px, ${drag.y + 8}px)` }}
            className={clsx(
              'pointer-events-none fixed top-0 left-0 z-50 rounded-control border bg-raised px-2 py-1 text-13',
              drag.over === undefined ? 'text-muted' : 'border-accent',
            )}
          >
            {drag.name}
          </span>
        )}
      </section>
    </CanvasContext>
  );
}

const kinds: readonly { name: string; make: () => DraftNode }[] = [
  { name: 'Condition', make: condition },
  { name: 'All of', make: () => newGroup('AND') },
  { name: 'Any of', make: () => newGroup('OR') },
  { name: 'Not', make: () => newGroup('NOT') },
  { name: 'At least n of', make: () => newGroup('VOTE') },
];

/** Blocks to add: pressed, where the reader is; dragged, where they are dropped. */
function NewBlocks() {
  const tools = useCanvas();
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1.5">
      <legend className="sr-only">Blocks to add</legend>
      {kinds.map(({ name, make }) => (
        <button
          key={name}
          type="button"
          aria-label={`Add ${name}`}
          onPointerDown={tools.dragging.grip({ make }, name, true)}
          onClick={() => tools.blocks.add(make)}
          className="inline-flex min-h-8 cursor-grab touch-none items-center gap-1.5 rounded-control border bg-bg px-2.5 text-13 font-medium select-none hover:bg-raised"
        >
          <Plus size={14} aria-hidden="true" className="text-muted" />
          {name}
        </button>
      ))}
    </fieldset>
  );
}

/** The block that got the focus by a key, or a field of it; what is pressed does not move. */
const focusedBlock = (target: Element): Element | null =>
  target.matches(':focus-visible') ? target.closest('[data-block]') : null;

/** Below each other, moved with the page. */
const List = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what gets the focus in it
  <div
    onFocus={({ target }) => focusedBlock(target)?.scrollIntoView({ block: 'nearest' })}
    className="bg-bg [&_[data-block]]:scroll-mt-40 [&_[data-block]]:scroll-mb-20"
  >
    {children}
  </div>
);

/** Zoomed and moved as the canvas of strategies is. */
function Window({ children }: { children: ReactNode }) {
  const frame = useRef<HTMLElement>(null);
  const plane = useRef<HTMLDivElement>(null);
  const { view, press, reveal, pointers } = usePanZoom(frame, plane, lifeSize);
  return (
    <div className="relative overflow-clip bg-bg">
      <section
        ref={frame}
        aria-label="Plane of the canvas. Arrow keys move it, plus and minus zoom, 0 shows all of it."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is moved by keys has to be reached by them
        tabIndex={0}
        onKeyDown={(event) => {
          const isOwn = event.target === event.currentTarget && !event.ctrlKey && !event.metaKey && !event.altKey;
          if (isOwn && press(event.key)) event.preventDefault();
        }}
        onFocus={({ target }) => {
          const block = focusedBlock(target);
          if (!block) return;
          frame.current?.scrollIntoView({ block: 'nearest' });
          reveal(block, target.matches('textarea, input, select'));
        }}
        {...pointers}
        className="h-[min(540px,70dvh)] cursor-grab touch-none overflow-clip outline-offset-[-2px] active:cursor-grabbing"
      >
        <div
          ref={plane}
          style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.zoom})`, transformOrigin: '0 0' }}
          className="w-max"
        >
          {children}
        </div>
      </section>
      <ZoomTools zoom={view.zoom} onPress={press} />
    </div>
  );
}
