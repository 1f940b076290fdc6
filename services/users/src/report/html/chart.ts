import type { ReportChart } from '@castellan/contracts';
import { escapeHtml } from './text.ts';

const width = 720;
const height = 150;
const margin = { left: 2, right: 2, top: 4, bottom: 4 };

type Point = { x: number; y: number };

const place = (value: number): string => value.toFixed(1);

/** The way through points: straight, or as steps; a gap where a value is not known. */
function wayOf(points: readonly (Point | null)[], isStep: boolean): string {
  let before: Point | null = null;
  const steps = points.map((point) => {
    const from = before;
    before = point;
    if (point === null) return '';
    const to = `${place(point.x)} ${place(point.y)}`;
    if (from === null) return `M${to}`;
    return isStep ? `L${place(point.x)} ${place(from.y)}L${to}` : `L${to}`;
  });
  return steps.join('');
}

/**
 * A chart as a picture that needs no script. Its places are drawn by doubles; the values stand in the JSON.
 * @param shown - A value as people read it.
 */
export function chartSvg({ title, points, shape }: ReportChart, shown: (value: string | number) => string): string {
  const known = points.flatMap(({ t, value }) =>
    value === null ? [] : [{ t: Date.parse(t), n: Number(value), value }],
  );
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last || known.length < 2) return '<p class="note">Too few values for a chart.</p>';
  const low = known.reduce((a, b) => (b.n < a.n ? b : a));
  const high = known.reduce((a, b) => (b.n > a.n ? b : a));
  const spread = high.n - low.n || 1;
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const placed = points.map(({ t, value }): Point | null =>
    value === null
      ? null
      : {
          x: margin.left + ((Date.parse(t) - first.t) / (last.t - first.t || 1)) * inner.width,
          y: margin.top + (1 - (Number(value) - low.n) / spread) * inner.height,
        },
  );
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const ends = (left: string, right: string) =>
    `<p class="ends"><span>${escapeHtml(left)}</span><span>${escapeHtml(right)}</span></p>`;
  const summary = `${title}: from ${shown(first.value)} to ${shown(last.value)}, lowest ${shown(low.value)}, highest ${shown(high.value)}`;
  return [
    ends(`${shown(low.value)} to ${shown(high.value)}`, `last ${shown(last.value)}`),
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(summary)}">`,
    `<title>${escapeHtml(summary)}</title>`,
    `<path class="axis" d="M${margin.left} ${height - margin.bottom}H${width - margin.right}"/>`,
    `<path class="line" d="${wayOf(placed, shape === 'step')}"/>`,
    '</svg>',
    ends(day(first.t), day(last.t)),
  ].join('');
}
