import { useLocation, useNavigationType } from 'react-router';

/**
 * An arrival at a part of a page: its anchor, and a key that is another one each time, also when the same is asked for again. What a page
 * writes into its own address, such as a tab that was chosen, is no arrival: `anchor` is undefined then.
 */
export function useArrival(): { anchor: string | undefined; key: string } {
  const { hash, key } = useLocation();
  const isOwn = useNavigationType() === 'REPLACE';
  return { anchor: isOwn || hash === '' ? undefined : hash.slice(1), key };
}
