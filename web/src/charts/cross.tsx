import { xText } from './chart-text.ts';
import { type Frame, type FrameInput, xToPixel, yToPixel } from './frame.ts';
import { Swatch } from './legend.tsx';
import { pointAt } from './model.ts';

type Props = {
  frame: Frame | undefined;
  input: Pick<FrameInput, 'series' | 'markers' | 'unit' | 'axis'>;
  x: number | null;
  /** Only the chart that is moved speaks; the others of its group follow in silence. */
  isAnnounced: boolean;
};

const NEAR_MARKER_PX = 8;

const GAP_PX = 10;
const WIDEST_PX = 288;
const NARROW_PX = 480;

/** Where the label is: beside the crosshair; on a phone, which is too narrow, above the drawing. */
function placeOf(at: number, width: number) {
  if (width < NARROW_PX) return { left: 0, right: 0, bottom: '100%' };
  const maxWidth = Math.min(WIDEST_PX, Math.max(at, width - at) - GAP_PX);
  const place = { top: 4, width: 'max-content', maxWidth };
  return at > width / 2 ? { ...place, right: width - at + GAP_PX } : { ...place, left: at + GAP_PX };
}

/** The crosshair over the drawing, and its label, on screen and for a screen reader. */
export function Cross({ frame, input: { series, markers, unit, axis }, x, isAnnounced }: Props) {
  const readings =
    x === null
      ? []
      : series.map((each) => {
          const value = pointAt(each, x)?.[1];
          return { series: each, value, text: value == null ? 'no value' : unit.format(value) };
        });
  const at = x === null || frame === undefined ? undefined : xToPixel(frame, x);
  const near =
    frame === undefined || at === undefined
      ? markers.filter((marker) => marker.x === x)
      : markers.filter((marker) => Math.abs(xToPixel(frame, marker.x) - at) <= NEAR_MARKER_PX);
  const when = x === null ? '' : xText(x, axis);
  const announcement = [
    when,
    ...readings.map(({ series: { name }, text }) => `${name} ${text}`),
    ...near.map(({ label }) => label),
  ];
  const isInside =
    frame !== undefined && at !== undefined && at >= frame.box.left && at <= frame.width - frame.box.right;
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {isAnnounced && x !== null ? announcement.join(', ') : ''}
      </p>
      {isInside ? (
        <div aria-hidden="true" className="pointer-events-none absolute inset-0 overflow-visible">
          <div
            className="absolute w-px bg-line-strong"
            style={{ left: at, top: frame.box.top, bottom: frame.box.bottom }}
          />
          {series.length > 1 && series.some(({ kind }) => kind === 'stacked' || kind === 'bar')
            ? null
            : readings.map(({ series: { id }, value }) =>
                value == null ? null : (
                  <div
                    key={id}
                    className="absolute size-2 -translate-x-1/2 -translate-y-1/2 rounded-full border-2 border-surface bg-text"
                    style={{ left: at, top: yToPixel(frame, value) }}
                  />
                ),
              )}
          <div
            className="absolute z-10 flex flex-col gap-0.5 rounded-control border bg-raised px-2 py-1.5 text-12"
            style={placeOf(at, frame.width)}
          >
            <span className="font-medium">{when}</span>
            {readings.map(({ series: each, text }) => (
              <span key={each.id} className="flex items-center gap-1.5 whitespace-nowrap">
                <Swatch series={each} index={series.indexOf(each)} />
                <span className="truncate text-muted">{each.name}</span>
                <span className="ml-auto pl-2 tabular-nums">{text}</span>
              </span>
            ))}
            {near.map(({ id, label }) => (
              <span key={id} className="font-medium">
                {label}
              </span>
            ))}
          </div>
        </div>
      ) : null}
    </>
  );
}
