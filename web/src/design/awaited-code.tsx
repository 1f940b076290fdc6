import { type ReactNode, useEffect, useState } from 'react';
import { CODE_MS, neverCame } from './late-code.ts';
import { Failure } from './states.tsx';

const reload = () => window.location.reload();

/**
 * While the code of a part of a page is loaded; what is late and comes after all is shown all the same. For a boundary that is new with
 * what it waits for: one that shows something keeps it while the next is loaded, and never shows this.
 */
export function AwaitedCode({ children }: { children: ReactNode }) {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const deadline = setTimeout(() => setIsLate(true), CODE_MS);
    return () => clearTimeout(deadline);
  }, []);
  return isLate ? <Failure error={neverCame} retry={reload} /> : children;
}
