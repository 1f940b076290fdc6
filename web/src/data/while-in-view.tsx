import { createContext, memo, type ReactNode, useContext } from 'react';

const FarFromView = createContext(false);

type Kept = { isFar: boolean; children: ReactNode };

const Still = memo(
  ({ children }: Kept) => children,
  (_before, { isFar }) => isFar,
);

/**
 * A part of a page that the reader may scroll away from. While it is far from what is seen it stays as it was: it is not rendered
 * with new figures, and its queries (`useWhileInView`) ask for none.
 */
export function KeptWhenFar({ isFar, children }: Kept) {
  return (
    <FarFromView value={isFar}>
      <Still isFar={isFar}>{children}</Still>
    </FarFromView>
  );
}

/** `enabled` of a query: far from view it keeps the answer it has, and asks again when it comes near and the answer is old. */
export function useWhileInView(isEnabled = true): (query: { state: { data: unknown } }) => boolean {
  const isFar = useContext(FarFromView);
  return ({ state }) => isEnabled && (!isFar || state.data === undefined);
}
