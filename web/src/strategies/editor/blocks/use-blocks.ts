import { type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from 'react';
import { toast } from '../../../design/toast.tsx';
import type { PartProps, SourceField } from '../action-fields.tsx';
import { condition, type DraftNode } from '../draft.ts';
import { blockText, keepCopy, lastCopy } from './clipboard.ts';
import {
  added,
  doubled,
  grouped,
  loweredVotes,
  moved,
  newGroup,
  type Place,
  placeAfter,
  removed,
  type Step,
  shifted,
} from './edits.ts';
import { blockAt, blocksOf, isBlank } from './tree.ts';

/** A block: of the rule by the key of its node, the others by what they are. */
export type At = 'action' | SourceField | number;
/** What is dragged: a block of the rule, or one that is new. */
export type Carried = { readonly key: number } | { readonly make: () => DraftNode };
export const partsOfAction = ({ action }: PartProps['draft']): SourceField[] =>
  action.action === 'REBALANCE' ? ['target_address', 'from_address'] : ['target_address'];

/** The block that the reader is at, whether it is written on, and whether the focus goes there by itself. */
type Focus = { readonly at: At; readonly isWritten: boolean; readonly isMoved: boolean };

type Given = {
  part: PartProps;
  /** A text as a block. */
  read: (text: string) => DraftNode | undefined;
  undo: (() => void) | undefined;
  redo: (() => void) | undefined;
  /** It is only read. */
  isFixed: boolean;
};

/** The block that Tab reaches, and whether it is written on. Where it is not there any more, that is the rule itself. */
function useFocus(rule: DraftNode, order: readonly At[], isFixed: boolean) {
  const prefix = useId();
  const [focus, setFocus] = useState<Focus>({ at: rule.key, isWritten: false, isMoved: false });
  const isThere = order.includes(focus.at);
  const active = isThere ? focus.at : rule.key;
  const idOf = (at: At) => `${prefix}-${at}`;
  const moveFocusTo = (at: At) => document.getElementById(idOf(at))?.focus({ preventScroll: true });
  const moveFocus = useEffectEvent(() => moveFocusTo(active));
  // The block may only be there once the step is drawn.
  useEffect(() => {
    if (focus.isMoved) moveFocus();
  }, [focus]);
  const go = (at: At, wantsWriting = false) => {
    const isWritten = wantsWriting && !isFixed;
    setFocus({ at, isWritten, isMoved: !isWritten });
  };
  return {
    active,
    written: isThere && focus.isWritten ? focus.at : undefined,
    idOf,
    go,
    /** The block that a menu is about, which has the focus meanwhile. */
    choose: (at: At) => setFocus({ at, isWritten: false, isMoved: false }),
    /** The block that was pressed is the one that the next step is about; what is written on stays open in itself. */
    point: (at: At) => {
      if (at !== active) go(at);
      else if (!focus.isWritten) moveFocusTo(at);
    },
  };
}

/** The blocks of a draft: which one is reached by Tab, which one is written on, and all that can be done with them. */
export function useBlocks({ part: { draft, onChange }, read, undo, redo, isFixed }: Given) {
  const { rule } = draft;
  const order: At[] = ['action', ...partsOfAction(draft), ...blocksOf(rule).map(({ node }) => node.key)];
  const focus = useFocus(rule, order, isFixed);
  const { active, go } = focus;
  const take = (step: Step, isWritten = false) => {
    if (isFixed) return;
    if ('refused' in step) {
      toast({ tone: 'info', title: step.refused, key: 'blocks' });
      return;
    }
    if (step.rule !== rule) onChange({ rule: step.rule });
    const lowered = loweredVotes(rule, step.rule);
    if (lowered !== undefined) toast({ tone: 'info', title: lowered, key: 'blocks' });
    go(step.at, isWritten);
  };
  const nodeAt = (at: At) => (typeof at === 'number' ? blockAt(rule, at)?.node : undefined);
  const placeBy = (at: At) => placeAfter(rule, typeof at === 'number' ? at : rule.key, true);
  const put = (node: DraftNode, place: Place) => take(added(rule, place, node), isBlank(node));
  /** A step with a block of the rule; the action and its source only can be written. */
  const inRule = (at: At, make: (key: number) => Step) => {
    if (isFixed) return;
    if (typeof at === 'number') take(make(at));
    else toast({ tone: 'info', title: 'A strategy has an action and a source: change them.', key: 'blocks' });
  };
  const remove = (at: At) => inRule(at, (key) => removed(rule, key));
  const paste = (text: string, at: At) => {
    const node = read(text);
    if (node === undefined)
      toast({ tone: 'info', title: 'What was copied is no block and no condition.', key: 'blocks' });
    else put(node, placeBy(at));
  };
  const copy = (at: At): string | undefined => {
    const node = nodeAt(at);
    if (node === undefined) return undefined;
    keepCopy(blockText(node));
    toast({ tone: 'info', title: 'The block was copied', key: 'blocks' });
    return lastCopy();
  };
  const back = (step: (() => void) | undefined) => {
    step?.();
    go(active);
  };
  const commands = {
    go,
    take,
    remove,
    paste,
    copy,
    nodeAt,
    rule,
    double: (at: At) => inRule(at, (key) => doubled(rule, key)),
    /** Inside a new group. */
    wrap: (at: At, type: 'AND' | 'NOT') => inRule(at, (key) => grouped(rule, key, type)),
    /** One more block where the reader is. */
    add: (make: () => DraftNode = condition, at: At = active) => put(make(), placeBy(at)),
    drop: (carried: Carried, place: Place) =>
      'key' in carried ? take(moved(rule, carried.key, place)) : put(carried.make(), place),
    undo: () => back(undo),
    redo: () => back(redo),
  };
  return {
    ...focus,
    ...commands,
    isFixed,
    press: (event: KeyboardEvent, at: At) => press(event, at, { ...commands, order }),
  };
}

export type Blocks = ReturnType<typeof useBlocks>;

type Commands = Pick<Blocks, 'go' | 'take' | 'remove' | 'undo' | 'redo' | 'rule' | 'double' | 'wrap' | 'add'> & {
  order: readonly At[];
};

/** What a key does to a block that has the focus. */
function press(event: KeyboardEvent, at: At, commands: Commands): void {
  const done = event.ctrlKey || event.metaKey ? withControl(event, at, commands) : plain(event, at, commands);
  if (!done) return;
  event.preventDefault();
  event.stopPropagation();
}

function withControl({ key, shiftKey }: KeyboardEvent, at: At, commands: Commands): boolean {
  const { undo, redo, add, double, wrap } = commands;
  const steps: Readonly<Record<string, () => void>> = {
    z: shiftKey ? redo : undo,
    y: redo,
    d: () => double(at),
    g: () => wrap(at, 'AND'),
    enter: () => (shiftKey ? add(() => newGroup('OR'), at) : add(undefined, at)),
  };
  const step = steps[key.toLowerCase()];
  step?.();
  return step !== undefined;
}

function plain({ key, altKey }: KeyboardEvent, at: At, { go, take, remove, wrap, rule, order }: Commands): boolean {
  const index = order.indexOf(at);
  const step = { ArrowUp: -1, ArrowDown: 1 }[key] as -1 | 1 | undefined;
  if (altKey) {
    if (step === undefined) return false;
    if (typeof at === 'number') take(shifted(rule, at, step));
    return true;
  }
  const next: At | undefined = {
    ArrowUp: order[index - 1],
    ArrowDown: order[index + 1],
    ArrowLeft: outer(rule, at),
    ArrowRight: inner(rule, at),
    Home: order[0],
    End: order.at(-1),
  }[key];
  if (next !== undefined) go(next);
  else if (key === 'Enter' || key === 'F2') go(at, true);
  else if (key === 'Delete' || key === 'Backspace') remove(at);
  else if (key === '!') wrap(at, 'NOT');
  else return /^(Arrow|Home|End)/.test(key);
  return true;
}

const outer = (rule: DraftNode, at: At): At | undefined =>
  at === 'action' ? undefined : typeof at === 'number' ? (blockAt(rule, at)?.parent?.key ?? 'action') : 'action';

const inner = (rule: DraftNode, at: At): At | undefined =>
  at === 'action' ? 'target_address' : typeof at === 'number' ? blockAt(rule, at)?.node.children[0]?.key : undefined;

/**
 * Copies, cuts and pastes the block that has the focus. The page is listened to: what is no text is not named as the target of these
 * events by every browser.
 */
export function useClipboard({ copy, remove, paste, active, idOf, isFixed }: Blocks): void {
  const isOurs = useEffectEvent(
    () => document.activeElement?.id === idOf(active) && (window.getSelection()?.isCollapsed ?? true),
  );
  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    const text = isOurs() ? copy(active) : undefined;
    if (text === undefined) return;
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    if (event.type === 'cut' && !isFixed) remove(active);
  });
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (!isOurs() || isFixed) return;
    event.preventDefault();
    paste(event.clipboardData?.getData('text/plain') ?? '', active);
  });
  useEffect(() => {
    const copied = (event: ClipboardEvent) => onCopy(event);
    const pasted = (event: ClipboardEvent) => onPaste(event);
    document.addEventListener('copy', copied);
    document.addEventListener('cut', copied);
    document.addEventListener('paste', pasted);
    return () => {
      document.removeEventListener('copy', copied);
      document.removeEventListener('cut', copied);
      document.removeEventListener('paste', pasted);
    };
  }, []);
}
