import { startTransition, useEffect, useRef, useState } from 'react';
import { formatUtc } from '../../format/time.ts';
import { kindsOf, type Mark, markKinds, stepOf } from './marks.ts';

const DAY_S = 86_400;
/** A key that is held moves the slider many times; the page follows once it rests. */
const REST_MS = 250;

type Props = {
  created: string;
  now: string;
  at: string | undefined;
  marks: readonly Mark[];
  onShow: (at: string | undefined) => void;
};

/** The life of the vault as a line: where the page is on it, and when something happened. Page Up and Down go by days. */
export function Timeline({ created, now, at, marks, onShow }: Props) {
  const begin = Math.ceil(Date.parse(created) / 1_000);
  const end = Math.floor(Date.parse(now) / 1_000);
  const shown = at === undefined ? end : Math.min(end, Math.max(begin, Math.floor(Date.parse(at) / 1_000)));
  const step = stepOf(end - begin);
  // Steps are counted from the end, so that the last one is the present.
  const last = Math.max(1, Math.floor((end - begin) / step));
  const placed = last - Math.round((end - shown) / step);
  const [draft, setDraft] = useState<number>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const timeOf = (place: number) => new Date((end - (last - place) * step) * 1_000).toISOString();
  const place = Math.max(0, draft ?? placed);
  const words = (value: number) =>
    value >= last ? 'Now' : formatUtc(draft === undefined && at !== undefined ? at : timeOf(value));
  const settle = (value: number) => {
    onShow(value >= last ? undefined : timeOf(value));
    // The router changes its address in a transition: apart from it, the slider would jump back to where it was in between.
    startTransition(() => setDraft(undefined));
  };
  const choose = (value: number) => {
    clearTimeout(timer.current);
    // The end is the present, and the way back waits for nothing.
    if (value >= last) return settle(value);
    setDraft(value);
    timer.current = setTimeout(() => settle(value), REST_MS);
  };
  return (
    <div className="flex flex-col gap-1">
      <label className="flex flex-col gap-1">
        <span className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="text-13 font-medium">Moment shown</span>
          <output className="text-13 text-muted tabular-nums">{words(place)}</output>
        </span>
        <input
          type="range"
          min={0}
          max={last}
          step={1}
          value={place}
          aria-valuetext={words(place)}
          onChange={({ target }) => choose(target.valueAsNumber)}
          onKeyDown={(event) => {
            const days = { PageUp: 1, PageDown: -1 }[event.key];
            if (days === undefined) return;
            event.preventDefault();
            choose(Math.min(last, Math.max(0, place + days * Math.max(1, Math.round(DAY_S / step)))));
          }}
          className="h-6 w-full cursor-pointer accent-[var(--accent)]"
        />
      </label>
      <Lanes begin={begin} end={end} marks={marks} />
    </div>
  );
}

/** One row of strokes for each kind; what they say in words is in the calendar. */
function Lanes({ begin, end, marks }: { begin: number; end: number; marks: readonly Mark[] }) {
  const kinds = kindsOf(marks);
  const length = Math.max(1, end - begin);
  return (
    <div className="mx-2 flex flex-col gap-1" aria-hidden="true">
      {kinds.map((kind) => (
        <div key={kind} className="relative h-2 border-b" data-lane={kind}>
          <svg
            aria-hidden="true"
            viewBox="0 0 1000 8"
            preserveAspectRatio="none"
            className="absolute inset-0 size-full"
          >
            {[...new Set(marks.filter((mark) => mark.kind === kind).map(({ t }) => placeOf(t, begin, length)))].map(
              (x) => (
                <path
                  key={x}
                  d={`M${x} 0V8`}
                  stroke={markKinds[kind].colour}
                  strokeWidth="2"
                  vectorEffect="non-scaling-stroke"
                />
              ),
            )}
          </svg>
        </div>
      ))}
    </div>
  );
}

const placeOf = (t: string, begin: number, length: number): number =>
  Math.min(1_000, Math.max(0, Math.round(((Date.parse(t) / 1_000 - begin) / length) * 1_000)));

/** What the rows of strokes are, in their order. */
export function Legend({ marks }: { marks: readonly Mark[] }) {
  const kinds = kindsOf(marks);
  return (
    <ul aria-label="Rows of marks, from above" className="flex flex-wrap gap-x-4 gap-y-1 text-12 text-muted">
      {kinds.map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span aria-hidden="true" className="h-3 w-0.5" style={{ background: markKinds[kind].colour }} />
          {markKinds[kind].many}
        </li>
      ))}
    </ul>
  );
}
