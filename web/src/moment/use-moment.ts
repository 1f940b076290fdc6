import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { momentOf } from './moment.ts';

/** The past moment the page shows, `?at=` of its URL; `at` is undefined for the present. */
export function useMoment() {
  const [search] = useSearchParams();
  const text = search.get('at');
  return useMemo(() => momentOf(text), [text]);
}
