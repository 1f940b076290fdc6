import { clsx } from 'clsx';
import { Ellipsis, GripVertical, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { isMac } from '../../../navigation/keys.ts';
import { useCanvas } from './canvas-context.ts';
import type { At, Carried } from './use-blocks.ts';

/** Where a block stands among those of the same block, and how deep. */
export type Standing = { level: number; index: number; count: number };
type Props = Standing & {
  at: At;
  /** What a reader hears of it: first of all what it shows. */
  label: string;
  /** How a button for it is called: "Options of …". */
  name: string;
  caption: ReactNode;
  /** What it says, or what it is written by. */
  children: ReactNode;
  below?: readonly ReactNode[];
  look: string;
  isWrong?: boolean;
  /** It says a word or two. */
  isShort?: boolean;
  carried?: Carried | undefined;
};

/** A block with its connections, and with the blocks below it. */
export function BlockItem(props: Props) {
  const { below = [], level, index, count } = props;
  const { isNarrow } = useCanvas();
  return (
    <div
      className={clsx(
        'relative flex',
        isNarrow ? 'flex-col' : 'items-start',
        level > 1 && (isNarrow ? 'pt-2 pl-4' : 'pb-3 pl-10 last:pb-0'),
      )}
    >
      {level === 1 ? null : <Wires isFirst={index === 0} isLast={index === count - 1} isNarrow={isNarrow} />}
      <Face {...props} />
      {below.length === 0 ? null : <div className={clsx('flex flex-col', isNarrow && 'ml-3')}>{below}</div>}
    </div>
  );
}

/** From the block that this one belongs to. */
function Wires({ isFirst, isLast, isNarrow }: { isFirst: boolean; isLast: boolean; isNarrow: boolean }) {
  const line = 'pointer-events-none absolute border-line-strong';
  if (isNarrow)
    return (
      <>
        <span aria-hidden="true" className={clsx(line, 'top-7 left-0 w-4 border-t')} />
        <span aria-hidden="true" className={clsx(line, 'top-0 left-0 border-l', isLast ? 'h-7' : 'bottom-0')} />
      </>
    );
  return (
    <>
      <span aria-hidden="true" className={clsx(line, 'top-5 border-t', isFirst ? 'left-0 w-10' : 'left-5 w-5')} />
      {isFirst && isLast ? null : (
        <span
          aria-hidden="true"
          className={clsx(line, 'left-5 border-l', isFirst ? 'top-5' : 'top-0', isLast ? 'h-5' : 'bottom-0')}
        />
      )}
    </>
  );
}

const dropLooks = {
  before: 'before:absolute before:-top-1.5 before:inset-x-0 before:h-1 before:rounded before:bg-accent',
  after: 'before:absolute before:-bottom-1.5 before:inset-x-0 before:h-1 before:rounded before:bg-accent',
  into: 'ring-2 ring-accent',
} as const;
const tool = 'grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-raised hover:text-text';

function Face(props: Props) {
  const { at, label, name, caption, children, below = [], look, isWrong = false, isShort = false, carried } = props;
  const { blocks, dragging, isNarrow, openMenu } = useCanvas();
  const { drag, grip } = dragging;
  const isActive = blocks.active === at;
  const isWritten = blocks.written === at;
  const isCarried = drag !== undefined && carried !== undefined && drag.carried === carried;
  const side = drag?.over?.at === String(at) ? drag.over.side : undefined;
  const isFree = !blocks.isFixed && carried !== undefined;
  return (
    <div
      id={blocks.idOf(at)}
      data-block={at}
      role="treeitem"
      // Its fields have names of their own.
      aria-label={isWritten ? undefined : label}
      aria-selected={isActive}
      aria-level={props.level}
      aria-posinset={props.index + 1}
      aria-setsize={props.count}
      {...(below.length > 0 ? { 'aria-expanded': true } : {})}
      tabIndex={isActive ? 0 : -1}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        // Elsewhere the browser makes a right press of these keys.
        const isMenu = event.key === 'F10' && event.shiftKey && isMac();
        if (isMenu && !blocks.isFixed && !isWritten) openMenu(at, event.currentTarget);
        else blocks.press(event, at);
      }}
      onContextMenu={(event) => {
        if (blocks.isFixed || isWritten) return;
        event.preventDefault();
        openMenu(at, event.currentTarget);
      }}
      onPointerDown={(event) => {
        if ((event.target as Element).closest('button, textarea, input, select, a') !== null) return;
        blocks.point(at);
        if (isFree && !isWritten) grip(carried, name, false)(event);
      }}
      onDoubleClick={() => {
        if (!isWritten) blocks.go(at, true);
      }}
      className={clsx(
        'relative flex flex-col gap-1 rounded-control border p-2',
        isNarrow ? 'w-full min-w-0' : isWritten ? 'w-96' : isShort ? 'w-48' : 'w-64',
        isWritten ? 'cursor-auto' : clsx('select-none', isFree && 'cursor-grab'),
        look,
        isWrong && 'border-danger',
        isActive && !isWritten && 'ring-1 ring-line-strong',
        isCarried && 'opacity-50',
        side !== undefined && dropLooks[side],
      )}
    >
      <div className="flex min-h-6 items-center gap-1">
        {isFree ? <Handle carried={carried} name={name} /> : null}
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">{caption}</span>
        {blocks.isFixed || isWritten ? null : <BlockTools at={at} name={name} />}
      </div>
      {/* Not one word with what follows, for who reads the text of the block. */} {children}
    </div>
  );
}

/** What a finger carries the block by; elsewhere it scrolls. */
function Handle({ carried, name }: { carried: Carried; name: string }) {
  const { grip } = useCanvas().dragging;
  return (
    <span
      aria-hidden="true"
      onPointerDown={(event) => {
        event.stopPropagation();
        grip(carried, name, true)(event);
      }}
      className="-my-2 -mr-1 -ml-2 grid h-10 w-8 shrink-0 cursor-grab touch-none place-items-center text-muted"
    >
      <GripVertical size={16} />
    </span>
  );
}

function BlockTools({ at, name }: { at: At; name: string }) {
  const { blocks, openMenu } = useCanvas();
  const isActive = blocks.active === at;
  return (
    <>
      <AriaButton
        aria-label={`Edit ${name}`}
        excludeFromTabOrder={!isActive}
        onPress={() => blocks.go(at, true)}
        className={tool}
      >
        <Pencil size={14} aria-hidden="true" />
      </AriaButton>
      <AriaButton
        aria-label={`Options of ${name}`}
        aria-haspopup="menu"
        excludeFromTabOrder={!isActive}
        onPress={({ target }) => openMenu(at, target)}
        className={tool}
      >
        <Ellipsis size={16} aria-hidden="true" />
      </AriaButton>
    </>
  );
}
