import type { Point } from './types.ts';

const WIDTH = 120;
const HEIGHT = 28;

/** The course of a figure without axes, beside the figure itself; `label` says it in words. */
export function Sparkline({ points, label }: { points: readonly Point[]; label: string }) {
  const known = points.flatMap(([x, value]) => (value === null ? [] : [[x, value] as const]));
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined || known.length < 2) return null;
  const values = known.map(([, value]) => value);
  const low = values.reduce((least, value) => Math.min(least, value));
  const high = values.reduce((most, value) => Math.max(most, value));
  const path = known.map(([x, value], index) => {
    const left = ((x - first[0]) / (last[0] - first[0] || 1)) * WIDTH;
    const top = high === low ? HEIGHT / 2 : 2 + (1 - (value - low) / (high - low)) * (HEIGHT - 4);
    return `${index === 0 ? 'M' : 'L'}${left.toFixed(1)} ${top.toFixed(1)}`;
  });
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className="h-7 w-full"
    >
      <path
        d={path.join('')}
        fill="none"
        stroke="var(--series-1)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
