import { colourOfSeries, variableOf } from './theme-colours.ts';
import type { Series } from './types.ts';

export function Swatch({ series, index }: { series: Series; index: number }) {
  const colour = `var(${variableOf(colourOfSeries(series, index))})`;
  const isLine = series.kind === 'step' || series.kind === 'line';
  return (
    <span
      aria-hidden="true"
      className={isLine ? 'inline-block w-4 shrink-0 border-t-2' : 'inline-block size-2.5 shrink-0 rounded-sm'}
      style={
        isLine ? { borderColor: colour, borderTopStyle: series.isDashed ? 'dashed' : 'solid' } : { background: colour }
      }
    />
  );
}

type Props = { series: readonly Series[] };

/** What the colours and strokes mean; nothing when the title says it all. */
export function Legend({ series }: Props) {
  if (series.length < 2) return null;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-12 text-muted">
      {series.map((each, index) => (
        <li key={each.id} className="inline-flex items-center gap-1.5">
          <Swatch series={each} index={index} />
          {each.name}
        </li>
      ))}
    </ul>
  );
}
