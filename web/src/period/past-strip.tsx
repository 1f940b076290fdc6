import { History } from 'lucide-react';
import { formatUtc } from '../format/time.ts';
import { useMoment } from '../moment/use-moment.ts';
import { useQueryPart } from './use-view.ts';

/** On what stays in sight while the page scrolls: that it shows the past, and the way back. Nothing on a page of the present. */
export function PastStrip() {
  const { at } = useMoment();
  const put = useQueryPart();
  if (at === undefined) return null;
  return (
    <div className="border-t border-info bg-raised">
      <div className="mx-auto flex w-full max-w-[1200px] flex-wrap items-center gap-x-3 px-4 py-1 text-13 sm:px-6">
        <History size={14} aria-hidden="true" className="shrink-0 text-info" />
        <span>{`The past: ${formatUtc(at)}`}</span>
        <button
          type="button"
          onClick={() => put({ at: null, vs: null })}
          className="link ml-auto inline-flex min-h-6 items-center gap-2"
        >
          Back to now <kbd className="rounded border px-1 font-mono text-12 max-sm:hidden print:hidden">n</kbd>
        </button>
      </div>
    </div>
  );
}
