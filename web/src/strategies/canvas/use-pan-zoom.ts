import { type PointerEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { fitted, held, pinched, revealed, type Size, type View, viewAfterKey, zoomedAt } from './pan-zoom.ts';

type Point = { x: number; y: number };
/** What is pressed, typed into or dragged itself does not move the plane. */
const OWN = 'button, a, input, select, textarea, [role="row"]';
/** What a mouse carries; a finger does so by a handle alone, and moves the plane by the rest of it. */
const CARRIED = '[data-block]';
/** Height of the corner in which the tools of a canvas lie. */
const TOOLS = 48;
const sizeOf = (element: HTMLElement | null): Size => ({
  width: element?.offsetWidth ?? 0,
  height: element?.offsetHeight ?? 0,
});

/**
 * Zoom and pan of a plane in a window: mouse, wheel, one and two fingers, keys.
 * @param begin - How the plane lies until somebody moves it; the same function each time.
 */
export function usePanZoom(
  frame: RefObject<HTMLElement | null>,
  plane: RefObject<HTMLElement | null>,
  begin: (window: Size, plane: Size) => View = fitted,
) {
  const [view, setView] = useState<View>({ x: 0, y: 0, zoom: 1 });
  const touched = useRef(false);
  const fingers = useRef(new Map<number, Point>());
  const change = useCallback(
    (next: (before: View) => View) => {
      touched.current = true;
      setView((before) => held(next(before), sizeOf(frame.current), sizeOf(plane.current)));
    },
    [frame, plane],
  );
  const fit = useCallback(() => {
    touched.current = false;
    setView(begin(sizeOf(frame.current), sizeOf(plane.current)));
  }, [frame, plane, begin]);
  useLayoutEffect(() => {
    fit();
    // Until somebody moves it, the plane keeps filling its window.
    const observer = new ResizeObserver(() => {
      if (!touched.current) fit();
    });
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, [fit, frame]);
  useWheel(frame, change);
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const isFinger = event.pointerType === 'touch';
    const own = isFinger ? OWN : `${OWN}, ${CARRIED}`;
    if ((event.target as Element).closest(own) !== null || event.button !== 0) return;
    // A finger stays with what it touched by itself, which is in here; and a tap has to reach it.
    if (!isFinger) event.currentTarget.setPointerCapture(event.pointerId);
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const before = fingers.current.get(event.pointerId);
    if (before === undefined) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
    fingers.current.set(event.pointerId, now);
    if (other === undefined) change((at) => ({ ...at, x: at.x + now.x - before.x, y: at.y + now.y - before.y }));
    else {
      const box = event.currentTarget.getBoundingClientRect();
      const inside = ({ x, y }: Point) => ({ x: x - box.left, y: y - box.top });
      change((at) => pinched(at, [inside(before), inside(other)], [inside(now), inside(other)]));
    }
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    fingers.current.delete(event.pointerId);
  };
  /** @returns whether the key meant something. */
  const press = (key: string): boolean => {
    const window = sizeOf(frame.current);
    const size = sizeOf(plane.current);
    if (viewAfterKey(key, view, window, size) === undefined) return false;
    change((before) => viewAfterKey(key, before, window, size) ?? before);
    return true;
  };
  /** Brings a part of the plane into the window, as a focus does that scrolls; what is written on is not shrunk. */
  const reveal = (part: Element, isWritten: boolean) => {
    const outer = frame.current?.getBoundingClientRect();
    if (outer === undefined) return;
    const { left, top, width, height } = part.getBoundingClientRect();
    const at = { x: left - outer.left, y: top - outer.top };
    const growth = isWritten ? Math.max(1, 1 / view.zoom) : 1;
    const box = { left: at.x, top: at.y, right: at.x + width * growth, bottom: at.y + height * growth };
    const { width: across, height: down } = sizeOf(frame.current);
    const next = revealed(zoomedAt(view, growth, at), box, { width: across, height: down - TOOLS });
    if (next.x !== view.x || next.y !== view.y || next.zoom !== view.zoom) change(() => next);
  };
  return { view, press, reveal, pointers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp } };
}

/** With a modifier, as maps do it: without one the wheel goes on scrolling the page. */
function useWheel(frame: RefObject<HTMLElement | null>, change: (next: (before: View) => View) => void) {
  useEffect(() => {
    const element = frame.current;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = element?.getBoundingClientRect();
      const at = { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
      change((before) => zoomedAt(before, Math.exp(-event.deltaY / 400), at));
    };
    // React listens passively to wheels, and could not keep the page from zooming.
    element?.addEventListener('wheel', turn, { passive: false });
    return () => element?.removeEventListener('wheel', turn);
  }, [frame, change]);
}
