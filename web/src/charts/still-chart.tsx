import { clsx } from 'clsx';
import { type ReactNode, useId, useMemo, useRef } from 'react';
import { Card } from '../design/card.tsx';
import { Empty, Failure, Skeleton } from '../design/states.tsx';
import { NotUpdated } from '../live/not-updated.tsx';
import { type Frame, frameOf, xToPixel, yToPixel } from './frame.ts';
import { Legend } from './legend.tsx';
import { extentOf } from './model.ts';
import { colourOfSeries, variableOf } from './theme-colours.ts';
import type { ChartProps, Point, Series } from './types.ts';
import { useWidth } from './use-size.ts';

type Props = Pick<
  ChartProps,
  'title' | 'takeaway' | 'series' | 'unit' | 'empty' | 'isLoading' | 'error' | 'readAt' | 'onRetry' | 'className'
> & {
  /** Leads to the chart that is read point by point, as a table and as a file. */
  link: ReactNode;
};

const HEIGHT = 220;
const NOTHING = { markers: [], axis: { kind: 'time' }, isFromZero: false, intervalSeconds: undefined } as const;

/** A chart to look at: the same frame as that of `Chart`, drawn as SVG without the drawing library, which is half of a page's scripts. */
export function StillChart({ title, takeaway, series, unit, link, isLoading = false, error, ...rest }: Props) {
  const { empty, onRetry, readAt, className } = rest;
  const heading = useId();
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  const frame = useMemo(
    () => frameOf({ ...NOTHING, series, unit, window: undefined, width, height: HEIGHT }),
    [series, unit, width],
  );
  return (
    <Card className={clsx('flex flex-col gap-2', className)}>
      <figure aria-labelledby={heading} className="flex min-w-0 flex-col gap-2">
        <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
          <div className="min-w-0 flex-1 basis-56">
            <h3 id={heading} className="text-14 font-semibold">
              {title}
            </h3>
            <p className="min-h-5 text-13 text-muted">{takeaway ?? ''}</p>
          </div>
          <span className="text-13">{link}</span>
        </div>
        <div className="min-h-5">{series.length > 1 ? <Legend series={series} /> : null}</div>
        <div ref={holder} className="grid content-center" style={{ height: HEIGHT }}>
          {frame !== undefined ? (
            <Still frame={frame} label={`${title}. ${takeaway ?? ''}`} />
          ) : isLoading || extentOf(series) !== undefined ? (
            <div role="status" aria-label={`Loading ${title}`} className="h-full">
              <Skeleton className="h-full w-full" />
            </div>
          ) : error != null ? (
            <Failure error={error} {...(onRetry ? { retry: onRetry } : {})} />
          ) : (
            <Empty title={empty.title}>{empty.detail}</Empty>
          )}
        </div>
      </figure>
      {error == null || readAt === undefined || frame === undefined ? null : (
        <NotUpdated what={title} readAt={readAt} error={error} retry={onRetry} />
      )}
    </Card>
  );
}

function Still({ frame, label }: { frame: Frame; label: string }) {
  const { width, height, box, x, y, series } = frame;
  const bottom = height - box.bottom;
  return (
    <svg width={width} height={height} role="img" aria-label={label} className="max-w-full text-12">
      {y.ticks.map(({ at, label: text }) => (
        <g key={at}>
          <line
            x1={box.left}
            x2={width - box.right}
            y1={yToPixel(frame, at)}
            y2={yToPixel(frame, at)}
            stroke="var(--line)"
          />
          <text x={box.left - 6} y={yToPixel(frame, at)} dy="0.32em" textAnchor="end" fill="var(--muted)">
            {text}
          </text>
        </g>
      ))}
      {x.ticks.map(({ at, label: text }) => (
        <text key={at} x={xToPixel(frame, at)} y={bottom + 17} textAnchor="middle" fill="var(--muted)">
          {text}
        </text>
      ))}
      {series.map(({ series: each, points }, index) => (
        <Line
          key={each.id}
          frame={frame}
          kind={each.kind}
          stroke={`var(${variableOf(colourOfSeries(each, index))})`}
          isDashed={each.isDashed ?? false}
          points={points}
        />
      ))}
    </svg>
  );
}

type LineProps = { frame: Frame; kind: Series['kind']; stroke: string; isDashed: boolean; points: readonly Point[] };

function Line({ frame, kind, stroke, isDashed, points }: LineProps) {
  const parts = unbroken(points).map((part) => pathOf(frame, part, kind === 'step'));
  const floor = yToPixel(frame, Math.max(0, frame.y.scale.min));
  return (
    <>
      {kind === 'area'
        ? parts.map(({ path, from, to }) => (
            <path key={path} d={`${path}L${to} ${floor}L${from} ${floor}Z`} fill={stroke} fillOpacity={0.14} />
          ))
        : null}
      {parts.map(({ path }) => (
        <path
          key={path}
          d={path}
          fill="none"
          stroke={stroke}
          strokeWidth={1.75}
          strokeDasharray={isDashed ? '5 4' : undefined}
          strokeLinejoin="round"
        />
      ))}
    </>
  );
}

type Known = readonly [x: number, value: number];

/** Stretches without a gap. */
function unbroken(points: readonly Point[]): Known[][] {
  const parts: Known[][] = [[]];
  for (const [x, value] of points) {
    if (value === null) parts.push([]);
    else parts.at(-1)?.push([x, value]);
  }
  return parts.filter((part) => part.length > 0);
}

function pathOf(frame: Frame, part: readonly Known[], isStep: boolean) {
  const left = (x: number) => xToPixel(frame, x).toFixed(1);
  const path = part
    .map(([x, value], index) => {
      const top = yToPixel(frame, value).toFixed(1);
      if (index === 0) return `M${left(x)} ${top}`;
      return isStep ? `H${left(x)}V${top}` : `L${left(x)} ${top}`;
    })
    .join('');
  return { path, from: left(part[0]?.[0] ?? 0), to: left(part.at(-1)?.[0] ?? 0) };
}
