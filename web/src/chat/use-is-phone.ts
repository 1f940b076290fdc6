import { useSyncExternalStore } from 'react';

const QUERY = '(max-width: 639px)';

const subscribe = (listener: () => void) => {
  const query = matchMedia(QUERY);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/** Whether there is no room beside a pane. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(QUERY).matches);
