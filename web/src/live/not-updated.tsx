import { TriangleAlert } from 'lucide-react';
import { explain } from '../design/explain.ts';
import { formatAgo, formatUtc } from '../format/time.ts';
import { useTick } from './chain-clock.ts';

type Props = {
  what: string;
  /** When the answer on screen came, in milliseconds. */
  readAt: number;
  error: unknown;
  retry?: (() => void) | undefined;
};

/** Beside figures that stand although their last update failed: since when, why, and the way to ask again. */
export function NotUpdated({ what, readAt, error, retry }: Props) {
  useTick();
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 text-13 text-brass">
      <TriangleAlert size={14} aria-hidden="true" className="shrink-0" />
      <span>
        {`${what}: last read `}
        <span title={formatUtc(readAt)}>{formatAgo((Date.now() - readAt) / 1_000)}</span>
        {`, not updated since. ${explain(error).detail}`}
      </span>
      {retry === undefined ? null : (
        <button type="button" onClick={retry} className="link min-h-6">
          Try again
        </button>
      )}
    </p>
  );
}
