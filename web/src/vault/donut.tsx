import { formatShare } from '../format/figures.ts';
import { MAX_SLICES, type Slice } from './slices.ts';

const RADIUS = 40;
const WIDTH = 14;
const LENGTH = 2 * Math.PI * RADIUS;
/** A hair of surface between slices, so that neighbours differ without colour. */
const GAP = 1.5;

export const colourOf = (index: number): string =>
  index >= 0 && index < MAX_SLICES ? `var(--series-${index + 1})` : 'var(--series-other)';

/** Shares of a whole, right on the first frame. The table beside it holds the same figures. */
export function Donut({ slices, total }: { slices: Slice[]; total: string | undefined }) {
  const [largest] = slices;
  const takeaway =
    largest === undefined
      ? 'No share is known at this block.'
      : `${largest.name} holds ${formatShare(largest.share)} of the assets.`;
  const starts = slices.map((_, index) => slices.slice(0, index).reduce((sum, { share }) => sum + share, 0));
  return (
    <figure className="flex flex-col items-center gap-3">
      <svg viewBox="0 0 100 100" className="size-44" role="img" aria-label={`Allocation. ${takeaway}`}>
        <circle cx="50" cy="50" r={RADIUS} fill="none" stroke="var(--raised)" strokeWidth={WIDTH} />
        {slices.map(({ id, share }, index) => {
          const length = slices.length === 1 ? LENGTH : Math.max(0.5, share * LENGTH - GAP);
          return (
            <circle
              key={id}
              cx="50"
              cy="50"
              r={RADIUS}
              fill="none"
              stroke={colourOf(index)}
              strokeWidth={WIDTH}
              strokeDasharray={`${length} ${LENGTH - length}`}
              strokeDashoffset={-(starts[index] ?? 0) * LENGTH}
              transform="rotate(-90 50 50)"
            />
          );
        })}
        {total === undefined ? null : (
          <text x="50" y="53.5" textAnchor="middle" fontSize="10" fontWeight="600" fill="var(--text)">
            {total}
          </text>
        )}
      </svg>
      <figcaption className="max-w-56 text-center text-13 text-muted">{takeaway}</figcaption>
    </figure>
  );
}
