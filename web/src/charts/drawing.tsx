import {
  type KeyboardEvent,
  type PointerEvent,
  type Ref,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Skeleton } from '../design/states.tsx';
import { Cross } from './cross.tsx';
import { useCrosshair } from './crosshair.ts';
import { type Frame, type FrameInput, frameOf, pixelToX, wholeRange } from './frame.ts';
import { nearest, stopsOf } from './model.ts';
import type { Range } from './scale.ts';
import { usePlot } from './use-plot.ts';
import { useWidth } from './use-size.ts';
import { zoomed } from './zoom.ts';

export type DrawingHandle = { picture: (title: string, takeaway: string) => string | undefined };

type Props = Omit<FrameInput, 'width' | 'window'> & {
  label: string;
  description: string;
  group: string | undefined;
  window: Range | undefined;
  /** Undefined when the chart cannot be zoomed. */
  onWindow: ((window: Range | undefined) => void) | undefined;
  handle: Ref<DrawingHandle>;
};

const DRAG_PX = 6;

/** The drawing with its crosshair: by pointer, by keyboard, shared within a group. */
export function Drawing({ label, description, group, window, onWindow, handle, ...input }: Props) {
  const { series, markers, unit, axis, isFromZero, intervalSeconds, height } = input;
  const hint = useId();
  const holder = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  const frame = useMemo(
    () => frameOf({ series, markers, unit, axis, isFromZero, window, intervalSeconds, width, height }),
    [series, markers, unit, axis, isFromZero, window, intervalSeconds, width, height],
  );
  const { plot, state } = usePlot(canvas, frame);
  useImperativeHandle(handle, () => ({ picture: (...text) => plot.current?.picture(...text) }), [plot]);
  const stops = useMemo(() => stopsOf(series), [series]);
  const whole = wholeRange({ ...input, window, width });
  const { x, isOwn, move } = useCrosshair(group);
  const drag = useDrag(frame, onWindow);

  const moveTo = (at: number) => {
    const stop = stops[nearest(stops, at)];
    if (stop !== undefined) move(stop);
  };
  const onPointerMove = (event: PointerEvent) => {
    const at = drag.at(event);
    if (at !== undefined) moveTo(at);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const shown = window ?? whole;
    if (shown === undefined || whole === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const first = nearest(stops, shown[0]);
    const last = nearest(stops, shown[1]);
    const index = x === null ? undefined : nearest(stops, x);
    const next = stopAfter(event.key, index, first, last);
    if (next !== undefined) move(stops[next] ?? null);
    else if (event.key === 'Escape') move(null);
    else if (onWindow && '+=-0'.includes(event.key)) onWindow(zoomed(event.key, shown, whole, x));
    else return;
    event.preventDefault();
  };

  return (
    <div ref={holder} className="relative" style={{ height }}>
      {/* Until it is drawn anew, what was drawn for a wider screen must not widen the page. */}
      <div ref={canvas} aria-hidden="true" className="absolute inset-0 overflow-hidden" />
      {state === 'waiting' ? <Skeleton className="absolute inset-x-0 top-0 bottom-6" /> : null}
      {state === 'failed' ? (
        <p className="absolute inset-0 grid place-items-center px-6 text-center text-13 text-muted">
          The drawing could not be loaded. The table holds the same figures; loading the page again may bring it back.
        </p>
      ) : null}
      <div
        role="application"
        aria-roledescription="chart"
        aria-label={label}
        aria-describedby={hint}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application is what the arrow keys move in
        tabIndex={0}
        className="absolute inset-0 cursor-crosshair touch-pan-y rounded-control"
        onKeyDown={onKeyDown}
        onBlur={() => isOwn && move(null)}
        onPointerDown={drag.start}
        onPointerMove={onPointerMove}
        onPointerUp={drag.end}
        onPointerCancel={drag.cancel}
        onPointerLeave={() => move(null)}
        onDoubleClick={() => onWindow?.(undefined)}
      />
      <p id={hint} className="sr-only">
        {`${description} Left and right arrows read the values${onWindow ? ', plus and minus zoom, 0 shows all' : ''}.`}
      </p>
      {drag.box === undefined ? null : (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute top-0 bottom-6 border-x border-accent bg-accent/15"
          style={{ left: drag.box[0], width: drag.box[1] - drag.box[0] }}
        />
      )}
      <Cross frame={frame} input={input} x={x} isAnnounced={isOwn} />
    </div>
  );
}

/** Where a key moves the crosshair; undefined when the key is not one of its. */
function stopAfter(key: string, index: number | undefined, first: number, last: number): number | undefined {
  const page = Math.max(1, Math.round((last - first) / 10));
  const moves: Record<string, number> = {
    ArrowLeft: (index ?? last + 1) - 1,
    ArrowRight: (index ?? first - 1) + 1,
    PageUp: (index ?? last + page) - page,
    PageDown: (index ?? first - page) + page,
    Home: first,
    End: last,
  };
  const next = moves[key];
  return next === undefined ? undefined : Math.min(last, Math.max(first, next));
}

/** Dragging along the drawing chooses a range. */
function useDrag(frame: Frame | undefined, onWindow: Props['onWindow']) {
  const [drag, setDrag] = useState<{ from: number; to: number } | undefined>();
  const pixelOf = (event: PointerEvent) => event.clientX - event.currentTarget.getBoundingClientRect().left;
  const box: Range | undefined =
    drag === undefined || Math.abs(drag.to - drag.from) < DRAG_PX
      ? undefined
      : [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
  return {
    box,
    /** The x under the pointer; while dragging, the end of the range as well. */
    at(event: PointerEvent): number | undefined {
      if (frame === undefined) return undefined;
      const pixel = Math.min(frame.width - frame.box.right, Math.max(frame.box.left, pixelOf(event)));
      if (drag !== undefined) setDrag({ ...drag, to: pixel });
      return pixelToX(frame, pixel);
    },
    start(event: PointerEvent) {
      if (onWindow === undefined || event.pointerType !== 'mouse' || event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ from: pixelOf(event), to: pixelOf(event) });
    },
    end() {
      if (box !== undefined && frame !== undefined) onWindow?.([pixelToX(frame, box[0]), pixelToX(frame, box[1])]);
      setDrag(undefined);
    },
    cancel: () => setDrag(undefined),
  };
}
