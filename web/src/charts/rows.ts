import { lowerBound } from './m4.ts';
import { stopsOf } from './model.ts';
import type { Marker, Point, Series, Unit, XAxis } from './types.ts';

export type Row = { x: number; cells: (Point | undefined)[]; markers: Marker[] };

const exactly = (points: readonly Point[], x: number): Point | undefined => {
  let index = lowerBound(points, x);
  if (points[index]?.[0] !== x) return undefined;
  while (points[index + 1]?.[0] === x) index += 1;
  return points[index];
};

/** The data of a chart row by row, in order; markers have a row of their own where no point has their time. */
export function rowsOf(series: readonly Series[], markers: readonly Marker[]): Row[] {
  const stops = new Set([...stopsOf(series), ...markers.map(({ x }) => x)]);
  return [...stops]
    .sort((left, right) => left - right)
    .map((x) => ({
      x,
      cells: series.map(({ points }) => exactly(points, x)),
      markers: markers.filter((marker) => marker.x === x),
    }));
}

// A cell that starts like a formula would be run by a spreadsheet.
const quoted = (text: string): string => {
  const harmless = /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

export function csvOf(series: readonly Series[], markers: readonly Marker[], unit: Unit, axis: XAxis): string {
  const head = [axis.kind === 'time' ? 'time_utc' : axis.name, ...series.map(({ name }) => `${name} (${unit.name})`)];
  if (markers.length > 0) head.push('events');
  const lines = rowsOf(series, markers).map(({ x, cells, markers: here }) => {
    const when = axis.kind === 'time' ? new Date(x).toISOString() : String(x);
    const values = cells.map((cell) => (cell?.[1] == null ? '' : (cell[2] ?? String(cell[1]))));
    return [when, ...values, ...(markers.length > 0 ? [quoted(here.map(({ label }) => label).join('; '))] : [])];
  });
  return `${[head.map(quoted), ...lines].map((cells) => cells.join(',')).join('\r\n')}\r\n`;
}
