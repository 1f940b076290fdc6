import { useSyncExternalStore } from 'react';

const QUERY = '(max-width: 639px)';

const subscribe = (listener: () => void) => {
  const query = matchMedia(QUERY);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/** Whether the window is too narrow for a pane beside the page. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(QUERY).matches);
