import { clsx } from 'clsx';
import { ChartLine, Download, Table2, ZoomIn, ZoomOut } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Card } from '../design/card.tsx';
import { Empty, Failure, Skeleton } from '../design/states.tsx';
import { NotUpdated } from '../live/not-updated.tsx';
import { captionWords, chartWords } from './chart-text.ts';
import { ChartTable } from './data-table.tsx';
import { download } from './download.ts';
import { Drawing, type DrawingHandle } from './drawing.tsx';
import { wholeRange } from './frame.ts';
import { Legend } from './legend.tsx';
import { extentOf } from './model.ts';
import { csvOf } from './rows.ts';
import type { Range } from './scale.ts';
import type { ChartProps, Marker, XAxis } from './types.ts';
import { zoomed } from './zoom.ts';

const HEIGHT = 240;
// Kept outside, so that a chart without them does not look changed on every render.
const NO_MARKERS: readonly Marker[] = [];
const TIME: XAxis = { kind: 'time' };

/**
 * One chart: title, what it says in a sentence, the drawing with crosshair and zoom, the same data as table, CSV and PNG.
 * Its size is the same while loading, empty, failed and drawn.
 */
export function Chart(props: ChartProps) {
  const { title, takeaway, series, height = HEIGHT, isLoading = false, error, onRetry, className } = props;
  const heading = useId();
  const hasData = extentOf(series) !== undefined;
  return (
    <Card className={clsx('flex flex-col gap-2', className)}>
      <figure aria-labelledby={heading} className="flex min-w-0 flex-col gap-2">
        {hasData ? (
          <WithData {...props} heading={heading} />
        ) : (
          <>
            <Head heading={heading} title={title} takeaway={isLoading ? undefined : takeaway} actions={props.actions} />
            <div className="grid content-center" style={{ height }}>
              {isLoading ? (
                <div role="status" aria-label={`Loading ${title}`} className="h-full">
                  <Skeleton className="h-full w-full" />
                </div>
              ) : error != null ? (
                <Failure error={error} {...(onRetry ? { retry: onRetry } : {})} />
              ) : (
                <Empty title={props.empty.title}>{props.empty.detail}</Empty>
              )}
            </div>
            <div className="h-6" />
          </>
        )}
      </figure>
    </Card>
  );
}

type HeadProps = { heading: string; title: string; takeaway: string | undefined; actions: ReactNode };

function Head({ heading, title, takeaway, actions }: HeadProps) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
      <div className="min-w-0 flex-1 basis-56">
        <h3 id={heading} className="text-14 font-semibold">
          {title}
        </h3>
        <p className="min-h-5 text-13 text-muted">{takeaway ?? ''}</p>
      </div>
      <div className="flex flex-wrap items-center gap-1">{actions}</div>
    </div>
  );
}

const tool =
  'inline-flex h-8 min-w-8 items-center justify-center gap-1 rounded-control px-2 text-12 text-muted hover:bg-raised hover:text-text disabled:opacity-40';

function WithData({ heading, ...props }: ChartProps & { heading: string }) {
  const { title, takeaway, series, unit, markers = NO_MARKERS, x: axis = TIME } = props;
  const { height = HEIGHT, intervalSeconds, isFromZero = false, canZoom = true, fileName, error } = props;
  const [isTable, setIsTable] = useState(false);
  const [window, setWindow] = useState<Range | undefined>();
  const drawing = useRef<DrawingHandle>(null);
  const input = { series, markers, unit, axis, isFromZero, intervalSeconds, height };
  const savePicture = () => {
    const picture = drawing.current?.picture(title, takeaway ?? '');
    if (picture !== undefined) download(`${fileName}.png`, picture);
  };
  const saveTable = () =>
    download(`${fileName}.csv`, new Blob([csvOf(series, markers, unit, axis)], { type: 'text/csv;charset=utf-8' }));
  return (
    <>
      <Head
        heading={heading}
        title={title}
        takeaway={takeaway}
        actions={
          <>
            {props.actions}
            <AriaButton
              className={tool}
              aria-label={`Show ${title} as a ${isTable ? 'chart' : 'table'}`}
              onPress={() => setIsTable(!isTable)}
            >
              {isTable ? <ChartLine size={14} aria-hidden="true" /> : <Table2 size={14} aria-hidden="true" />}
              {isTable ? 'Chart' : 'Table'}
            </AriaButton>
            <AriaButton
              className={tool}
              isDisabled={isTable}
              aria-label={`Download PNG of ${title}`}
              onPress={savePicture}
            >
              <Download size={14} aria-hidden="true" />
              PNG
            </AriaButton>
            <AriaButton className={tool} aria-label={`Download CSV of ${title}`} onPress={saveTable}>
              <Download size={14} aria-hidden="true" />
              CSV
            </AriaButton>
          </>
        }
      />
      <Legend series={series} />
      {isTable ? (
        <ChartTable title={title} series={series} markers={markers} unit={unit} axis={axis} height={height} />
      ) : (
        <Drawing
          {...input}
          label={`${title}. ${takeaway ?? ''}`}
          description={chartWords(series, unit, axis)}
          group={props.group}
          window={window}
          onWindow={canZoom ? setWindow : undefined}
          handle={drawing}
        />
      )}
      <figcaption className="flex min-h-6 items-center justify-between gap-x-3 text-12 text-muted">
        <span className="min-w-0">{captionWords(series, axis, intervalSeconds)}</span>
        {canZoom && !isTable ? (
          <Zoom window={window} whole={wholeRange({ ...input, window, width: 0 })} onWindow={setWindow} title={title} />
        ) : null}
      </figcaption>
      {error == null || props.readAt === undefined ? null : (
        <NotUpdated what={title} readAt={props.readAt} error={error} retry={props.onRetry} />
      )}
    </>
  );
}

type ZoomProps = {
  title: string;
  window: Range | undefined;
  whole: Range | undefined;
  onWindow: (window: Range | undefined) => void;
};

function Zoom({ title, window, whole, onWindow }: ZoomProps) {
  if (whole === undefined) return null;
  const step = (key: string) => () => onWindow(zoomed(key, window ?? whole, whole, null));
  const look = 'grid size-6 place-items-center rounded text-muted hover:bg-raised hover:text-text disabled:opacity-40';
  return (
    <span className="inline-flex shrink-0 items-center gap-1">
      {window === undefined ? null : (
        <AriaButton className="h-6 rounded px-2 text-accent hover:bg-raised" onPress={() => onWindow(undefined)}>
          Whole range
        </AriaButton>
      )}
      <AriaButton
        className={look}
        aria-label={`Zoom out of ${title}`}
        isDisabled={window === undefined}
        onPress={step('-')}
      >
        <ZoomOut size={14} aria-hidden="true" />
      </AriaButton>
      <AriaButton className={look} aria-label={`Zoom into ${title}`} onPress={step('+')}>
        <ZoomIn size={14} aria-hidden="true" />
      </AriaButton>
    </span>
  );
}
