import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { momentOf } from '../../moment/moment.ts';
import { useMoment } from '../../moment/use-moment.ts';
import { useQueryPart } from '../../period/use-view.ts';

/** The moment of the page and the one beside it, `?at=` and `?vs=`; undefined: the present, and none. */
export function useMoments() {
  const { at } = useMoment();
  const [search] = useSearchParams();
  const text = search.get('vs');
  const { at: other, isMalformed } = useMemo(
    () => (text === 'now' ? { at: undefined, isMalformed: false } : momentOf(text)),
    [text],
  );
  const put = useQueryPart();
  return {
    at,
    /** What the page's moment is compared with; `now` for the present. */
    versus: text === null || isMalformed ? undefined : (other ?? 'now'),
    isVersusMalformed: isMalformed,
    show: (next: string | undefined) => put({ at: next ?? null }),
    compareWith: (next: string | undefined) => put({ vs: next ?? null }),
  };
}
