import { createContext, type RefObject, use, useLayoutEffect, useRef } from 'react';

/** Writes a name at the caret of the expression that was last in focus. @returns whether that is still there. */
export type Insert = (text: string) => boolean;
export const InsertContext = createContext<RefObject<Insert | null>>({ current: null });

/** How one writes where names are pressed: what a field does at that moment, not what it did when it got the focus. */
export function useInsert(insert: Insert): () => void {
  const inserting = use(InsertContext);
  const latest = useRef(insert);
  useLayoutEffect(() => {
    latest.current = insert;
  });
  return () => {
    inserting.current = (text) => latest.current(text);
  };
}
