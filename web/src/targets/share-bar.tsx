import { formatBpsShare, formatShare, NONE } from '../format/figures.ts';

type Props = { name: string; share: number | null; targetBps: number | null; capBps: number | null; isOver: boolean };

const percentOf = (share: number): number => Math.min(1, Math.max(0, share)) * 100;
const hatch = 'repeating-linear-gradient(45deg, var(--danger) 0 2px, var(--surface) 2px 4px)';

/** What a bar shows, in words. */
const wordsOf = ({ name, share, targetBps, capBps }: Props): string =>
  [
    `${name} holds ${share === null ? 'an unknown share' : formatShare(share)}`,
    targetBps === null ? 'no target' : `target ${formatBpsShare(targetBps)}`,
    capBps === null ? 'no cap' : `cap ${formatBpsShare(capBps)}`,
  ].join(', ');

/** A share of the whole, with a wedge at its target and a post at its cap; what is beyond the cap is hatched. */
export function ShareBar(props: Props) {
  const { share, targetBps, capBps, isOver } = props;
  const cap = capBps === null ? null : percentOf(capBps / 10_000);
  const end = percentOf(share ?? 0);
  const filled = isOver && cap !== null ? cap : end;
  return (
    <span role="img" aria-label={wordsOf(props)} className="relative block h-6 w-full">
      <span className="absolute inset-x-0 top-2 h-2.5 overflow-hidden rounded-full bg-raised">
        <span className="absolute inset-y-0 left-0 bg-accent" style={{ width: `${filled}%` }} />
        {isOver ? (
          <span
            className="absolute inset-y-0 min-w-0.5"
            style={{ left: `${filled}%`, width: `${end - filled}%`, background: hatch }}
          />
        ) : null}
      </span>
      {targetBps === null ? null : (
        <span className="absolute top-0 -translate-x-1/2" style={{ left: `${percentOf(targetBps / 10_000)}%` }}>
          <Wedge />
        </span>
      )}
      {cap === null ? null : (
        <span className="absolute top-1 h-4.5 w-0.5 -translate-x-1/2 bg-text" style={{ left: `${cap}%` }} />
      )}
    </span>
  );
}

const Wedge = () => (
  <svg viewBox="0 0 8 6" aria-hidden="true" className="block h-1.5 w-2">
    <path d="M0 0 h8 l-4 6 z" fill="var(--text)" />
  </svg>
);

/** What the marks of the bars stand for. */
export function BarLegend() {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-12 text-muted">
      <span className="flex items-center gap-1.5">
        <Wedge /> target
      </span>
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className="h-3 w-0.5 bg-text" /> cap
      </span>
      <span>{`hatched: beyond the cap · ${NONE}: not set`}</span>
    </p>
  );
}
