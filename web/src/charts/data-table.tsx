import { useMemo, useState } from 'react';
import { Button } from '../design/button.tsx';
import { ScrollRegion } from '../design/scroll-region.tsx';
import { NONE } from '../format/figures.ts';
import { xText } from './chart-text.ts';
import { rowsOf } from './rows.ts';
import type { Marker, Point, Series, Unit, XAxis } from './types.ts';

const PAGE = 50;

type Props = {
  title: string;
  series: readonly Series[];
  markers: readonly Marker[];
  unit: Unit;
  axis: XAxis;
  height: number;
};

const textOf = (cell: Point | undefined, unit: Unit): string => (cell?.[1] == null ? NONE : unit.format(cell[1]));

/** The data of the drawing, newest first, in the space of the drawing. */
export function ChartTable({ title, series, markers, unit, axis, height }: Props) {
  const rows = useMemo(() => rowsOf(series, markers).reverse(), [series, markers]);
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  const shown = Math.min(page, pages - 1);
  const cell = 'border-b px-3 py-1.5 text-right whitespace-nowrap';
  return (
    <div className="flex flex-col gap-2" style={{ height }}>
      <ScrollRegion label={`${title}, table`} className="min-h-0 flex-1 overflow-auto rounded-control border">
        <table aria-label={title} className="w-full border-separate border-spacing-0 text-13">
          <thead className="sticky top-0 bg-raised">
            <tr>
              <th scope="col" className="border-b px-3 py-1.5 text-left font-medium">
                {axis.kind === 'time' ? 'Time' : axis.name}
              </th>
              {series.map(({ id, name }) => (
                <th key={id} scope="col" className={`${cell} font-medium`}>
                  {name}
                </th>
              ))}
              {markers.length === 0 ? null : (
                <th scope="col" className={`${cell} text-left font-medium`}>
                  Event
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.slice(shown * PAGE, (shown + 1) * PAGE).map(({ x, cells, markers: here }) => (
              <tr key={x}>
                <th scope="row" className="border-b px-3 py-1.5 text-left font-normal whitespace-nowrap">
                  {xText(x, axis)}
                </th>
                {series.map(({ id }, index) => (
                  <td key={id} className={cell} title={cells[index]?.[2]}>
                    {textOf(cells[index], unit)}
                  </td>
                ))}
                {markers.length === 0 ? null : (
                  <td className={`${cell} text-left`}>{here.map(({ label }) => label).join(', ')}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {pages === 1 ? null : (
        <div className="flex items-center justify-end gap-2 text-12 text-muted">
          <span className="tabular-nums">{`Rows ${shown * PAGE + 1} to ${Math.min(rows.length, (shown + 1) * PAGE)} of ${rows.length}`}</span>
          <Button look="quiet" isDisabled={shown === 0} onPress={() => setPage(shown - 1)}>
            Newer
          </Button>
          <Button look="quiet" isDisabled={shown === pages - 1} onPress={() => setPage(shown + 1)}>
            Older
          </Button>
        </div>
      )}
    </div>
  );
}
