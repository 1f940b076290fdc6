import { type ReactNode, useDeferredValue } from 'react';

/**
 * What lies below the first screen. It is drawn after what lies above was shown, in small steps, so that the first sight does not wait for
 * it and a phone still answers meanwhile. Nothing has to be scrolled to: search and print find it as if it had always been there.
 */
export function Later({ children }: { children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null;
}
