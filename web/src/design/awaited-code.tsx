import { type ReactNode, useEffect, useState } from 'react';
import { Failure } from './states.tsx';

/** Code that takes longer than this will most likely never arrive: the browser itself waits without an end. */
export const CODE_MS = 20_000;

/** In the words for a file that failed to load. */
const neverCame = new TypeError('A dynamically imported module did not arrive.');

const reload = () => window.location.reload();

type Props = {
  /** What is shown until then. */
  children: ReactNode;
  /** What is said once it is late; by default that a part of the page did not load. */
  late?: (error: Error) => ReactNode;
};

/** While code is loaded; what is late and comes after all is shown all the same. */
export function AwaitedCode({ children, late }: Props) {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const deadline = setTimeout(() => setIsLate(true), CODE_MS);
    return () => clearTimeout(deadline);
  }, []);
  if (!isLate) return children;
  return late?.(neverCame) ?? <Failure error={neverCame} retry={reload} />;
}
