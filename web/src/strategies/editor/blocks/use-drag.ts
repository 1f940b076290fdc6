import { type PointerEvent as ReactPointerEvent, useEffect, useEffectEvent, useState } from 'react';
import type { DraftNode } from '../draft.ts';
import { moved, type Place, placeAfter, placeOver, type Side } from './edits.ts';
import type { Carried } from './use-blocks.ts';

/** Nearer than this to where it was pressed, a pointer only presses. */
const STILL_PX = 5;
/** So near to an edge of the screen, the page follows. */
const EDGE_PX = 90;
const SCROLL_PX = 14;

type Over = { readonly at: string; readonly side: Side; readonly place: Place };
type Drag = {
  /** Of which pointer: another finger neither moves nor drops what this one carries. */
  readonly pointerId: number;
  readonly carried: Carried;
  readonly name: string;
  readonly from: { readonly x: number; readonly y: number };
  readonly x: number;
  readonly y: number;
  readonly isMoving: boolean;
  readonly over: Over | undefined;
};

/** Which block lies under a pointer, and what would become of what is dropped there. */
function overAt(rule: DraftNode, carried: Carried, { x, y }: { x: number; y: number }): Over | undefined {
  const element = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-block]');
  const at = element?.dataset.block;
  if (element === undefined || element === null || at === undefined) return undefined;
  const { top, height } = element.getBoundingClientRect();
  const found = /^\d+$/.test(at)
    ? placeOver(rule, Number(at), height === 0 ? 0.5 : (y - top) / height)
    : { place: placeAfter(rule, rule.key), side: 'into' as const };
  if (found === undefined) return undefined;
  if (!('key' in carried)) return { at, ...found };
  const step = moved(rule, carried.key, found.place);
  return 'refused' in step || step.rule === rule ? undefined : { at, ...found };
}

function followEdge(y: number): void {
  if (y < EDGE_PX) window.scrollBy(0, -SCROLL_PX);
  else if (y > window.innerHeight - EDGE_PX) window.scrollBy(0, SCROLL_PX);
}

/** Blocks are carried by a mouse, a pen or a finger. Keys have their own ways: the menu of a block, and Alt with an arrow. */
export function useDrag(rule: DraftNode, onDrop: (carried: Carried, place: Place) => void) {
  const [drag, setDrag] = useState<Drag>();
  const isOn = drag !== undefined;
  const isOf = ({ pointerId }: PointerEvent) => drag !== undefined && drag.pointerId === pointerId;
  const onMove = useEffectEvent((event: PointerEvent) => {
    if (drag === undefined || !isOf(event)) return;
    const { clientX: x, clientY: y } = event;
    // It was released where the page did not hear of it.
    if (event.buttons === 0) {
      setDrag(undefined);
      return;
    }
    const isMoving = drag.isMoving || Math.hypot(x - drag.from.x, y - drag.from.y) > STILL_PX;
    if (!isMoving) return;
    followEdge(y);
    setDrag({ ...drag, x, y, isMoving, over: overAt(rule, drag.carried, { x, y }) });
  });
  const onUp = useEffectEvent((event: PointerEvent) => {
    if (drag === undefined || !isOf(event)) return;
    const over = drag.isMoving ? overAt(rule, drag.carried, { x: event.clientX, y: event.clientY }) : undefined;
    setDrag(undefined);
    if (over !== undefined) onDrop(drag.carried, over.place);
  });
  const onCancel = useEffectEvent((event: PointerEvent) => {
    if (isOf(event)) setDrag(undefined);
  });
  useEffect(() => {
    if (!isOn) return;
    const move = (event: PointerEvent) => onMove(event);
    const up = (event: PointerEvent) => onUp(event);
    const cancel = (event: PointerEvent) => onCancel(event);
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setDrag(undefined);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', cancel);
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', cancel);
      window.removeEventListener('keydown', press);
    };
  }, [isOn]);
  /** Of what can be carried. @param isGrip - A finger that moves elsewhere scrolls. */
  const grip = (carried: Carried, name: string, isGrip: boolean) => (event: ReactPointerEvent) => {
    if (!event.isPrimary || event.button !== 0 || (event.pointerType === 'touch' && !isGrip)) return;
    const at = { x: event.clientX, y: event.clientY };
    setDrag({ pointerId: event.pointerId, carried, name, from: at, ...at, isMoving: false, over: undefined });
  };
  return { drag: drag?.isMoving ? drag : undefined, grip };
}
