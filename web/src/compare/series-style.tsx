import type { Colour } from '../charts/types.ts';

const COLOURS = 6;

/** Colour and dash of the n-th vault, the same in every chart and beside its name; from the seventh on they are dashed. */
export const styleOf = (index: number): { colour: Colour; isDashed: boolean } => ({
  colour: ((index % COLOURS) + 1) as Colour,
  isDashed: index >= COLOURS,
});

export function SeriesSwatch({ index }: { index: number }) {
  const { colour, isDashed } = styleOf(index);
  return (
    <svg viewBox="0 0 16 4" width={16} height={4} aria-hidden="true" className="shrink-0">
      <path
        d="M0 2H16"
        stroke={`var(--series-${colour})`}
        strokeWidth="3"
        {...(isDashed ? { strokeDasharray: '4 3' } : {})}
      />
    </svg>
  );
}
